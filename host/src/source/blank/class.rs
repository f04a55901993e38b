//! Blanks types inside classes: modifiers, signatures, fields.

use oxc::ast::ast::{
    AccessorProperty, AccessorPropertyType, Class, ClassElement, MethodDefinition,
    MethodDefinitionType, PropertyDefinition, PropertyDefinitionType, PropertyKey,
};
use oxc::parser::Kind;
use oxc::span::{GetSpan as _, Span};

use super::edits::Edits;

/// Reports whether a class element exists only for types.
pub(super) fn is_erased(element: &ClassElement<'_>) -> bool {
    match element {
        ClassElement::TSIndexSignature(_) => true,
        ClassElement::MethodDefinition(it) => {
            it.value.body.is_none() || it.r#type == MethodDefinitionType::TSAbstractMethodDefinition
        }
        ClassElement::PropertyDefinition(it) => {
            it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition
        }
        ClassElement::AccessorProperty(it) => {
            it.r#type == AccessorPropertyType::TSAbstractAccessorProperty
        }
        ClassElement::StaticBlock(_) => false,
    }
}

/// Blanks `abstract` before `class`, and the `implements` clause.
pub(super) fn blank_head(edits: &mut Edits<'_>, class: &Class<'_>) {
    if class.r#abstract {
        for token in edits.tokens_from(class.span.start) {
            match token.kind() {
                Kind::Class => break,
                Kind::Abstract => edits.blank(token.start(), token.end()),
                _ => {}
            }
        }
    }
    if let (Some(first), Some(last)) = (class.implements.first(), class.implements.last()) {
        let start =
            edits.token_before(first.span.start).map_or(first.span.start, |token| token.start());
        edits.blank(start, last.span.end);
    }
}

pub(super) fn blank_method(edits: &mut Edits<'_>, it: &MethodDefinition<'_>) {
    blank_modifiers(edits, it.span, &it.key);
    if it.optional {
        edits.blank_token(it.key.span().end, Kind::Question);
    }
}

pub(super) fn blank_property(edits: &mut Edits<'_>, it: &PropertyDefinition<'_>) {
    blank_modifiers(edits, it.span, &it.key);
    if it.optional {
        edits.blank_token(it.key.span().end, Kind::Question);
    }
    if it.definite {
        edits.blank_token(it.key.span().end, Kind::Bang);
    }
}

pub(super) fn blank_accessor(edits: &mut Edits<'_>, it: &AccessorProperty<'_>) {
    blank_modifiers(edits, it.span, &it.key);
    if it.definite {
        edits.blank_token(it.key.span().end, Kind::Bang);
    }
}

/// Blanks the modifiers that JavaScript does not have.
fn blank_modifiers(edits: &mut Edits<'_>, span: Span, key: &PropertyKey<'_>) {
    let mut first_blanked = None;
    let mut only_blanks = true;
    for token in edits.tokens_from(span.start) {
        if token.start() >= key.span().start {
            break;
        }
        match token.kind() {
            Kind::Public
            | Kind::Private
            | Kind::Protected
            | Kind::Readonly
            | Kind::Override
            | Kind::Abstract
            | Kind::Declare => {
                edits.blank(token.start(), token.end());
                if only_blanks {
                    first_blanked.get_or_insert(token.start());
                }
            }
            kind => {
                // `public [key]` after a field without `;` would become an index into the field's
                // value.
                if only_blanks && matches!(kind, Kind::LBrack | Kind::Star) {
                    put_separator(edits, first_blanked);
                }
                only_blanks = false;
            }
        }
    }
    let operator_name = edits
        .token_from(key.span().start)
        .is_some_and(|token| matches!(token.kind(), Kind::In | Kind::Instanceof));
    if only_blanks && operator_name {
        put_separator(edits, first_blanked);
    }
}

fn put_separator(edits: &mut Edits<'_>, blanked: Option<u32>) {
    if let Some(at) = blanked {
        edits.put(at, b';');
    }
}

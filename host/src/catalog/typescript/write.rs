//! Writes a type as text: over several lines with notes, or on one line up to a depth.

use super::text::key;
use super::types::{FieldPresence, ObjectField, TupleElement, Type};

/// The layout of a written type.
#[derive(Clone, Copy)]
pub(super) enum Style {
    /// One field per line, with notes, indented by this many steps.
    Lines(usize),
    /// On one line, with objects deeper than this as `{ … }`.
    Line(usize),
}

/// The context of a type, by how tightly it binds: a type that binds less tightly than its context
/// needs parentheses.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum TypeContext {
    TopLevel,
    Union,
    Intersection,
    Suffix,
}

/// Returns a type as TypeScript.
pub(super) fn write(kind: &Type, style: Style) -> String {
    let mut text = String::new();
    push_type(&mut text, kind, style, TypeContext::TopLevel);
    text
}

/// Returns the blanks at the start of an indented line.
pub(super) fn indent(steps: usize) -> String {
    "    ".repeat(steps)
}

fn push_type(text: &mut String, kind: &Type, style: Style, context: TypeContext) {
    match kind {
        Type::Unknown(None) => text.push_str("unknown"),
        Type::Unknown(Some(note)) => text.extend(["unknown /* ", note, " */"]),
        Type::Never => text.push_str("never"),
        Type::Word(word) => text.push_str(word),
        Type::Array(item) => {
            push_type(text, item, style, TypeContext::Suffix);
            text.push_str("[]");
        }
        Type::Tuple(elements, rest) => push_tuple(text, elements, rest.as_deref(), style),
        Type::Object(fields, index) => push_object(text, fields, index.as_deref(), style),
        Type::Union(members) => {
            push_members(text, members, " | ", style, (TypeContext::Union, context))
        }
        Type::Intersection(members) => {
            push_members(text, members, " & ", style, (TypeContext::Intersection, context))
        }
    }
}

fn push_members(
    text: &mut String,
    members: &[Type],
    between: &str,
    style: Style,
    (inner, context): (TypeContext, TypeContext),
) {
    let wrapped = context > inner;
    if wrapped {
        text.push('(');
    }
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            text.push_str(between);
        }
        push_type(text, member, style, inner);
    }
    if wrapped {
        text.push(')');
    }
}

fn push_tuple(text: &mut String, elements: &[TupleElement], rest: Option<&Type>, style: Style) {
    text.push('[');
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        match element.presence {
            FieldPresence::Required => push_type(text, &element.kind, style, TypeContext::TopLevel),
            FieldPresence::Optional => {
                push_type(text, &element.kind, style, TypeContext::Suffix);
                text.push('?');
            }
        }
    }
    if let Some(rest) = rest {
        text.push_str(if elements.is_empty() { "..." } else { ", ..." });
        push_type(text, rest, style, TypeContext::Suffix);
        text.push_str("[]");
    }
    text.push(']');
}

fn push_object(text: &mut String, fields: &[ObjectField], index: Option<&Type>, style: Style) {
    if fields.is_empty() && index.is_none() {
        return text.push_str("{}");
    }
    let inner = match style {
        Style::Lines(steps) => Style::Lines(steps + 1),
        Style::Line(0) => return text.push_str("{ … }"),
        Style::Line(depth) => Style::Line(depth - 1),
    };
    text.push('{');
    for field in fields {
        start_item(text, inner);
        if let (Style::Lines(_), Some(note)) = (inner, &field.note) {
            text.extend(["/** ", note, " */"]);
            start_item(text, inner);
        }
        text.push_str(&key(&field.name));
        text.push_str(if field.presence == FieldPresence::Optional { "?: " } else { ": " });
        push_type(text, &field.kind, inner, TypeContext::TopLevel);
        text.push(';');
    }
    if let Some(index) = index {
        start_item(text, inner);
        text.push_str("[key: string]: ");
        push_type(text, index, inner, TypeContext::TopLevel);
        text.push(';');
    }
    match style {
        Style::Lines(_) => start_item(text, style),
        Style::Line(_) => {
            // On one line the last semicolon is not needed.
            text.pop();
            text.push(' ');
        }
    }
    text.push('}');
}

fn start_item(text: &mut String, style: Style) {
    match style {
        Style::Lines(steps) => {
            text.push('\n');
            text.push_str(&indent(steps));
        }
        Style::Line(_) => text.push(' '),
    }
}

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
    Nothing,
    Union,
    Intersection,
    Suffix,
}

/// Returns a type as TypeScript.
pub(super) fn write(kind: &Type, style: Style) -> String {
    let mut text = String::new();
    push(&mut text, kind, style, TypeContext::Nothing);
    text
}

/// Returns the blanks at the start of an indented line.
pub(super) fn indent(steps: usize) -> String {
    "    ".repeat(steps)
}

fn push(text: &mut String, kind: &Type, style: Style, around: TypeContext) {
    match kind {
        Type::Unknown(None) => text.push_str("unknown"),
        Type::Unknown(Some(note)) => text.extend(["unknown /* ", note, " */"]),
        Type::Never => text.push_str("never"),
        Type::Word(word) => text.push_str(word),
        Type::Array(item) => {
            push(text, item, style, TypeContext::Suffix);
            text.push_str("[]");
        }
        Type::Tuple(places, rest) => tuple(text, places, rest.as_deref(), style),
        Type::Object(fields, index) => object(text, fields, index.as_deref(), style),
        Type::Union(members) => list(text, members, " | ", style, (TypeContext::Union, around)),
        Type::Intersection(members) => {
            list(text, members, " & ", style, (TypeContext::Intersection, around))
        }
    }
}

fn list(
    text: &mut String,
    members: &[Type],
    between: &str,
    style: Style,
    (inner, around): (TypeContext, TypeContext),
) {
    let wrapped = around > inner;
    if wrapped {
        text.push('(');
    }
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            text.push_str(between);
        }
        push(text, member, style, inner);
    }
    if wrapped {
        text.push(')');
    }
}

fn tuple(text: &mut String, places: &[TupleElement], rest: Option<&Type>, style: Style) {
    text.push('[');
    for (index, place) in places.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        match place.presence {
            FieldPresence::Required => push(text, &place.kind, style, TypeContext::Nothing),
            FieldPresence::Optional => {
                push(text, &place.kind, style, TypeContext::Suffix);
                text.push('?');
            }
        }
    }
    if let Some(rest) = rest {
        text.push_str(if places.is_empty() { "..." } else { ", ..." });
        push(text, rest, style, TypeContext::Suffix);
        text.push_str("[]");
    }
    text.push(']');
}

fn object(text: &mut String, fields: &[ObjectField], index: Option<&Type>, style: Style) {
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
        begin(text, inner);
        if let (Style::Lines(_), Some(note)) = (inner, &field.note) {
            text.extend(["/** ", note, " */"]);
            begin(text, inner);
        }
        text.push_str(&key(&field.name));
        text.push_str(if field.presence == FieldPresence::Optional { "?: " } else { ": " });
        push(text, &field.kind, inner, TypeContext::Nothing);
        text.push(';');
    }
    if let Some(index) = index {
        begin(text, inner);
        text.push_str("[key: string]: ");
        push(text, index, inner, TypeContext::Nothing);
        text.push(';');
    }
    match style {
        Style::Lines(_) => begin(text, style),
        Style::Line(_) => {
            // On one line the last semicolon is not needed.
            text.pop();
            text.push(' ');
        }
    }
    text.push('}');
}

fn begin(text: &mut String, style: Style) {
    match style {
        Style::Lines(steps) => {
            text.push('\n');
            text.push_str(&indent(steps));
        }
        Style::Line(_) => text.push(' '),
    }
}

//! Reads a JSON Schema as a type. It accepts schemas as servers write them: 2020-12 and draft 7,
//! with `nullable` of OpenAPI.
//!
//! **Invariant:** a schema is hostile: depth and number of types are bounded, only references
//! within the schema are followed, and no type directly contains itself.

use super::object;
use super::text::quoted;
use super::types::{FieldPresence, TupleElement, Type};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Deepest nesting of a type. Hand-written schemas have about five levels; an editor shows fewer.
const DEPTH: usize = 16;
/// Most types read for one tool: the largest known schemas have some hundreds.
const TYPES: usize = 2_000;
/// Most literals of an `enum`; a longer list is no more useful than `string`.
const LITERALS: usize = 64;
/// Longest literal, in bytes.
const LITERAL: usize = 200;
/// Most members of a union or an intersection.
const MEMBERS: usize = 48;
/// Most schemas inspected to find out whether a type contains itself; the search runs for each
/// reference.
const PARTS: usize = 256;
/// Most elements of a tuple.
const ELEMENTS: usize = 32;

const CUT: &str = "cut: the schema is too large";
const REMOTE: &str = "a reference out of the schema";
const CYCLE: &str = "recursive";

/// The handling of a reference within the schema.
pub(super) enum ReferenceMode<'n> {
    /// The target gets a name, which the function returns.
    Named(&'n mut dyn FnMut(&str) -> String),
    /// The target is written in place of the reference.
    Inline,
}

/// Reads one schema.
pub(super) struct SchemaReader<'s, 'n> {
    root: &'s Value,
    references: ReferenceMode<'n>,
    remaining: usize,
    depth: usize,
    /// References whose targets are being written in place.
    expanding: Vec<&'s str>,
}

impl<'s, 'n> SchemaReader<'s, 'n> {
    /// Returns a reader of `root` and its parts.
    pub(super) fn new(root: &'s Value, references: ReferenceMode<'n>) -> SchemaReader<'s, 'n> {
        SchemaReader { root, references, remaining: TYPES, depth: 0, expanding: Vec::new() }
    }

    /// Reads the whole schema.
    pub(super) fn read_root(&mut self) -> Type {
        self.read(self.root)
    }

    /// Reads the target of a reference.
    pub(super) fn read_target(&mut self, reference: &str) -> Type {
        match target(self.root, reference) {
            Some(schema) => self.read(schema),
            None => Type::Unknown(Some(REMOTE)),
        }
    }

    /// Reads a schema.
    pub(super) fn read(&mut self, schema: &'s Value) -> Type {
        let fields = match schema {
            Value::Bool(false) => return Type::Never,
            Value::Object(fields) => fields,
            // `true`, and any value that is not a schema.
            _ => return Type::Unknown(None),
        };
        if self.remaining == 0 || self.depth == DEPTH {
            return Type::Unknown(Some(CUT));
        }
        self.remaining -= 1;
        self.depth += 1;
        let kind = self.read_fields(fields);
        self.depth -= 1;
        kind
    }

    fn read_fields(&mut self, fields: &'s Map<String, Value>) -> Type {
        let mut parts = Vec::new();
        if let Some(Value::String(reference)) = fields.get("$ref") {
            parts.push(self.read_reference(reference));
        } else if fields.contains_key("$dynamicRef") || fields.contains_key("$recursiveRef") {
            parts.push(Type::Unknown(Some(REMOTE)));
        }
        parts.push(match (fields.get("const"), fields.get("enum")) {
            (Some(value), _) => literal(value),
            (None, Some(Value::Array(values))) if !values.is_empty() => {
                self.read_literals(values, fields)
            }
            _ => self.read_types(fields),
        });
        for keyword in ["anyOf", "oneOf"] {
            if let Some(members) = self.read_members(fields, keyword) {
                parts.push(Type::union(members));
            }
        }
        parts.extend(self.read_members(fields, "allOf").unwrap_or_default());
        let kind = Type::intersection(parts);
        match fields.get("nullable") {
            Some(Value::Bool(true)) => Type::union([kind, Type::word("null")]),
            _ => kind,
        }
    }

    fn read_members(&mut self, fields: &'s Map<String, Value>, keyword: &str) -> Option<Vec<Type>> {
        let members = fields.get(keyword)?.as_array()?;
        if members.len() > MEMBERS {
            return Some(vec![Type::Unknown(Some(CUT))]);
        }
        (!members.is_empty()).then(|| members.iter().map(|member| self.read(member)).collect())
    }

    fn read_literals(&mut self, values: &[Value], fields: &'s Map<String, Value>) -> Type {
        match values.len() > LITERALS {
            false => Type::union(values.iter().map(literal)),
            true => match self.read_types(fields) {
                Type::Unknown(_) if values.iter().all(Value::is_string) => Type::word("string"),
                kind => kind,
            },
        }
    }

    /// Reads the type from `type`, or from the keywords that imply one.
    fn read_types(&mut self, fields: &'s Map<String, Value>) -> Type {
        match fields.get("type") {
            Some(Value::String(name)) => self.read_type(name, fields),
            Some(Value::Array(names)) => {
                let names: BTreeSet<&str> = names.iter().filter_map(Value::as_str).collect();
                let (null, others): (Vec<&str>, Vec<&str>) =
                    names.into_iter().partition(|name| *name == "null");
                let kinds: Vec<Type> = others
                    .into_iter()
                    .chain(null)
                    .map(|name| self.read_type(name, fields))
                    .collect();
                if kinds.is_empty() { Type::Unknown(None) } else { Type::union(kinds) }
            }
            _ if object::is_object_schema(fields) => object::read(self, fields),
            _ if fields.contains_key("items") || fields.contains_key("prefixItems") => {
                self.read_array(fields)
            }
            _ => Type::Unknown(None),
        }
    }

    fn read_type(&mut self, name: &str, fields: &'s Map<String, Value>) -> Type {
        match name {
            "string" | "boolean" | "null" | "number" => Type::word(name),
            "integer" => Type::word("number"),
            "array" => self.read_array(fields),
            "object" => object::read(self, fields),
            _ => Type::Unknown(None),
        }
    }

    fn read_array(&mut self, fields: &'s Map<String, Value>) -> Type {
        let items = fields.get("items");
        // Draft 7 has the elements of a tuple under `items`, and the rest under `additionalItems`.
        let (elements, rest) = match (fields.get("prefixItems"), items) {
            (Some(Value::Array(elements)), rest) => (elements, rest),
            (_, Some(Value::Array(elements))) => (elements, fields.get("additionalItems")),
            (_, Some(items)) => return Type::Array(Box::new(self.read(items))),
            (_, None) => return Type::Array(Box::new(Type::Unknown(None))),
        };
        if elements.len() > ELEMENTS {
            return Type::Array(Box::new(Type::Unknown(Some(CUT))));
        }
        let count = |keyword: &str| {
            fields.get(keyword).and_then(Value::as_u64).and_then(|it| usize::try_from(it).ok())
        };
        // Without `minItems` the standard allows a shorter tuple, but no author of a tuple means
        // that.
        let minimum = count("minItems").unwrap_or(elements.len());
        let closed = count("maxItems").is_some_and(|most| most <= elements.len());
        let kinds: Vec<TupleElement> = elements
            .iter()
            .enumerate()
            .map(|(index, element)| TupleElement {
                kind: self.read(element),
                presence: if index < minimum {
                    FieldPresence::Required
                } else {
                    FieldPresence::Optional
                },
            })
            .collect();
        let rest = match rest {
            _ if closed => None,
            Some(Value::Bool(false)) => None,
            Some(schema) => Some(Box::new(self.read(schema))),
            None => Some(Box::new(Type::Unknown(None))),
        };
        Type::Tuple(kinds, rest)
    }

    fn read_reference(&mut self, reference: &'s str) -> Type {
        let Some(schema) = target(self.root, reference) else {
            return Type::Unknown(Some(REMOTE));
        };
        if contains_itself(self.root, reference) {
            return Type::Unknown(Some(CYCLE));
        }
        match &mut self.references {
            ReferenceMode::Named(name) => Type::word(name(reference)),
            ReferenceMode::Inline if self.expanding.contains(&reference) => {
                Type::Unknown(Some(CYCLE))
            }
            ReferenceMode::Inline => {
                self.expanding.push(reference);
                let kind = self.read(schema);
                self.expanding.pop();
                kind
            }
        }
    }
}

/// Returns the schema that a reference within `root` points at.
fn target<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    match reference.strip_prefix('#')? {
        "" => Some(root),
        pointer => root.pointer(pointer).or_else(|| {
            pointer.contains('%').then(|| root.pointer(&percent_decode(pointer))).flatten()
        }),
    }
}

/// Decodes a pointer in a URI's fragment, which has special characters as `%20`.
fn percent_decode(pointer: &str) -> String {
    let mut bytes = Vec::with_capacity(pointer.len());
    let mut rest = pointer.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| *first == b'%');
        let byte = hex
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reports whether the target of a reference is itself, or one of the alternatives or parts of
/// itself: no type can express that.
fn contains_itself(root: &Value, reference: &str) -> bool {
    let mut visited: BTreeSet<&str> = BTreeSet::new();
    let mut pending: Vec<&Value> = target(root, reference).into_iter().collect();
    let mut remaining = PARTS;
    while let Some(schema) = pending.pop() {
        // A schema that is too large to inspect counts as one that contains itself.
        if remaining == 0 {
            return true;
        }
        remaining -= 1;
        if let Some(next) = schema.get("$ref").and_then(Value::as_str) {
            if next == reference {
                return true;
            }
            if visited.insert(next) {
                pending.extend(target(root, next));
            }
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let members = schema.get(keyword).and_then(Value::as_array);
            pending.extend(members.into_iter().flatten().take(MEMBERS));
        }
    }
    false
}

fn literal(value: &Value) -> Type {
    match value {
        Value::String(text) if text.len() <= LITERAL => Type::word(quoted(text)),
        Value::String(_) => Type::word("string"),
        Value::Array(_) | Value::Object(_) => Type::Unknown(None),
        plain => Type::word(plain.to_string()),
    }
}

//! Objects of a schema: fields, records, and what is said of a field.
//!
//! A schema that says nothing of further keys allows them. The type does not: nobody means to
//! misspell a field. A schema that says so (`additionalProperties: true`) has its way.

use super::reader::SchemaReader;
use super::text::comment;
use super::types::{FieldPresence, ObjectField, Type};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Most fields of one object.
const FIELDS: usize = 200;
/// Longest name of a field, in bytes.
const NAME: usize = 200;
/// Longest note of a field, in characters.
const NOTE: usize = 400;
/// Most types that the value of any key may have; with more, it is anything.
const KINDS: usize = 4;

/// Returns whether a schema without a type speaks of an object.
pub(super) fn is_meant(fields: &Map<String, Value>) -> bool {
    ["properties", "patternProperties", "additionalProperties"]
        .iter()
        .any(|keyword| fields.get(*keyword).is_some_and(Value::is_object))
}

/// Reads an object.
pub(super) fn read<'s>(reader: &mut SchemaReader<'s, '_>, schema: &'s Map<String, Value>) -> Type {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required: BTreeSet<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let others = others(reader, schema);
    let presence = |name: &str| match required.contains(name) {
        true => FieldPresence::Required,
        false => FieldPresence::Optional,
    };
    let is_short = |name: &str| name.len() <= NAME;
    let mut fields: Vec<ObjectField> = properties
        .into_iter()
        .flatten()
        .filter(|(name, _)| is_short(name))
        .take(FIELDS)
        .map(|(name, schema)| ObjectField {
            name: name.clone(),
            kind: reader.read(schema),
            presence: presence(name),
            note: note(schema),
        })
        .collect();
    let known = properties.map_or(0, Map::len);
    let cut = known > fields.len();
    for name in required.into_iter().filter(|name| is_short(name)) {
        let declared = properties.is_some_and(|properties| properties.contains_key(name));
        if !declared && fields.len() < FIELDS {
            let kind = match &others {
                AdditionalKeys::Of(kind) => kind.clone(),
                _ => Type::Unknown(None),
            };
            fields.push(ObjectField {
                name: name.into(),
                kind,
                presence: FieldPresence::Required,
                note: None,
            });
        }
    }
    let index = index(&fields, others, cut);
    Type::Object(fields, index.map(Box::new))
}

/// What a schema says of keys that it does not name.
enum AdditionalKeys {
    /// Nothing.
    Unsaid,
    /// There are none.
    None,
    /// They have this type.
    Of(Type),
}

fn others<'s>(reader: &mut SchemaReader<'s, '_>, schema: &'s Map<String, Value>) -> AdditionalKeys {
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    let mut kinds: Vec<Type> = patterns
        .into_iter()
        .flatten()
        .take(FIELDS)
        .map(|(_, schema)| reader.read(schema))
        .collect();
    let additional =
        schema.get("additionalProperties").or_else(|| schema.get("unevaluatedProperties"));
    match additional {
        Some(Value::Bool(false)) if kinds.is_empty() => return AdditionalKeys::None,
        None if kinds.is_empty() => return AdditionalKeys::Unsaid,
        None | Some(Value::Bool(false)) => {}
        Some(schema) => kinds.push(reader.read(schema)),
    }
    AdditionalKeys::Of(Type::union(kinds))
}

/// The type of all keys together: TypeScript wants the fields to fit in it.
fn index(fields: &[ObjectField], others: AdditionalKeys, cut: bool) -> Option<Type> {
    if cut {
        return Some(Type::Unknown(None));
    }
    match others {
        AdditionalKeys::Unsaid if fields.is_empty() => Some(Type::Unknown(None)),
        AdditionalKeys::None if fields.is_empty() => Some(Type::Never),
        AdditionalKeys::Unsaid | AdditionalKeys::None => None,
        AdditionalKeys::Of(kind) if fields.is_empty() => Some(kind),
        AdditionalKeys::Of(kind) => {
            let mut kinds = vec![kind];
            kinds.extend(fields.iter().map(|field| field.kind.clone()));
            if fields.iter().any(|field| field.presence == FieldPresence::Optional) {
                kinds.push(Type::word("undefined"));
            }
            match Type::union(kinds) {
                Type::Union(kinds) if kinds.len() > KINDS => Some(Type::Unknown(None)),
                kind => Some(kind),
            }
        }
    }
}

/// What is said of a field: its description and its default, ready for a comment.
fn note(schema: &Value) -> Option<String> {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut note = comment(text, NOTE);
    if let Some(default) = schema.get("default") {
        let default = comment(&default.to_string(), NOTE / 4);
        note.push_str(if note.is_empty() { "@default " } else { " @default " });
        note.push_str(&default);
    }
    (!note.is_empty()).then_some(note)
}

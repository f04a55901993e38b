//! Reads object schemas: fields, records, and the notes of fields.
//!
//! A schema that does not mention further keys allows them. The type does not, because such a key
//! is most likely a misspelled field. A schema that allows them explicitly
//! (`additionalProperties: true`) gives a type that does too.

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
/// Most types in the union for further keys; a larger union becomes `unknown`.
const KINDS: usize = 4;

/// Reports whether a schema without a `type` describes an object.
pub(super) fn is_object_schema(fields: &Map<String, Value>) -> bool {
    ["properties", "patternProperties", "additionalProperties"]
        .iter()
        .any(|keyword| fields.get(*keyword).is_some_and(Value::is_object))
}

/// Reads an object schema.
pub(super) fn read<'s>(reader: &mut SchemaReader<'s, '_>, schema: &'s Map<String, Value>) -> Type {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required: BTreeSet<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let additional_keys = additional_keys(reader, schema);
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
            let kind = match &additional_keys {
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
    let index_type = index_type(&fields, additional_keys, cut);
    Type::Object(fields, index_type.map(Box::new))
}

/// The keys that a schema does not name.
enum AdditionalKeys {
    /// The schema does not mention them.
    Unspecified,
    /// The schema forbids them.
    None,
    /// The schema gives them this type.
    Of(Type),
}

fn additional_keys<'s>(
    reader: &mut SchemaReader<'s, '_>,
    schema: &'s Map<String, Value>,
) -> AdditionalKeys {
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
        None if kinds.is_empty() => return AdditionalKeys::Unspecified,
        None | Some(Value::Bool(false)) => {}
        Some(schema) => kinds.push(reader.read(schema)),
    }
    AdditionalKeys::Of(Type::union(kinds))
}

/// Returns the type of the index signature: TypeScript requires that it includes the types of all
/// fields.
fn index_type(fields: &[ObjectField], additional_keys: AdditionalKeys, cut: bool) -> Option<Type> {
    if cut {
        return Some(Type::Unknown(None));
    }
    match additional_keys {
        AdditionalKeys::Unspecified if fields.is_empty() => Some(Type::Unknown(None)),
        AdditionalKeys::None if fields.is_empty() => Some(Type::Never),
        AdditionalKeys::Unspecified | AdditionalKeys::None => None,
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

/// Returns the description and the default of a field, ready for a comment.
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

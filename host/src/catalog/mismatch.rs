//! Mismatches between arguments and a schema, with messages for people.

use super::wording;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;
use std::fmt;

/// Most mismatches reported for one call.
const MISMATCHES: usize = 8;

/// A mismatch between arguments and a schema. Its `Display` names the field and the expected value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// The location, as a JSON pointer: the wrong value, or the object that lacks a field or has an
    /// unknown one.
    pub path: String,
    /// The kind of mismatch.
    pub kind: MismatchKind,
    /// Whether the value is wrong only because of another part of the arguments.
    pub(crate) conditional: bool,
    message: String,
}

/// The kind of mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MismatchKind {
    /// The value has another type.
    Type,
    /// A required field is missing.
    Missing(String),
    /// The object has fields that the schema does not name.
    Unknown(Vec<String>),
    /// The list is too long or too short.
    Length,
    /// The value is not an allowed one.
    Value,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Returns the first mismatches that pass the filter.
pub(super) fn from_errors<'e>(
    schema: &Value,
    errors: impl Iterator<Item = ValidationError<'e>>,
    filter: impl Fn(&Mismatch) -> bool,
) -> Vec<Mismatch> {
    errors.filter_map(|error| from_error(schema, &error)).filter(filter).take(MISMATCHES).collect()
}

fn from_error(schema: &Value, error: &ValidationError<'_>) -> Option<Mismatch> {
    let path = error.instance_path().as_str();
    let rule = error.schema_path().as_str();
    let instance = error.instance();
    if instance.is_null() && is_nullable(schema, rule) {
        return None;
    }
    let field = wording::field(path);
    let (kind, message) = match error.kind() {
        // The regular expression engine gave up: the server checks the value itself.
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => return None,
        Kind::Type { kind } => {
            (MismatchKind::Type, wording::wrong_type(&field, types(kind), instance))
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let message = format!("{} is missing", wording::field_in(path, name));
            (MismatchKind::Missing(name.into()), message)
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known = schema.pointer(&format!("{}/properties", parent(rule)));
            let message = wording::unknown_fields(path, unexpected, known);
            (MismatchKind::Unknown(unexpected.clone()), message)
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            return Some(from_alternatives(schema, path, instance, context));
        }
        Kind::Enum { options } => (MismatchKind::Value, wording::one_of(&field, options)),
        Kind::Constant { expected_value } => {
            (MismatchKind::Value, format!("{field} must be {}", wording::value(expected_value)))
        }
        kind @ (Kind::MinItems { .. } | Kind::MaxItems { .. } | Kind::AdditionalItems { .. }) => {
            (MismatchKind::Length, wording::out_of_bounds(&field, kind))
        }
        kind => (MismatchKind::Value, wording::out_of_bounds(&field, kind)),
    };
    Some(Mismatch { path: path.into(), kind, conditional: is_conditional(rule), message })
}

/// Reports whether a rule applies only if another one does. Errors inside `anyOf` and similar
/// keywords are reported by that keyword itself.
fn is_conditional(rule: &str) -> bool {
    rule.split('/').any(|segment| {
        matches!(segment, "if" | "then" | "else" | "not" | "contains")
            || segment.starts_with("depend")
            || segment.starts_with("unevaluated")
    })
}

fn types(kind: &TypeKind) -> Vec<&'static str> {
    match kind {
        TypeKind::Single(one) => vec![one.as_str()],
        TypeKind::Multiple(several) => several.into_iter().map(JsonType::as_str).collect(),
    }
}

/// Describes alternatives by their types, if each of them fails by its type; else by the one that
/// fits best.
fn from_alternatives(
    schema: &Value,
    path: &str,
    instance: &Value,
    context: &[Vec<ValidationError<'static>>],
) -> Mismatch {
    let field = wording::field(path);
    let is_type = |error: &ValidationError<'_>| {
        matches!(error.kind(), Kind::Type { .. }) && error.instance_path().as_str() == path
    };
    let by_type: Option<Vec<&'static str>> = context
        .iter()
        .map(|errors| match errors.iter().find(|error| is_type(error))?.kind() {
            Kind::Type { kind } => Some(types(kind)),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()
        .map(|types| types.concat());
    let message = match by_type {
        Some(types) => wording::wrong_type(&field, types, instance),
        None => {
            let nearest = context
                .iter()
                .filter(|errors| !errors.iter().any(is_type))
                .min_by_key(|errors| errors.len())
                .and_then(|errors| errors.iter().find_map(|error| from_error(schema, error)));
            match nearest {
                Some(Mismatch { message, .. }) => message,
                None => format!("{field} fits none of the forms that are allowed"),
            }
        }
    };
    Mismatch { path: path.into(), kind: MismatchKind::Value, conditional: false, message }
}

fn parent(rule: &str) -> &str {
    rule.rsplit_once('/').map_or("", |(before, _)| before)
}

fn is_nullable(schema: &Value, rule: &str) -> bool {
    let nullable = schema.pointer(parent(rule)).and_then(|schema| schema.get("nullable"));
    nullable == Some(&Value::Bool(true))
}

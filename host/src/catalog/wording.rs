//! Messages for mismatches. All text from a schema or from arguments is escaped and cut.

use crate::model::{cut, escape, nearest};
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

/// Longest piece of a schema or of arguments that is quoted, in characters.
const QUOTE: usize = 80;
/// Most values of an `enum` that are listed.
const LISTED: usize = 10;

/// Returns the name of a field for people: `/a/0/b` is `` `a[0].b` ``.
pub(super) fn field(path: &str) -> String {
    match dotted_path(path) {
        name if name.is_empty() => "the arguments".into(),
        name => format!("`{name}`"),
    }
}

/// Returns the name of the field `name` of the object at `path`, for people.
pub(super) fn field_in(path: &str, name: &str) -> String {
    match dotted_path(path) {
        parent if parent.is_empty() => format!("`{}`", quote(name)),
        parent => format!("`{parent}.{}`", quote(name)),
    }
}

fn dotted_path(path: &str) -> String {
    let mut name = String::new();
    for segment in path.split('/').skip(1) {
        let segment = segment.replace("~1", "/").replace("~0", "~");
        match segment.parse::<usize>() {
            Ok(index) => name.push_str(&format!("[{index}]")),
            Err(_) if name.is_empty() => name.push_str(&quote(&segment)),
            Err(_) => name.push_str(&format!(".{}", quote(&segment))),
        }
    }
    cut(&name, QUOTE * 2)
}

/// Returns the message for a value that has another type.
pub(super) fn wrong_type(field: &str, types: Vec<&'static str>, value: &Value) -> String {
    let mut names: Vec<&str> = Vec::new();
    // The type number includes integers; null comes last.
    let wanted = |name: &&str| *name != "integer" || !types.contains(&"number");
    for name in types.iter().copied().filter(wanted).map(with_article) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.sort_by_key(|name| *name == "null");
    let names = match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, first)) => format!("{} or {last}", first.join(", ")),
        None => "something else".into(),
    };
    let given = with_article(match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    });
    format!("{field} must be {names}, not {given}")
}

fn with_article(name: &str) -> &'static str {
    match name {
        "array" => "an array",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        "object" => "an object",
        "string" => "a string",
        _ => "null",
    }
}

/// Returns the message for fields that the schema does not name.
pub(super) fn unknown_fields(path: &str, unexpected: &[String], known: Option<&Value>) -> String {
    let first = unexpected.first().map_or("", String::as_str);
    let rest = match unexpected.len() {
        0 | 1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    let known: Vec<&str> = known
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    let suggestion = match nearest(first, known).first() {
        Some(name) => format!(", did you mean `{}`?", quote(name)),
        None => String::new(),
    };
    format!("{}{rest} is not known here{suggestion}", field_in(path, first))
}

/// Returns the message for a value that is not one of the allowed ones.
pub(super) fn one_of(field: &str, options: &Value) -> String {
    let options = options.as_array().map_or(&[][..], Vec::as_slice);
    let mut listed: Vec<String> = options.iter().take(LISTED).map(value).collect();
    if options.len() > LISTED {
        listed.push("…".into());
    }
    format!("{field} must be one of {}", cut(&listed.join(", "), QUOTE * 3))
}

/// Returns a value as JSON, escaped and cut.
pub(super) fn value(value: &Value) -> String {
    quote(&value.to_string())
}

/// Returns the message for a value that is out of bounds.
pub(super) fn out_of_bounds(field: &str, kind: &Kind) -> String {
    match kind {
        Kind::Minimum { limit } => format!("{field} must be at least {limit}"),
        Kind::Maximum { limit } => format!("{field} must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("{field} must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("{field} must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => {
            format!("{field} must be a multiple of {multiple_of}")
        }
        Kind::MinLength { limit } => format!("{field} must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("{field} must have at most {limit} characters"),
        Kind::MinItems { limit } => format!("{field} must have at least {limit} items"),
        Kind::MaxItems { limit } => format!("{field} must have at most {limit} items"),
        Kind::AdditionalItems { limit } => format!("{field} must have at most {limit} items"),
        Kind::MinProperties { limit } => format!("{field} must have at least {limit} fields"),
        Kind::MaxProperties { limit } => format!("{field} must have at most {limit} fields"),
        Kind::UniqueItems => format!("{field} must not have an item twice"),
        Kind::Pattern { pattern } => format!("{field} must match `{}`", quote(pattern)),
        Kind::OneOfMultipleValid { .. } => {
            format!("{field} fits more than one of the forms of which one is allowed")
        }
        Kind::FalseSchema => format!("{field} must not be there"),
        kind => format!("{field} breaks the rule `{}` of its schema", quote(kind.keyword())),
    }
}

fn quote(text: &str) -> String {
    escape(&cut(text, QUOTE)).replace('\n', "\\n")
}

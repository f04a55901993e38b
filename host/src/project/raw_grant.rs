//! One grant as it is typed in `permissions.grants`.

use super::fields::{FieldReader, LocatedText, Scalar, shown};
use crate::error::Error;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

/// Maximum number of grants: more than anybody was ever asked about.
const GRANTS: usize = 10_000;

/// The keys of a grant.
pub(super) const GRANT_KEYS: &[&str] =
    &["tool", "definition", "server", "package", "version", "where", "granted"];

/// The keys of a condition.
pub(super) const CONDITION_KEYS: &[&str] = &["under", "host", "equals", "any"];

/// A grant as typed.
#[derive(Clone, Debug, Default)]
pub(super) struct RawGrant {
    /// Its position.
    pub(super) at: usize,
    pub(super) tool: Option<LocatedText>,
    pub(super) definition: Option<LocatedText>,
    pub(super) server: Option<LocatedText>,
    pub(super) package: Option<LocatedText>,
    /// The version of its conditions.
    pub(super) version: Option<Scalar>,
    pub(super) conditions: Vec<RawCondition>,
    pub(super) granted: Option<LocatedText>,
}

/// A condition as typed.
#[derive(Clone, Debug)]
pub(super) struct RawCondition {
    pub(super) argument: LocatedText,
    pub(super) key: &'static str,
    pub(super) value: serde_json::Value,
}

/// Reads `permissions.grants`.
pub(super) fn grants(reader: FieldReader<'_>, value: &Value<'_>) -> Result<Vec<RawGrant>, Error> {
    let list = reader.list(value, "`permissions.grants`")?;
    if let Some(first) = list.get(GRANTS) {
        let message = format!("`permissions.grants` has more than {GRANTS} grants");
        return Err(reader.document.error_at(first.start(), message));
    }
    list.iter().map(|value| grant(reader, value)).collect()
}

fn grant(reader: FieldReader<'_>, value: &Value<'_>) -> Result<RawGrant, Error> {
    let mut raw = RawGrant { at: value.start(), ..RawGrant::default() };
    for (key, property) in reader.fields(value, "a grant", GRANT_KEYS)? {
        let (value, what) = (&property.value, format!("`{key}` of a grant"));
        match key {
            "tool" => raw.tool = Some(reader.text(value, &what)?),
            "definition" => raw.definition = Some(reader.text(value, &what)?),
            "server" => raw.server = Some(reader.text(value, &what)?),
            "package" => raw.package = Some(reader.text(value, &what)?),
            "version" => raw.version = Some(reader.scalar(value, &what)?),
            "where" => raw.conditions = conditions(reader, value)?,
            _ => raw.granted = Some(reader.text(value, &what)?),
        }
    }
    Ok(raw)
}

fn conditions(reader: FieldReader<'_>, value: &Value<'_>) -> Result<Vec<RawCondition>, Error> {
    let mut conditions = Vec::new();
    let properties = &reader.object(value, "`where` of a grant")?.properties;
    if properties.is_empty() {
        let hint = "remove `where` to allow all arguments, or the whole grant to allow none";
        let message = "`where` of a grant has no condition";
        return Err(reader.document.error_at(value.start(), message).with_hint(hint));
    }
    for property in properties {
        let name = property.name.as_str();
        let argument = LocatedText { value: name.into(), at: property.start() };
        let what = format!("the condition on {}", shown(name));
        let fields = reader.fields(&property.value, &what, CONDITION_KEYS)?;
        // A named argument without a condition is a mistake.
        if fields.is_empty() {
            let hint = format!("a condition has one of `{}`", CONDITION_KEYS.join("`, `"));
            let message = format!("{what} is empty");
            return Err(reader.document.error_at(argument.at, message).with_hint(hint));
        }
        if let (Some((_, any)), true) =
            (fields.iter().find(|(key, _)| *key == "any"), fields.len() > 1)
        {
            let message = format!("{what} has `any` beside another key");
            let error = reader.document.error_at(any.start(), message);
            return Err(error.with_hint("`any` allows every value: keep it alone, or remove it"));
        }
        for (key, property) in fields {
            let value = match key {
                "equals" => property.value.clone().into(),
                "any" if reader.boolean(&property.value, &format!("`any` of {what}"))? => {
                    true.into()
                }
                "any" => {
                    let message = format!("`any` of {what} can only be `true`");
                    return Err(reader.document.error_at(property.start(), message));
                }
                _ => reader.text(&property.value, &format!("`{key}` of {what}"))?.value.into(),
            };
            conditions.push(RawCondition { argument: argument.clone(), key, value });
        }
    }
    Ok(conditions)
}

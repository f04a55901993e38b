//! Edits one entry of `permissions.grants` in place: the user's own text in and around it stays.

use super::edit::{cst_value, not_an_object};
use crate::error::Error;
use crate::model::{Clock, Code, Grant, GrantVersion, SystemClock, Timestamp, ToolOrigin};
use jsonc_parser::cst::{CstInputValue, CstObject};
use serde_json::Value;

/// Updates the tool's origin in an entry.
pub(super) fn update_origin(entry: &CstObject, grant: &Grant) -> Result<(), Error> {
    let origin = grant.origin.as_ref();
    let part = |part: fn(&ToolOrigin) -> Option<&str>| origin.and_then(part);
    let granted = granted_time(grant).to_string();
    for (key, value) in [
        ("definition", part(|origin| Some(&origin.definition))),
        ("server", part(|origin| Some(&origin.server))),
        ("package", part(|origin| origin.package.as_deref())),
        ("granted", Some(granted.as_str())),
    ] {
        let value = value.map(|value| CstInputValue::String(value.into()));
        match (entry.get(key), value) {
            (Some(property), Some(value)) => property.set_value(value),
            (Some(property), None) => property.remove(),
            (None, Some(value)) => drop(entry.append(key, value)),
            (None, None) => {}
        }
    }
    Ok(())
}

/// Updates the conditions of an entry and marks them with the current version. Conditions that stay
/// are not touched.
pub(super) fn update_conditions(entry: &CstObject, grant: &Grant) -> Result<(), Error> {
    let version = CstInputValue::Number(GrantVersion::NUMBER.to_string());
    let conditions = entry.object_value("where").ok_or_else(not_an_object)?;
    match entry.get("version") {
        Some(property) => property.set_value(version),
        None => drop(entry.append("version", version)),
    }
    let written = grant.written_conditions();
    for property in conditions.properties() {
        if !property.decoded_name().is_some_and(|name| written.contains_key(&name)) {
            property.remove();
        }
    }
    for (name, value) in &written {
        match conditions.get(name) {
            Some(property) if property.to_serde_value().as_ref() == Some(value) => {}
            Some(property) => property.set_value(cst_value(value)),
            None => drop(conditions.append(name, cst_value(value))),
        }
    }
    Ok(())
}

/// Returns the time at which a grant was given, or now if it has none.
pub(super) fn granted_time(grant: &Grant) -> Timestamp {
    grant.granted.unwrap_or_else(|| SystemClock.now())
}

/// Returns a grant in its file format.
pub(super) fn to_json(grant: &Grant) -> Result<Value, Error> {
    serde_json::to_value(grant)
        .map_err(|error| Error::new(Code::Internal, "cannot write a grant").with_source(error))
}

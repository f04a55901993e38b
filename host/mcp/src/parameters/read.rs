//! Reads parameters, and refuses wrong ones.

use rmcp::ErrorData;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads parameters. A refusal names `tool`.
pub(crate) fn read<T: DeserializeOwned>(
    tool: &str,
    arguments: Option<JsonObject>,
) -> Result<T, ErrorData> {
    serde_json::from_value(Value::Object(arguments.unwrap_or_default()))
        .map_err(|error| wrong(tool, &error.to_string()))
}

/// Returns the refusal of wrong parameters.
pub(crate) fn wrong(tool: &str, what: &str) -> ErrorData {
    ErrorData::invalid_params(format!("`{tool}`: {what}"), None)
}

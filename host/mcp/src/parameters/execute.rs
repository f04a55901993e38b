//! The parameters of `execute`.

use super::{ContinueParameters, read, wrong};
use crate::workflows::WorkflowName;
use pml::RunId;
use rmcp::ErrorData;
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::Value;

/// A request of `execute`.
#[derive(Debug, PartialEq)]
pub(crate) enum ExecuteParameters {
    /// Run this program.
    Code { code: String, inputs: Option<Value>, resume_from: Option<RunId> },
    /// Run a saved workflow.
    Workflow { name: WorkflowName },
    /// Record an answer, and continue.
    Continue(ContinueParameters),
    /// Read the next part of a result.
    Handle { handle: String, offset: usize },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawExecuteParameters {
    code: Option<String>,
    name: Option<String>,
    inputs: Option<JsonObject>,
    resume_from: Option<String>,
    continue_workflow: Option<Value>,
    handle: Option<String>,
    offset: Option<usize>,
}

impl ExecuteParameters {
    pub(crate) fn read(arguments: Option<JsonObject>) -> Result<ExecuteParameters, ErrorData> {
        let wrong = |what: &str| wrong("execute", what);
        let raw: RawExecuteParameters = read("execute", arguments)?;
        let RawExecuteParameters {
            code,
            name,
            inputs,
            resume_from,
            continue_workflow,
            handle,
            offset,
        } = raw;
        let given = [code.is_some(), name.is_some(), continue_workflow.is_some(), handle.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            return Err(wrong(
                "give exactly one of `code`, `name`, `continue_workflow` and `handle`",
            ));
        }
        if inputs.is_some() && code.is_none() && name.is_none() {
            return Err(wrong("`inputs` belongs to `code` or `name`"));
        }
        if resume_from.is_some() && code.is_none() {
            return Err(wrong("`resume_from` belongs to `code`"));
        }
        if offset.is_some() && handle.is_none() {
            return Err(wrong("`offset` belongs to `handle`"));
        }
        if let Some(code) = code {
            let resume_from = match resume_from {
                Some(text) => {
                    Some(text.parse().map_err(|_| wrong("`resume_from` is not a run id"))?)
                }
                None => None,
            };
            return Ok(ExecuteParameters::Code {
                code,
                inputs: inputs.map(Value::Object),
                resume_from,
            });
        }
        if let Some(name) = name {
            return Ok(ExecuteParameters::Workflow { name: WorkflowName::of(&name) });
        }
        if let Some(given) = continue_workflow {
            return ContinueParameters::read(given).map(ExecuteParameters::Continue);
        }
        Ok(ExecuteParameters::Handle {
            handle: handle.unwrap_or_default(),
            offset: offset.unwrap_or(0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ExecuteParameters;
    use serde_json::{Value, json};

    fn read(arguments: Value) -> Result<ExecuteParameters, String> {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        ExecuteParameters::read(Some(arguments)).map_err(|error| {
            assert_eq!(error.code.0, -32602);
            error.message.into_owned()
        })
    }

    #[test]
    fn exactly_one_thing_is_done() {
        assert!(matches!(read(json!({ "code": "1" })), Ok(ExecuteParameters::Code { .. })));
        for both in [json!({}), json!({ "code": "1", "name": "x" }), json!({ "inputs": {} })] {
            assert!(read(both).is_err_and(|message| message.contains("exactly one of")));
        }
        assert!(read(json!({ "name": "x", "offset": 1 })).is_err_and(|it| it.contains("`offset`")));
        assert!(read(json!({ "handle": "x", "inputs": {} })).is_err());
        assert!(read(json!({ "code": "1", "resume_from": "?" })).is_err());
    }

    #[test]
    fn a_wrong_parameter_is_named() {
        assert!(read(json!({ "cod": "1" })).is_err_and(|message| message.contains("`cod`")));
        assert!(read(json!({ "code": 1 })).is_err());
        assert!(read(json!({ "code": "1", "inputs": [1] })).is_err());
        assert!(read(json!({ "handle": "x", "offset": -1 })).is_err());
    }
}

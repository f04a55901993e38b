//! The parameters of `execute`.

use super::ContinueParameters;
use super::read::{Parameter, ParameterType, listed, read, wrong};
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

/// The parameters as they are given.
const KNOWN: &[Parameter] = &[
    Parameter::optional("code", ParameterType::Text),
    Parameter::optional("name", ParameterType::Text),
    Parameter::optional("inputs", ParameterType::Object),
    Parameter::optional("resume_from", ParameterType::Text),
    Parameter::optional("continue_workflow", ParameterType::Object),
    Parameter::optional("handle", ParameterType::Text),
    Parameter::optional("offset", ParameterType::Number),
];

#[derive(Deserialize)]
struct RawExecuteParameters {
    code: Option<String>,
    name: Option<String>,
    inputs: Option<JsonObject>,
    resume_from: Option<String>,
    continue_workflow: Option<JsonObject>,
    handle: Option<String>,
    offset: Option<usize>,
}

impl ExecuteParameters {
    pub(crate) fn read(arguments: Option<JsonObject>) -> Result<ExecuteParameters, ErrorData> {
        let raw: RawExecuteParameters = read(KNOWN, arguments)?;
        let RawExecuteParameters {
            code,
            name,
            inputs,
            resume_from,
            continue_workflow,
            handle,
            offset,
        } = raw;
        let given = [
            ("code", code.is_some()),
            ("name", name.is_some()),
            ("continue_workflow", continue_workflow.is_some()),
            ("handle", handle.is_some()),
        ];
        let given: Vec<_> = given.into_iter().filter(|(_, given)| *given).collect();
        match &given[..] {
            [_] => {}
            [] => {
                return Err(wrong(
                    "give `code`, the program to run; or `name`, `continue_workflow` or `handle`",
                ));
            }
            several => {
                let several = listed(several.iter().map(|(name, _)| *name));
                return Err(wrong(&format!("give only one of {several}")));
            }
        }
        if inputs.is_some() && code.is_none() && name.is_none() {
            return Err(wrong("`inputs` goes with `code` or `name` only"));
        }
        if resume_from.is_some() && code.is_none() {
            return Err(wrong("`resume_from` goes with `code` only: the program that goes on"));
        }
        if offset.is_some() && handle.is_none() {
            return Err(wrong("`offset` goes with `handle` only"));
        }
        if let Some(code) = code {
            let resume_from = match resume_from {
                Some(text) => Some(text.parse().map_err(|_| {
                    wrong("`resume_from` must be the `run_id` of an earlier answer")
                })?),
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
        let handle = read(json!({ "handle": "x", "code": null }));
        assert_eq!(handle, Ok(ExecuteParameters::Handle { handle: "x".into(), offset: 0 }));
    }
}

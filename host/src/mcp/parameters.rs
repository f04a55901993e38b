//! The parameters of our tools: understood as a whole, or refused with JSON-RPC's -32602 and a message that names the wrong one.

use super::library::Name;
use crate::{AskId, Decision, QuestionId, RunId};
use rmcp::ErrorData;
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// What `execute` is to do.
#[derive(Debug, PartialEq)]
pub(super) enum Execute {
    /// Run this program.
    Code { code: String, inputs: Option<Value>, resume_from: Option<RunId> },
    /// Run a saved workflow.
    Workflow { name: Name },
    /// Take an answer, and go on.
    Continue(Continue),
    /// Read on in a result.
    Handle { handle: String, offset: usize },
}

/// A person's answer as a client hands it on.
#[derive(Debug, PartialEq)]
pub(super) struct Continue {
    /// Nothing if the id is not one of ours.
    pub(super) question: Option<QuestionId>,
    pub(super) said: Said,
}

/// What was said to a question.
#[derive(Debug, PartialEq)]
pub(super) enum Said {
    All(Decision),
    Each(BTreeMap<AskId, SaidOfOne>),
}

/// What was said to one ask.
#[derive(Debug, PartialEq)]
pub(super) enum SaidOfOne {
    Decision(Decision),
    /// Always, under the conditions that were offered under this number, counted from 0.
    AlwaysWithin(usize),
}

impl Said {
    /// Returns whether a call is made because of it, or a result taken for its own.
    pub(super) fn approves(&self) -> bool {
        let approves =
            |decision: &Decision| decision.approves() || matches!(decision, Decision::Result(_));
        match self {
            Said::All(decision) => approves(decision),
            Said::Each(each) => each.values().any(|said| match said {
                SaidOfOne::Decision(decision) => approves(decision),
                SaidOfOne::AlwaysWithin(_) => true,
            }),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawExecute {
    code: Option<String>,
    name: Option<String>,
    inputs: Option<JsonObject>,
    resume_from: Option<String>,
    continue_workflow: Option<RawContinue>,
    handle: Option<String>,
    offset: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawContinue {
    workflow_id: String,
    approved: Option<bool>,
    #[serde(default)]
    always: bool,
    action: Option<Action>,
    answers: Option<BTreeMap<String, RawSaidOfOne>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Continue,
    Always,
    Abort,
    Replan,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Approve,
    Always,
    Decline,
    Abort,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "an answer is `approve`, `always`, `decline`, `abort`, `{\"result\": …}` or `{\"always\": n}`"
)]
enum RawSaidOfOne {
    Word(Word),
    Result(RawResult),
    Within(RawWithin),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawResult {
    result: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWithin {
    always: usize,
}

/// What `browse_components` is to look for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Browse {
    #[serde(default)]
    pub(super) query: String,
    #[serde(default = "yes")]
    pub(super) include_workflows: bool,
    pub(super) budget: Option<usize>,
}

fn yes() -> bool {
    true
}

/// What `list_library` is to list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    pub(super) pattern: Option<String>,
}

/// Which workflow `describe_workflow` is to describe.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Describe {
    pub(super) name: String,
}

/// What `save_to_library` is to save.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Save {
    pub(super) draft_name: String,
    pub(super) final_name: String,
    pub(super) description: String,
}

/// Reads parameters; `tool` is named in the refusal.
pub(super) fn read<T: DeserializeOwned>(
    tool: &str,
    arguments: Option<JsonObject>,
) -> Result<T, ErrorData> {
    serde_json::from_value(Value::Object(arguments.unwrap_or_default()))
        .map_err(|error| wrong(tool, &error.to_string()))
}

/// The refusal of wrong parameters.
pub(super) fn wrong(tool: &str, what: &str) -> ErrorData {
    ErrorData::invalid_params(format!("`{tool}`: {what}"), None)
}

impl Execute {
    pub(super) fn read(arguments: Option<JsonObject>) -> Result<Execute, ErrorData> {
        let wrong = |what: &str| wrong("execute", what);
        let raw: RawExecute = read("execute", arguments)?;
        let RawExecute { code, name, inputs, resume_from, continue_workflow, handle, offset } = raw;
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
            return Ok(Execute::Code { code, inputs: inputs.map(Value::Object), resume_from });
        }
        if let Some(name) = name {
            return Ok(Execute::Workflow { name: Name::of(&name) });
        }
        if let Some(raw) = continue_workflow {
            return Continue::of(raw).map(Execute::Continue);
        }
        Ok(Execute::Handle { handle: handle.unwrap_or_default(), offset: offset.unwrap_or(0) })
    }
}

impl Continue {
    /// Takes `continue_workflow` out of the arguments of any tool, where it is the only one.
    pub(super) fn among(arguments: &JsonObject) -> Result<Option<Continue>, ErrorData> {
        let Some(given) = arguments.get("continue_workflow").filter(|_| arguments.len() == 1)
        else {
            return Ok(None);
        };
        let raw = serde_json::from_value(given.clone())
            .map_err(|error| wrong("continue_workflow", &error.to_string()))?;
        Continue::of(raw).map(Some)
    }

    fn of(raw: RawContinue) -> Result<Continue, ErrorData> {
        let wrong = |what: &str| wrong("continue_workflow", what);
        let question = raw.workflow_id.parse().ok();
        if let Some(answers) = raw.answers {
            if raw.approved.is_some() || raw.action.is_some() || raw.always {
                return Err(wrong("give `answers`, or one answer for all"));
            }
            let each = answers.into_iter().map(|(ask, said)| {
                let ask =
                    ask.parse::<u32>().map_err(|_| wrong("`answers` are by the id of an ask"))?;
                Ok((AskId(ask), said.into()))
            });
            return Ok(Continue { question, said: Said::Each(each.collect::<Result<_, _>>()?) });
        }
        let decision = match (raw.action, raw.approved) {
            (Some(_), Some(_)) => return Err(wrong("give `approved` or `action`, not both")),
            (None, None) => return Err(wrong("`approved` is missing")),
            (Some(Action::Continue), None) | (None, Some(true)) if !raw.always => Decision::Approve,
            (Some(Action::Continue | Action::Always), None) | (None, Some(true)) => {
                Decision::Always
            }
            (Some(Action::Abort), None) | (None, Some(false)) => Decision::Abort,
            (Some(Action::Replan), None) => Decision::Replan,
        };
        Ok(Continue { question, said: Said::All(decision) })
    }
}

impl From<RawSaidOfOne> for SaidOfOne {
    fn from(said: RawSaidOfOne) -> SaidOfOne {
        SaidOfOne::Decision(match said {
            RawSaidOfOne::Word(Word::Approve) => Decision::Approve,
            RawSaidOfOne::Word(Word::Always) => Decision::Always,
            RawSaidOfOne::Word(Word::Decline) => Decision::Decline,
            RawSaidOfOne::Word(Word::Abort) => Decision::Abort,
            RawSaidOfOne::Result(RawResult { result }) => Decision::Result(result),
            RawSaidOfOne::Within(RawWithin { always }) => return SaidOfOne::AlwaysWithin(always),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Continue, Execute, Said, SaidOfOne};
    use crate::{AskId, Decision, QuestionId};
    use serde_json::{Value, json};

    fn read(arguments: Value) -> Result<Execute, String> {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        Execute::read(Some(arguments)).map_err(|error| {
            assert_eq!(error.code.0, -32602);
            error.message.into_owned()
        })
    }

    fn said(answer: Value) -> Result<Said, String> {
        match read(json!({ "continue_workflow": answer }))? {
            Execute::Continue(Continue { said, .. }) => Ok(said),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn exactly_one_thing_is_done() {
        assert!(matches!(read(json!({ "code": "1" })), Ok(Execute::Code { .. })));
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

    #[test]
    fn an_answer_is_for_all_asks_or_for_each() {
        let id = QuestionId::new().to_string();
        let with = |answer: Value| {
            let mut answer = answer;
            answer["workflow_id"] = json!(id);
            said(answer)
        };
        assert_eq!(with(json!({ "approved": true })), Ok(Said::All(Decision::Approve)));
        assert_eq!(
            with(json!({ "approved": true, "always": true })),
            Ok(Said::All(Decision::Always))
        );
        assert_eq!(with(json!({ "approved": false })), Ok(Said::All(Decision::Abort)));
        assert_eq!(with(json!({ "action": "replan" })), Ok(Said::All(Decision::Replan)));
        let each = |each: [(u32, SaidOfOne); 2]| {
            Ok(Said::Each(each.into_iter().map(|(ask, said)| (AskId(ask), said)).collect()))
        };
        let decision = SaidOfOne::Decision;
        assert_eq!(
            with(json!({ "answers": { "1": "approve", "2": "decline" } })),
            each([(1, decision(Decision::Approve)), (2, decision(Decision::Decline))])
        );
        let result = Decision::Result(json!({ "n": 1 }));
        assert_eq!(
            with(json!({ "answers": { "1": { "result": { "n": 1 } }, "2": { "always": 0 } } })),
            each([(1, decision(result)), (2, SaidOfOne::AlwaysWithin(0))])
        );
        for wrong in [json!("yes"), json!(true), json!({ "always": -1 }), json!({ "resul": 1 })] {
            assert!(with(json!({ "answers": { "1": wrong } })).is_err());
        }
        assert!(with(json!({})).is_err());
        assert!(with(json!({ "approved": true, "action": "abort" })).is_err());
        assert!(with(json!({ "approved": true, "answers": {} })).is_err());
        assert!(with(json!({ "answers": { "one": "approve" } })).is_err());
    }

    #[test]
    fn only_what_makes_a_call_or_gives_it_a_result_approves() {
        let id = QuestionId::new().to_string();
        let approves = |mut answer: Value| {
            answer["workflow_id"] = json!(id);
            said(answer).map(|said| said.approves())
        };
        for yes in [
            json!({ "approved": true }),
            json!({ "action": "always" }),
            json!({ "answers": { "1": "decline", "2": "approve" } }),
            json!({ "answers": { "1": { "result": 1 } } }),
            json!({ "answers": { "1": { "always": 0 } } }),
        ] {
            assert_eq!(approves(yes.clone()), Ok(true), "{yes}");
        }
        for no in [
            json!({ "approved": false }),
            json!({ "action": "replan" }),
            json!({ "answers": { "1": "decline", "2": "abort" } }),
        ] {
            assert_eq!(approves(no.clone()), Ok(false), "{no}");
        }
    }
}

//! `continue_workflow`: a person's answer, as the client reports it.

use super::read::{Parameter, ParameterType, read_object, wrong};
use pml::{Ask, Decision, QuestionId, approval::AskId};
use rmcp::ErrorData;
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A person's answer, as the client reports it.
#[derive(Debug, PartialEq)]
pub(crate) struct ContinueParameters {
    /// `None` if the id does not belong to this server.
    pub(crate) question: Option<QuestionId>,
    pub(crate) answer: WorkflowAnswer,
    /// The digests that were shown, if the client sends them.
    pub(crate) digests: ShownDigests,
}

/// The digests of the asks that a client was shown, or their prefixes.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ShownDigests {
    /// The digest of the only ask.
    pub(crate) only: Option<DigestPrefix>,
    pub(crate) each: BTreeMap<AskId, DigestPrefix>,
}

/// The beginning of a digest: long enough that another ask with the same beginning cannot be found
/// by trying.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct DigestPrefix(String);

/// Minimum number of digits of a digest.
const MIN_DIGITS: usize = 8;

impl DigestPrefix {
    pub(crate) fn is_of(&self, ask: &Ask) -> bool {
        ask.digest().starts_with(&self.0)
    }
}

impl TryFrom<String> for DigestPrefix {
    type Error = &'static str;

    fn try_from(text: String) -> Result<DigestPrefix, &'static str> {
        let digits = (MIN_DIGITS..=64).contains(&text.len());
        match digits && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Ok(DigestPrefix(text.to_ascii_lowercase())),
            false => Err("a digest is 8 to 64 hex digits"),
        }
    }
}

/// An answer to a question.
#[derive(Debug, PartialEq)]
pub(crate) enum WorkflowAnswer {
    All(Decision),
    Each(BTreeMap<AskId, AskAnswer>),
}

/// An answer to one ask.
#[derive(Debug, PartialEq)]
pub(crate) enum AskAnswer {
    Decision(Decision),
    /// Always, under the offered conditions with this number, counted from 0.
    AlwaysWithin(usize),
}

impl WorkflowAnswer {
    /// Reports whether the answer sends a call, or supplies the result of one.
    pub(crate) fn approves(&self) -> bool {
        let approves =
            |decision: &Decision| decision.approves() || matches!(decision, Decision::Result(_));
        match self {
            WorkflowAnswer::All(decision) => approves(decision),
            WorkflowAnswer::Each(each) => each.values().any(|answer| match answer {
                AskAnswer::Decision(decision) => approves(decision),
                AskAnswer::AlwaysWithin(_) => true,
            }),
        }
    }
}

/// The fields as they are given.
const KNOWN: &[Parameter] = &[
    Parameter::required("workflow_id", ParameterType::Text),
    Parameter::optional("approved", ParameterType::Flag),
    Parameter::optional("always", ParameterType::Flag),
    Parameter::optional("action", ParameterType::Word(&["continue", "always", "abort", "replan"])),
    Parameter::optional("answers", ParameterType::Object),
    Parameter::optional("digest", ParameterType::Text),
];

#[derive(Deserialize)]
struct RawContinueParameters {
    workflow_id: String,
    approved: Option<bool>,
    #[serde(default)]
    always: bool,
    action: Option<QuestionAction>,
    answers: Option<BTreeMap<String, RawAnswer>>,
    digest: Option<DigestPrefix>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum QuestionAction {
    Continue,
    Always,
    Abort,
    Replan,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnswerWord {
    Approve,
    Always,
    Decline,
    Abort,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "an answer is `approve`, `always`, `always_1`, `decline`, `abort`, `{\"result\": …}` or `{\"always\": n}`"
)]
enum RawAskAnswer {
    Word(AnswerWord),
    Numbered(AlwaysOption),
    Result(RawResultAnswer),
    Within(RawAlwaysAnswer),
}

/// An answer to one ask, with or without the digest of that ask.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "an answer is `approve`, `always`, `always_1`, `decline`, `abort`, `{\"result\": …}`, `{\"always\": n}` or one of these with what it is about: `{\"answer\": …, \"digest\": …}`"
)]
enum RawAnswer {
    Bound(RawBoundAnswer),
    Plain(RawAskAnswer),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBoundAnswer {
    answer: RawAskAnswer,
    digest: DigestPrefix,
}

/// `always_1`, `always_2` and so on, as they are offered.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct AlwaysOption(usize);

impl TryFrom<String> for AlwaysOption {
    type Error = &'static str;

    fn try_from(word: String) -> Result<AlwaysOption, &'static str> {
        let number = word.strip_prefix("always_").and_then(|number| number.parse::<usize>().ok());
        number
            .and_then(|number| number.checked_sub(1))
            .map(AlwaysOption)
            .ok_or("it is no such word")
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawResultAnswer {
    result: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAlwaysAnswer {
    always: usize,
}

impl ContinueParameters {
    /// Takes `continue_workflow` out of the arguments of any tool, if it is the only argument.
    pub(crate) fn from_arguments(
        arguments: &JsonObject,
    ) -> Result<Option<ContinueParameters>, ErrorData> {
        let Some(given) = arguments.get("continue_workflow").filter(|_| arguments.len() == 1)
        else {
            return Ok(None);
        };
        match given {
            Value::Object(given) => ContinueParameters::read(given.clone()).map(Some),
            _ => Err(wrong("`continue_workflow` must be an object")),
        }
    }

    /// Reads the fields of `continue_workflow`.
    pub(super) fn read(given: JsonObject) -> Result<ContinueParameters, ErrorData> {
        ContinueParameters::of(read_object("continue_workflow.", KNOWN, given)?)
    }

    fn of(raw: RawContinueParameters) -> Result<ContinueParameters, ErrorData> {
        let wrong = |what: &str| wrong(&format!("`continue_workflow`: {what}"));
        let question = raw.workflow_id.parse().ok();
        if let Some(answers) = raw.answers {
            if raw.approved.is_some() || raw.action.is_some() || raw.always {
                return Err(wrong("give `answers` for each ask, or one answer for all, not both"));
            }
            let mut digests = ShownDigests { only: raw.digest, ..ShownDigests::default() };
            let mut each = BTreeMap::new();
            for (ask, answer) in answers {
                let ask = ask.parse::<u32>().map(AskId);
                let ask = ask.map_err(|_| {
                    wrong("`answers` are by the id of an ask: {\"1\": \"approve\"}")
                })?;
                let answer = match answer {
                    RawAnswer::Plain(answer) => answer,
                    RawAnswer::Bound(RawBoundAnswer { answer, digest }) => {
                        digests.each.insert(ask, digest);
                        answer
                    }
                };
                each.insert(ask, answer.into());
            }
            return Ok(ContinueParameters {
                question,
                answer: WorkflowAnswer::Each(each),
                digests,
            });
        }
        let digests = ShownDigests { only: raw.digest, ..ShownDigests::default() };
        let decision = match (raw.action, raw.approved) {
            (Some(_), Some(_)) => return Err(wrong("give `approved` or `action`, not both")),
            (None, None) => return Err(wrong("`approved` is missing: it must be true or false")),
            (Some(QuestionAction::Continue), None) | (None, Some(true)) if !raw.always => {
                Decision::Approve
            }
            (Some(QuestionAction::Continue | QuestionAction::Always), None)
            | (None, Some(true)) => Decision::Always,
            (Some(QuestionAction::Abort), None) | (None, Some(false)) => Decision::Abort,
            (Some(QuestionAction::Replan), None) => Decision::Replan,
        };
        Ok(ContinueParameters { question, answer: WorkflowAnswer::All(decision), digests })
    }
}

impl From<RawAskAnswer> for AskAnswer {
    fn from(answer: RawAskAnswer) -> AskAnswer {
        AskAnswer::Decision(match answer {
            RawAskAnswer::Word(AnswerWord::Approve) => Decision::Approve,
            RawAskAnswer::Word(AnswerWord::Always) => Decision::Always,
            RawAskAnswer::Word(AnswerWord::Decline) => Decision::Decline,
            RawAskAnswer::Word(AnswerWord::Abort) => Decision::Abort,
            RawAskAnswer::Result(RawResultAnswer { result }) => Decision::Result(result),
            RawAskAnswer::Numbered(AlwaysOption(index)) => return AskAnswer::AlwaysWithin(index),
            RawAskAnswer::Within(RawAlwaysAnswer { always }) => {
                return AskAnswer::AlwaysWithin(always);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{AskAnswer, ContinueParameters, WorkflowAnswer};
    use pml::{
        Ask, Decision, QuestionId,
        approval::{AskId, AskKind},
    };
    use serde_json::{Value, json};

    fn parsed(arguments: Value) -> Result<WorkflowAnswer, String> {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        ContinueParameters::read(arguments).map(|read| read.answer).map_err(|error| {
            assert_eq!(error.code.0, -32602);
            error.message.into_owned()
        })
    }

    #[test]
    fn an_answer_is_for_all_asks_or_for_each() {
        let id = QuestionId::new().to_string();
        let with = |answer: Value| {
            let mut answer = answer;
            answer["workflow_id"] = json!(id);
            parsed(answer)
        };
        assert_eq!(with(json!({ "approved": true })), Ok(WorkflowAnswer::All(Decision::Approve)));
        assert_eq!(
            with(json!({ "approved": true, "always": true })),
            Ok(WorkflowAnswer::All(Decision::Always))
        );
        assert_eq!(with(json!({ "approved": false })), Ok(WorkflowAnswer::All(Decision::Abort)));
        assert_eq!(with(json!({ "action": "replan" })), Ok(WorkflowAnswer::All(Decision::Replan)));
        let each = |each: [(u32, AskAnswer); 2]| {
            Ok(WorkflowAnswer::Each(
                each.into_iter().map(|(ask, answer)| (AskId(ask), answer)).collect(),
            ))
        };
        let decision = AskAnswer::Decision;
        assert_eq!(
            with(json!({ "answers": { "1": "approve", "2": "decline" } })),
            each([(1, decision(Decision::Approve)), (2, decision(Decision::Decline))])
        );
        let result = Decision::Result(json!({ "n": 1 }));
        assert_eq!(
            with(json!({ "answers": { "1": { "result": { "n": 1 } }, "2": { "always": 0 } } })),
            each([(1, decision(result)), (2, AskAnswer::AlwaysWithin(0))])
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
    fn an_answer_may_say_what_it_was_shown() {
        let id = QuestionId::new().to_string();
        let read = |mut answer: Value| {
            answer["workflow_id"] = json!(id);
            let Value::Object(answer) = answer else { panic!("an object") };
            ContinueParameters::read(answer).map(|read| read.digests)
        };
        let ask = Ask::new(AskKind::ToolPermission, None, "a:b", json!({}), "policy");
        let (whole, short) = (ask.digest(), ask.short_digest());
        let only = read(json!({ "approved": true, "digest": short })).unwrap().only;
        assert!(only.is_some_and(|digest| digest.is_of(&ask)));
        let one = json!({ "answer": "approve", "digest": whole });
        let each = read(json!({ "answers": { "1": one, "2": "decline" } })).unwrap().each;
        assert!(each.len() == 1 && each[&AskId(1)].is_of(&ask));
        let other = Ask::new(AskKind::ToolPermission, None, "a:b", json!({ "n": 1 }), "policy");
        assert!(!each[&AskId(1)].is_of(&other));
        for wrong in ["", "abcdef0", "not hex!", &"a".repeat(65)] {
            assert!(read(json!({ "approved": true, "digest": wrong })).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_what_makes_a_call_or_gives_it_a_result_approves() {
        let id = QuestionId::new().to_string();
        let approves = |mut answer: Value| {
            answer["workflow_id"] = json!(id);
            parsed(answer).map(|answer| answer.approves())
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

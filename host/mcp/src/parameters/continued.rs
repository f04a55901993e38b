//! `continue_workflow`: what a client says that a person has decided.

use super::wrong;
use pml::{Ask, AskId, Decision, QuestionId};
use rmcp::ErrorData;
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A person's answer as a client hands it on.
#[derive(Debug, PartialEq)]
pub(crate) struct Continue {
    /// Nothing if the id is not one of ours.
    pub(crate) question: Option<QuestionId>,
    pub(crate) said: Said,
    /// What was shown, where the client says so.
    pub(crate) digests: Digests,
}

/// The digests of asks as a client was shown them, or how they begin.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Digests {
    /// Of the only ask.
    pub(crate) only: Option<Digest>,
    pub(crate) each: BTreeMap<AskId, Digest>,
}

/// How a digest begins: enough of it that nobody finds another ask that begins so by trying.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Digest(String);

/// The fewest digits of a digest.
const DIGITS: usize = 8;

impl Digest {
    pub(crate) fn is_of(&self, ask: &Ask) -> bool {
        ask.digest().starts_with(&self.0)
    }
}

impl TryFrom<String> for Digest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Digest, &'static str> {
        let digits = (DIGITS..=64).contains(&text.len());
        match digits && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Ok(Digest(text.to_ascii_lowercase())),
            false => Err("a digest is 8 to 64 hex digits"),
        }
    }
}

/// What was said to a question.
#[derive(Debug, PartialEq)]
pub(crate) enum Said {
    All(Decision),
    Each(BTreeMap<AskId, SaidOfOne>),
}

/// What was said to one ask.
#[derive(Debug, PartialEq)]
pub(crate) enum SaidOfOne {
    Decision(Decision),
    /// Always, under the conditions that were offered under this number, counted from 0.
    AlwaysWithin(usize),
}

impl Said {
    /// Returns whether a call is made because of it, or a result taken for its own.
    pub(crate) fn approves(&self) -> bool {
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
struct RawContinue {
    workflow_id: String,
    approved: Option<bool>,
    #[serde(default)]
    always: bool,
    action: Option<Action>,
    answers: Option<BTreeMap<String, RawSaid>>,
    digest: Option<Digest>,
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
    expecting = "an answer is `approve`, `always`, `always_1`, `decline`, `abort`, `{\"result\": …}` or `{\"always\": n}`"
)]
enum RawSaidOfOne {
    Word(Word),
    Numbered(Numbered),
    Result(RawResult),
    Within(RawWithin),
}

/// An answer to one ask, with the digest of what it answers or without.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "an answer is `approve`, `always`, `always_1`, `decline`, `abort`, `{\"result\": …}`, `{\"always\": n}` or one of these with what it is about: `{\"answer\": …, \"digest\": …}`"
)]
enum RawSaid {
    Bound(Bound),
    Plain(RawSaidOfOne),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bound {
    answer: RawSaidOfOne,
    digest: Digest,
}

/// `always_1`, `always_2` and so on, as they are offered.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Numbered(usize);

impl TryFrom<String> for Numbered {
    type Error = &'static str;

    fn try_from(word: String) -> Result<Numbered, &'static str> {
        let number = word.strip_prefix("always_").and_then(|number| number.parse::<usize>().ok());
        number.and_then(|number| number.checked_sub(1)).map(Numbered).ok_or("it is no such word")
    }
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

impl Continue {
    /// Takes `continue_workflow` out of the arguments of any tool, where it is the only one.
    pub(crate) fn among(arguments: &JsonObject) -> Result<Option<Continue>, ErrorData> {
        let Some(given) = arguments.get("continue_workflow").filter(|_| arguments.len() == 1)
        else {
            return Ok(None);
        };
        Continue::read(given.clone()).map(Some)
    }

    /// Reads what `continue_workflow` was given.
    pub(super) fn read(given: Value) -> Result<Continue, ErrorData> {
        let raw = serde_json::from_value(given)
            .map_err(|error| wrong("continue_workflow", &error.to_string()))?;
        Continue::of(raw)
    }

    fn of(raw: RawContinue) -> Result<Continue, ErrorData> {
        let wrong = |what: &str| wrong("continue_workflow", what);
        let question = raw.workflow_id.parse().ok();
        if let Some(answers) = raw.answers {
            if raw.approved.is_some() || raw.action.is_some() || raw.always {
                return Err(wrong("give `answers`, or one answer for all"));
            }
            let mut digests = Digests { only: raw.digest, ..Digests::default() };
            let mut each = BTreeMap::new();
            for (ask, said) in answers {
                let ask = ask.parse::<u32>().map(AskId);
                let ask = ask.map_err(|_| wrong("`answers` are by the id of an ask"))?;
                let said = match said {
                    RawSaid::Plain(said) => said,
                    RawSaid::Bound(Bound { answer, digest }) => {
                        digests.each.insert(ask, digest);
                        answer
                    }
                };
                each.insert(ask, said.into());
            }
            return Ok(Continue { question, said: Said::Each(each), digests });
        }
        let digests = Digests { only: raw.digest, ..Digests::default() };
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
        Ok(Continue { question, said: Said::All(decision), digests })
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
            RawSaidOfOne::Numbered(Numbered(index)) => return SaidOfOne::AlwaysWithin(index),
            RawSaidOfOne::Within(RawWithin { always }) => return SaidOfOne::AlwaysWithin(always),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Continue, Said, SaidOfOne};
    use pml::{Ask, AskId, AskKind, Decision, QuestionId};
    use serde_json::{Value, json};

    fn said(answer: Value) -> Result<Said, String> {
        Continue::read(answer).map(|read| read.said).map_err(|error| {
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
    fn an_answer_may_say_what_it_was_shown() {
        let id = QuestionId::new().to_string();
        let read = |mut answer: Value| {
            answer["workflow_id"] = json!(id);
            Continue::read(answer).map(|read| read.digests)
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

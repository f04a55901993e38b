//! The ending of a run, and its form in a journal.
//!
//! Policy for change: every ending that was ever written can be read. Fields are added with a
//! default; none is renamed.

use super::Failure;
use crate::error::Error;
use crate::model::{CallId, Code, Question, QuestionId};
use crate::store::RunState;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// How a run ended: a result, a failure, or a person's decision.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The program returned: one JSON text, or `None` for `undefined`.
    Finished(Option<Box<RawValue>>),
    /// The program failed, or was refused.
    Failed(Failure),
    /// The run waits for a person, and has no approver. Once its questions are answered,
    /// in this process or another, [`Engine::resume`](crate::Engine::resume) continues it.
    Waiting(Vec<Question>),
    /// A person ended the run.
    Aborted(AbortedRun),
    /// This question was not answered in time.
    Expired(QuestionId),
}

impl Ending {
    /// Reads an ending from the text of a journal's [`Ended`](crate::journal::JournalEvent::Ended)
    /// entry. The result of a finished run stays text: it is not parsed. A result `null` reads as
    /// no result.
    pub fn read(text: &str) -> Result<Ending, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Reports whether a person or a limit ended the program, which may still have waited for its
    /// calls.
    pub fn was_cut_short(&self) -> bool {
        match self {
            Ending::Aborted(_) | Ending::Expired(_) => true,
            Ending::Failed(failure) => failure.code.is_limit_of_run(),
            Ending::Finished(_) | Ending::Waiting(_) => false,
        }
    }

    /// Returns the text for the journal.
    pub(super) fn write(&self) -> Result<String, Error> {
        serde_json::to_string(self).map_err(|error| {
            Error::new(Code::Internal, "the ending cannot be written").with_source(error)
        })
    }

    /// Returns the state of a run with this ending. A run that still waits when it is ended has
    /// expired.
    pub(super) fn state(&self) -> RunState {
        match self {
            Ending::Finished(_) => RunState::Finished,
            Ending::Failed(_) => RunState::Failed,
            Ending::Aborted(_) => RunState::Aborted,
            Ending::Expired(_) | Ending::Waiting(_) => RunState::Expired,
        }
    }

    /// Returns the result as JSON text. Returns `None` if it is `undefined` or the run did not
    /// finish.
    pub fn json(&self) -> Option<&str> {
        match self {
            Ending::Finished(json) => json.as_deref().map(RawValue::get),
            _ => None,
        }
    }

    /// Returns its name in a log.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Ending::Finished(_) => "finished",
            Ending::Failed(_) => "failed",
            Ending::Waiting(_) => "waiting",
            Ending::Aborted(_) => "aborted",
            Ending::Expired(_) => "expired",
        }
    }

    /// Returns the code of a failure.
    pub(super) fn code(&self) -> Option<&'static str> {
        match self {
            Ending::Failed(failure) => Some(failure.code.as_str()),
            _ => None,
        }
    }
}

/// Results are equal if their texts are.
impl PartialEq for Ending {
    fn eq(&self, other: &Ending) -> bool {
        match (self, other) {
            (Ending::Finished(_), Ending::Finished(_)) => self.json() == other.json(),
            (Ending::Failed(one), Ending::Failed(other)) => one == other,
            (Ending::Waiting(one), Ending::Waiting(other)) => one == other,
            (Ending::Aborted(one), Ending::Aborted(other)) => one == other,
            (Ending::Expired(one), Ending::Expired(other)) => one == other,
            _ => false,
        }
    }
}

/// A run that a person ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AbortedRun {
    /// The reason, in one sentence.
    pub message: String,
    /// Who ended it.
    pub who: String,
    /// The channel of the answer.
    pub channel: String,
    /// Whether the person asks for another program.
    #[serde(default)]
    pub replan: bool,
    /// The calls that had an outcome.
    #[serde(default)]
    pub completed: Vec<CompletedCall>,
    /// The calls that were sent and had no outcome: each may have had an effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interrupted: Vec<InterruptedCall>,
}

/// A call that has an outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CompletedCall {
    /// The id of the call.
    pub call: CallId,
    /// The tool as the program wrote it.
    pub tool: String,
}

/// A call that was sent and had no outcome when its run was ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InterruptedCall {
    /// The id of the call.
    pub call: CallId,
    /// The tool as the program wrote it.
    pub tool: String,
}

#[cfg(test)]
mod tests {
    use super::{AbortedRun, CompletedCall, Ending, InterruptedCall};
    use crate::model::{Ask, AskKind, CallId, Code, Question, QuestionId, RunId, Timestamp};
    use crate::run::Failure;
    use crate::run::failure::plain;
    use crate::source::Position;
    use serde_json::json;
    use serde_json::value::RawValue;

    fn finished(json: &str) -> Ending {
        Ending::Finished(Some(RawValue::from_string(json.into()).unwrap()))
    }

    /// Returns a failure with every field set.
    fn failure() -> Failure {
        let position = Position { module: "a.ts".into(), line: 3, column: 7 };
        let stack = r#"[{ "function": "f", "position": { "module": "a.ts", "line": 3, "column": 7 } },
            { "position": { "module": "b.ts", "line": 1, "column": 1 } }]"#;
        Failure {
            name: "TypeError".into(),
            error_code: Some("MINE".into()),
            causes: vec!["Error: \u{1b}[31m".into()],
            position: Some(position),
            stack: serde_json::from_str(stack).unwrap(),
            code_frame: Some("3 | x".into()),
            hint: Some("do not".into()),
            ..plain(Code::Threw, "it \"threw\"")
        }
    }

    #[test]
    fn every_ending_that_is_written_reads_back_equal() {
        let ask = Ask::new(AskKind::Trust, None, "a:b", json!({ "x": [1, null] }), "policy");
        let question = Question::new(RunId::new(), "a.ts", Timestamp(1), None, vec![ask]);
        let completed = vec![CompletedCall { call: CallId::numbered(1), tool: "a:b".into() }];
        let (message, who, channel) = ("over".to_owned(), "ann".to_owned(), "terminal".to_owned());
        let interrupted = vec![InterruptedCall { call: CallId::numbered(2), tool: "a:c".into() }];
        let aborted = AbortedRun { message, who, channel, replan: true, completed, interrupted };
        let mut endings = vec![
            Ending::Finished(None),
            finished(r#"{"b":1e400,"a":[1.10,"\ud800"],"b":2}"#),
            finished(&format!("{}{}", "[".repeat(10_000), "]".repeat(10_000))),
            Ending::Failed(failure()),
            Ending::Waiting(vec![question]),
            Ending::Waiting(Vec::new()),
            Ending::Aborted(aborted),
            Ending::Expired(QuestionId::new()),
        ];
        endings.extend(Code::ALL.iter().map(|code| Ending::Failed(plain(*code, "no"))));
        for ending in endings {
            let text = ending.write().unwrap();
            let read = Ending::read(&text).unwrap_or_else(|error| panic!("{error}: {text:.200}"));
            assert_eq!(read, ending);
            assert_eq!(read.write().unwrap(), text);
        }
    }

    #[test]
    fn what_an_older_or_newer_pml_wrote_is_read() {
        let older = r#"{"aborted":{"message":"m","who":"w","channel":"c"}}"#;
        assert!(matches!(Ending::read(older), Ok(Ending::Aborted(run)) if !run.replan));
        let newer = r#"{"failed":{"code":"NOT_YET","name":"","message":"m","further":1}}"#;
        let Ok(Ending::Failed(failure)) = Ending::read(newer) else { panic!("a failure") };
        assert_eq!((failure.code, failure.message.as_str()), (Code::Internal, "m"));
        assert_eq!(Ending::read(r#"{"finished":null}"#).unwrap(), Ending::Finished(None));
        assert!(Ending::read("1").is_err());
    }
}

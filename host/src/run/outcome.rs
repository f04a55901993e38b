//! The outcome of a run.

use super::{Ending, Failure, Recording, ToolFailure, UnmatchedCall};
use crate::model::{CallId, ConsoleLine, Effects, Question, RunId, in_one_line};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// The ending of a run, with its console, its calls and its cost. A script that fails is an outcome,
/// not an error.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The id of the run.
    pub run_id: RunId,
    /// The result or the failure.
    pub ending: Ending,
    /// The lines that the program wrote, in order.
    pub console: Vec<ConsoleLine>,
    /// The number of lines over the console's limit.
    pub dropped_lines: u32,
    /// Errors that nobody handled, besides the one that the run failed with: rejected promises, and
    /// what callbacks threw.
    pub unhandled: Vec<Failure>,
    /// Calls that failed, in the order in which the program got their errors, whether or not it
    /// caught them. At most 50.
    pub tool_failures: Vec<ToolFailure>,
    /// Calls that had no outcome when the run ended.
    pub abandoned: Vec<AbandonedCall>,
    /// Calls with effects of the run that this one was resumed from, which its program did not ask
    /// for again.
    pub unmatched: Vec<UnmatchedCall>,
    /// What the run cost.
    pub usage: Usage,
    /// Every step, if [`Run::recorded`](crate::Run::recorded) asked for it.
    #[serde(skip)]
    pub recording: Option<Recording>,
}

/// A call that had no outcome when the program ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AbandonedCall {
    /// The id of the call.
    pub call: CallId,
    /// The tool as the program wrote it.
    pub tool: String,
    /// Whether it had been sent: such a call was cancelled and may have had an effect.
    pub sent: bool,
    /// What is known of the effects of its tool.
    pub effects: Effects,
}

impl AbandonedCall {
    /// Describes what became of the call in a run that ended so, in one line.
    pub fn describe(&self, ending: &Ending) -> String {
        let (call, tool) = (self.call, in_one_line(&self.tool));
        let why = match ending {
            Ending::Aborted(_) => "the run was aborted",
            Ending::Expired(_) => "nobody answered in time",
            Ending::Failed(failure) if failure.code.is_limit_of_run() => "the run reached a limit",
            Ending::Failed(_) => "the program failed first",
            Ending::Finished(_) | Ending::Waiting(_) => "the program ended without waiting for it",
        };
        match (self.sent, self.effects) {
            (true, Effects::ReadOnly) => format!("call {call} of `{tool}` was cancelled: {why}"),
            (true, _) => {
                format!("call {call} of `{tool}` was cancelled and may have had an effect: {why}")
            }
            (false, _) => format!("call {call} of `{tool}` was not sent: {why}"),
        }
    }
}

/// What a run cost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Usage {
    /// Time during which JavaScript ran.
    pub cpu_time: Duration,
    /// Time from start to end.
    pub wall_time: Duration,
    /// Bytes of memory at the end; the guest's memory never shrinks.
    pub memory: usize,
    /// Calls made, timers included.
    pub calls: u64,
    /// How often the program was interrupted in a step because its time slice was over.
    pub slices: u64,
}

impl Outcome {
    /// Returns an outcome that has only an ending.
    pub(super) fn new(run_id: RunId, ending: Ending) -> Outcome {
        Outcome {
            run_id,
            ending,
            console: Vec::new(),
            dropped_lines: 0,
            unhandled: Vec::new(),
            tool_failures: Vec::new(),
            abandoned: Vec::new(),
            unmatched: Vec::new(),
            usage: Usage::default(),
            recording: None,
        }
    }

    /// Returns the result as JSON text. Returns `None` if it is `undefined` or the program failed.
    pub fn json(&self) -> Option<&str> {
        self.ending.json()
    }

    /// Returns the result as a value. Returns `None` if it is `undefined`, nested deeper than 128
    /// levels, or the program failed.
    pub fn value(&self) -> Option<Value> {
        self.json().and_then(|json| serde_json::from_str(json).ok())
    }

    /// Returns the failure, if there was one.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.ending {
            Ending::Failed(failure) => Some(failure),
            _ => None,
        }
    }

    /// Returns the questions that the run waits for, if it does.
    pub fn questions(&self) -> &[Question] {
        match &self.ending {
            Ending::Waiting(questions) => questions,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AbandonedCall, Ending};
    use crate::model::{CallId, Code, Effects, QuestionId};
    use crate::run::failure::plain;

    #[test]
    fn what_became_of_a_call_is_told_by_how_the_run_ended() {
        let call = |sent, effects| AbandonedCall {
            call: CallId::numbered(4),
            tool: "a:b".into(),
            sent,
            effects,
        };
        let told = |sent, ending: Ending| call(sent, Effects::Unknown).describe(&ending);
        let aborted = r#"{"aborted":{"message":"m","who":"w","channel":"c"}}"#;
        let aborted = || Ending::read(aborted).unwrap();
        assert_eq!(told(false, aborted()), "call 4 of `a:b` was not sent: the run was aborted");
        assert_eq!(
            told(true, aborted()),
            "call 4 of `a:b` was cancelled and may have had an effect: the run was aborted"
        );
        // A call that only reads has no effect to warn about.
        assert_eq!(
            call(true, Effects::ReadOnly).describe(&aborted()),
            "call 4 of `a:b` was cancelled: the run was aborted"
        );
        assert!(
            told(true, Ending::Expired(QuestionId::new())).ends_with("nobody answered in time")
        );
        let failed = |code| Ending::Failed(plain(code, "no"));
        assert!(told(true, failed(Code::Timeout)).ends_with("the run reached a limit"));
        assert!(told(true, failed(Code::Threw)).ends_with("the program failed first"));
        assert_eq!(
            told(false, Ending::Finished(None)),
            "call 4 of `a:b` was not sent: the program ended without waiting for it"
        );
    }
}

//! The outcome of a run.

use super::{Ending, Failure, Recording, UnmatchedCall};
use crate::model::{CallId, ConsoleLine, Question, RunId};
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
    /// Calls that the program did not wait for.
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

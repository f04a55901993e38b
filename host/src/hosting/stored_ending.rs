//! The ending of a run as its journal has it.

use super::ended_run::{CallSummary, EndedRun, RunConclusion, size_of};
use crate::error::Error;
use crate::model::{Code, RunId};
use crate::run::{Ending, Engine, ToolFailure};
use crate::store::StoredRun;

/// The reason that is written for a run that a client cancelled.
pub(super) const CANCELLED: &str = "cancelled by the client";

/// How a run ended, according to its journal. Its console output is not in the journal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredEnding {
    /// The ending, or `None` if it cannot be read.
    pub ending: Option<Ending>,
    /// The calls that have their results.
    pub calls: CallSummary,
    /// Calls that failed, whether or not the program caught their errors.
    pub tool_failures: Vec<ToolFailure>,
    /// Number of calls that it made, including timers.
    pub call_count: u64,
}

impl StoredEnding {
    /// Returns its approximate size in bytes.
    pub(super) fn size(&self) -> usize {
        let failures: usize = self.tool_failures.iter().map(ToolFailure::size).sum();
        self.ending.as_ref().map_or(0, size_of) + self.calls.size() + failures
    }
}

/// Reads the ending of a run from the journal.
pub(super) async fn read(engine: &Engine, run: RunId) -> EndedRun {
    match engine.journal().load(run).await {
        Ok(stored) => of_stored(&stored),
        Err(error) => unavailable(run, error.into()),
    }
}

/// Returns the ending of a stored run.
pub(super) fn of_stored(stored: &StoredRun) -> EndedRun {
    let run = stored.header.run;
    let Some(text) = stored.ending_text() else {
        let message = "the journal does not say how the run ended";
        return unavailable(run, Error::new(Code::Journal, message));
    };
    let ending = Ending::read(text).ok();
    let cancelled =
        matches!(&ending, Some(Ending::Aborted(aborted)) if aborted.message == CANCELLED);
    let stored = StoredEnding {
        ending,
        calls: CallSummary::of(stored),
        tool_failures: ToolFailure::all_of(stored),
        call_count: stored.entries.last().map_or(0, |entry| entry.meter.calls),
    };
    let mut ended = EndedRun::new(run, RunConclusion::Stored(Box::new(stored)));
    ended.cancelled = cancelled;
    ended
}

/// Returns an ending for a run that cannot continue here.
pub(super) fn unavailable(run: RunId, error: Error) -> EndedRun {
    EndedRun::new(run, RunConclusion::Unavailable(error))
}

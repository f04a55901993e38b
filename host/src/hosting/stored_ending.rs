//! What a run came to that is over, as its journal says.

use super::ended_run::{CallSummary, EndedRun, RunConclusion, size_of};
use crate::error::Error;
use crate::model::{Code, RunId};
use crate::run::{Ending, Engine};
use crate::store::StoredRun;

/// What is written of a run that a client cancelled.
pub(super) const CANCELLED: &str = "cancelled by the client";

/// How a run ended, as its journal says. What it wrote is not in the journal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredEnding {
    /// The ending. `None` if what is written cannot be read.
    pub ending: Option<Ending>,
    /// The calls that have their results.
    pub calls: CallSummary,
    /// How many calls it made, timers included.
    pub call_count: u64,
}

impl StoredEnding {
    /// Returns about how many bytes it takes to keep.
    pub(super) fn size(&self) -> usize {
        self.ending.as_ref().map_or(0, size_of) + self.calls.size()
    }
}

/// Reads from the journal what a run came to.
pub(super) async fn read(engine: &Engine, run: RunId) -> EndedRun {
    match engine.journal().load(run).await {
        Ok(stored) => of_stored(&stored),
        Err(error) => unavailable(run, error.into()),
    }
}

/// Returns what a stored run came to.
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
        call_count: stored.entries.last().map_or(0, |entry| entry.meter.calls),
    };
    let mut ended = EndedRun::new(run, RunConclusion::Stored(stored));
    ended.cancelled = cancelled;
    ended
}

/// Returns that a run cannot go on here.
pub(super) fn unavailable(run: RunId, error: Error) -> EndedRun {
    EndedRun::new(run, RunConclusion::Unavailable(error))
}

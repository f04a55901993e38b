//! What a run came to that is over, as its journal says.

use super::ended_run::{CallSummary, EndedRun, RunConclusion};
use crate::error::Error;
use crate::model::{Code, RunId};
use crate::run::Engine;
use crate::store::{JournalEvent, StoredRun};

/// What is written of a run that a client cancelled.
pub(super) const CANCELLED: &str = "cancelled by the client";

/// How a run ended, as its journal says. What it wrote is not in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredEnding {
    /// The ending as it is written: an [`Ending`](crate::Ending) as JSON text.
    pub ending: String,
    /// The calls that have their results.
    pub calls: CallSummary,
    /// How many calls it made, timers included.
    pub call_count: u64,
}

/// What an ending says of a run that was aborted. A result, which may be large, is skipped.
#[derive(serde::Deserialize)]
struct AbortedEnding {
    aborted: Option<AbortMessage>,
}

#[derive(serde::Deserialize)]
struct AbortMessage {
    message: String,
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
    let ending = stored.entries.iter().rev().find_map(|entry| match &entry.what {
        JournalEvent::Ended { ending } => Some(ending),
        _ => None,
    });
    let Some(ending) = ending else {
        let message = "the journal does not say how the run ended";
        return unavailable(run, Error::new(Code::Journal, message));
    };
    let aborted = serde_json::from_str::<AbortedEnding>(ending).ok();
    let message = aborted.and_then(|ending| ending.aborted).map(|aborted| aborted.message);
    let stored = StoredEnding {
        ending: ending.clone(),
        calls: CallSummary::of(stored),
        call_count: stored.entries.last().map_or(0, |entry| entry.meter.calls),
    };
    let mut ended = EndedRun::new(run, RunConclusion::Stored(stored));
    ended.cancelled = message.is_some_and(|message| message == CANCELLED);
    ended
}

/// Returns that a run cannot go on here.
pub(super) fn unavailable(run: RunId, error: Error) -> EndedRun {
    EndedRun::new(run, RunConclusion::Unavailable(error))
}

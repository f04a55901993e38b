//! What a run came to that is over, as its journal tells it.

use crate::answer::ToolAnswer;
use crate::hosted::run_state::EndedRun;
use pml::{Code, Ending, Engine, Error, RunId, StoredRun};

/// What is written of a run that its client cancelled.
pub(super) const CANCELLED: &str = "cancelled by the client";

/// Reads what a run came to.
pub(super) async fn read(engine: &Engine, run: RunId) -> EndedRun {
    match engine.journal().load(run).await {
        Ok(stored) => of(&stored),
        Err(error) => unknown(error.into()),
    }
}

/// What a run came to.
pub(super) fn of(stored: &StoredRun) -> EndedRun {
    let Some(text) = stored.ending_text() else {
        return unknown(Error::new(Code::Journal, "the journal does not say how the run ended"));
    };
    let ending = Ending::read(text).ok();
    let cancelled =
        matches!(&ending, Some(Ending::Aborted(aborted)) if aborted.message == CANCELLED);
    EndedRun { answer: ToolAnswer::of_stored(stored, ending.as_ref()), error: None, cancelled }
}

/// Nobody knows what became of it.
pub(super) fn unknown(error: Error) -> EndedRun {
    EndedRun { answer: ToolAnswer::of_error(&error), error: Some(error.kind()), cancelled: false }
}

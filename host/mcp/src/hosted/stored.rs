//! What a run came to that is over, as its journal tells it.

use crate::answer::ToolAnswer;
use crate::hosted::run_state::EndedRun;
use pml::{Code, Engine, Error, JournalEvent, RunId, StoredRun};

/// What is written of a run that its client cancelled.
pub(super) const CANCELLED: &str = "cancelled by the client";

/// Reads what a run came to.
pub(super) async fn read(engine: &Engine, run: RunId) -> EndedRun {
    match engine.journal().load(run).await {
        Ok(stored) => of(&stored),
        Err(error) => unknown(error.into()),
    }
}

/// What an ending says of a run that was aborted. A result, which may be large, is passed over.
#[derive(serde::Deserialize)]
struct AbortedEnding {
    aborted: Option<AbortMessage>,
}

#[derive(serde::Deserialize)]
struct AbortMessage {
    message: String,
}

/// What a run came to.
pub(super) fn of(stored: &StoredRun) -> EndedRun {
    let ending = stored.entries.iter().rev().find_map(|entry| match &entry.what {
        JournalEvent::Ended { ending } => Some(ending.as_str()),
        _ => None,
    });
    let Some(ending) = ending else {
        return unknown(Error::new(Code::Journal, "the journal does not say how the run ended"));
    };
    let ended = serde_json::from_str::<AbortedEnding>(ending).ok();
    let message = ended.and_then(|ended| ended.aborted).map(|aborted| aborted.message);
    let cancelled = message.is_some_and(|message| message == CANCELLED);
    EndedRun { answer: ToolAnswer::of_stored(stored, ending), error: None, cancelled }
}

/// Nobody knows what became of it.
pub(super) fn unknown(error: Error) -> EndedRun {
    EndedRun { answer: ToolAnswer::of_error(&error), error: Some(error.kind()), cancelled: false }
}

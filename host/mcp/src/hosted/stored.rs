//! What a run came to that is over, as its journal tells it.

use super::stand::Over;
use crate::answer::Answer;
use pml::{Code, Engine, Error, RunId, Stored, What};

/// What is written of a run that its client cancelled.
pub(super) const CANCELLED: &str = "cancelled by the client";

/// Reads what a run came to.
pub(super) async fn read(engine: &Engine, run: RunId) -> Over {
    match engine.journal().load(run).await {
        Ok(stored) => of(&stored),
        Err(error) => unknown(error.into()),
    }
}

/// What an ending says of a run that was aborted. A result, which may be large, is passed over.
#[derive(serde::Deserialize)]
struct Ended {
    aborted: Option<Message>,
}

#[derive(serde::Deserialize)]
struct Message {
    message: String,
}

/// What a run came to.
pub(super) fn of(stored: &Stored) -> Over {
    let ending = stored.entries.iter().rev().find_map(|entry| match &entry.what {
        What::Ended { ending } => Some(ending.as_str()),
        _ => None,
    });
    let Some(ending) = ending else {
        return unknown(Error::new(Code::Journal, "the journal does not say how the run ended"));
    };
    let ended = serde_json::from_str::<Ended>(ending).ok();
    let message = ended.and_then(|ended| ended.aborted).map(|aborted| aborted.message);
    let cancelled = message.is_some_and(|message| message == CANCELLED);
    Over { answer: Answer::of_stored(stored, ending), error: None, cancelled }
}

/// Nobody knows what became of it.
pub(super) fn unknown(error: Error) -> Over {
    Over { answer: Answer::of_error(&error), error: Some(error.kind()), cancelled: false }
}

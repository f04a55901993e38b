//! The effects of a batch of entries on the questions of its run.

use crate::model::{Question, QuestionId, Timestamp};
use crate::store::{JournalBatch, JournalEvent, RunState};

/// One change to the questions of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::store) enum BatchEffect<'a> {
    /// The question is opened.
    Open(&'a Question),
    /// The question is closed: the program no longer waits for it.
    Withdraw {
        /// The question.
        question: QuestionId,
        /// The time.
        at: Timestamp,
    },
    /// Every open question of the run is closed: the run has ended.
    CloseAll {
        /// The time.
        at: Timestamp,
    },
}

/// Returns the effects of a batch on the questions of its run, in order.
pub(in crate::store) fn batch_effects(
    batch: &JournalBatch,
) -> impl Iterator<Item = BatchEffect<'_>> {
    let at = batch.entries.last().map_or(Timestamp::default(), |entry| entry.at);
    let ended = batch.state.is_some_and(RunState::has_ended);
    let of_entries = batch.entries.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Asked { question } => Some(BatchEffect::Open(question)),
        JournalEvent::Withdrawn { question } => {
            Some(BatchEffect::Withdraw { question: *question, at: entry.at })
        }
        _ => None,
    });
    of_entries.chain(ended.then_some(BatchEffect::CloseAll { at }))
}

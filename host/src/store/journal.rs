//! What a run needs of its journal.
//!
//! In flow a header and batches of entries, out flow the same again, for ever; beside them
//! questions, and answers that anybody may record.
//!
//! **Invariant:** batches of one run are kept in the order in which `append` was called, whole or
//! not at all, and an error of one is an error of all that follow. **Invariant:** only the holder
//! of the run's current [`Lease`] writes to it; a process that died holds none.

use super::{
    AnswerOutcome, AuditFilter, AuditNote, AuditTrail, JournalEntry, JournalEvent, PruneRule,
    RunFilter, RunHeader, RunState, RunSummary, StoreError, StoredQuestion,
};
use crate::model::{Answer, QuestionId, RecordedDecision, RunId, Timestamp};
use futures_util::future::{BoxFuture, ready};
use std::sync::Arc;
use tokio::sync::Notify;

/// The right to write to a run. Dropping it gives the run up, as it stands.
pub struct Lease {
    /// Which run.
    pub run: RunId,
    /// Counts up with every owner. A write under an older number is refused.
    pub fence: u64,
    given_up: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl Lease {
    /// Returns a lease; `given_up` is called when it is dropped.
    pub fn new(run: RunId, fence: u64, given_up: impl FnOnce() + Send + Sync + 'static) -> Lease {
        Lease { run, fence, given_up: Some(Box::new(given_up)) }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(given_up) = self.given_up.take() {
            given_up();
        }
    }
}

impl std::fmt::Debug for Lease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lease")
            .field("run", &self.run)
            .field("fence", &self.fence)
            .finish_non_exhaustive()
    }
}

/// How safe a write must be before its future is ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequiredDurability {
    /// In the hands of the OS: it survives the death of this process, not a power cut.
    #[default]
    Process,
    /// On disk.
    Disk,
}

/// What is written at once: all of it, or nothing.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct JournalBatch {
    /// What happened, in order.
    pub entries: Vec<JournalEntry>,
    /// Where the run stands from here on, if that changes.
    pub state: Option<RunState>,
    /// How safe it must be.
    pub safe: RequiredDurability,
}

impl JournalBatch {
    /// Returns a batch of entries.
    pub fn new(entries: Vec<JournalEntry>) -> JournalBatch {
        JournalBatch { entries, ..JournalBatch::default() }
    }
}

/// A run as it was written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredRun {
    /// What never changes.
    pub header: RunHeader,
    /// Where it stands.
    pub state: RunState,
    /// What happened, in order.
    pub entries: Vec<JournalEntry>,
}

impl StoredRun {
    /// Returns a stored run.
    pub fn new(header: RunHeader, state: RunState, entries: Vec<JournalEntry>) -> StoredRun {
        StoredRun { header, state, entries }
    }

    /// Returns how the run ended, as it was written: one JSON text, which
    /// [`Ending::read`](crate::Ending::read) reads. Returns `None` if the run has not ended.
    pub fn ending_text(&self) -> Option<&str> {
        self.entries.iter().rev().find_map(|entry| match &entry.what {
            JournalEvent::Ended { ending } => Some(ending.as_str()),
            _ => None,
        })
    }
}

/// What comes back from a journal.
pub type JournalFuture<T> = BoxFuture<'static, Result<T, StoreError>>;

/// Keeps runs. The crate has two: [`Store`](crate::Store) in a file,
/// [`MemoryJournal`](crate::MemoryJournal) in memory.
///
/// Nothing here blocks. The work starts when the method is called, not when its future is polled: a
/// future that is dropped takes nothing back.
pub trait Journal: Send + Sync + 'static {
    /// Takes down a new run, which the caller then owns; it is `Running`.
    fn create(&self, header: RunHeader) -> JournalFuture<Lease>;

    /// Writes to a run. An `Asked` entry opens its question, a `Withdrawn` one closes it; a batch
    /// whose state is an ended one closes all open questions of the run and frees it.
    fn append(&self, lease: &Lease, batch: JournalBatch) -> JournalFuture<()>;

    /// Takes a run over that nobody has, or whose owner is dead.
    fn claim(&self, run: RunId) -> JournalFuture<Lease>;

    /// Reads a run.
    fn load(&self, run: RunId) -> JournalFuture<StoredRun>;

    /// Records an answer. The first decision about an ask counts; later ones change nothing and are
    /// told so.
    fn answer(
        &self,
        question: QuestionId,
        answer: Answer,
        now: Timestamp,
    ) -> JournalFuture<AnswerOutcome>;

    /// Closes a question that has expired at `now`. Returns whether it is closed without every ask
    /// decided.
    fn expire(&self, question: QuestionId, now: Timestamp) -> JournalFuture<bool>;

    /// Reads everything that was decided about questions of a run, in order.
    fn decided(&self, run: RunId) -> JournalFuture<Vec<RecordedDecision>>;

    /// Returns what is notified whenever something may have been decided about a question of this
    /// run, by any process. One waiter a run.
    fn watch(&self, run: RunId) -> Arc<Notify>;

    /// Reads one question.
    fn question(&self, id: QuestionId, now: Timestamp) -> JournalFuture<Option<StoredQuestion>>;

    /// Reads the questions that are open at `now`, oldest first; of one run, or of all.
    fn questions(&self, run: Option<RunId>, now: Timestamp) -> JournalFuture<Vec<StoredQuestion>>;

    /// Lists runs, newest first, as they stand at `now`.
    fn runs(&self, filter: RunFilter, now: Timestamp) -> JournalFuture<Vec<RunSummary>>;

    /// Forgets runs that are over. Returns how many.
    fn prune(&self, rule: PruneRule, now: Timestamp) -> JournalFuture<u64>;

    /// Writes to the audit trail. Questions, decisions, and questions that expire or are taken back
    /// are written there by the journal itself. A journal that keeps no trail forgets it.
    fn audit(&self, _: AuditNote) -> JournalFuture<()> {
        Box::pin(ready(Ok(())))
    }

    /// Reads the audit trail, and verifies all of it.
    fn audited(&self, _: AuditFilter) -> JournalFuture<AuditTrail> {
        Box::pin(ready(Ok(AuditTrail::default())))
    }
}

//! The interface of a journal, as runs use it.
//!
//! Input: a header and batches of entries. Output: the same, at any later time. A journal also
//! stores questions, and answers that any process may record.
//!
//! **Invariant:** batches of one run are stored in the order of the calls of `append`. Each is
//! stored completely or not at all; if one fails, all later ones fail. **Invariant:** only the
//! holder of the run's current [`Lease`] writes to the run. A process that died holds no lease.

use super::{
    AnswerOutcome, AuditFilter, AuditNote, AuditTrail, JournalEntry, JournalEvent, PruneRule,
    RunFilter, RunHeader, RunState, RunSummary, StoreError, StoredQuestion,
};
use crate::model::{Answer, QuestionId, RecordedDecision, RunId, Timestamp, WriteDurability};
use futures_util::future::{BoxFuture, ready};
use std::sync::Arc;
use tokio::sync::Notify;

/// The right to write to a run. Dropping it releases the run in its present state.
pub struct Lease {
    /// The run.
    pub run: RunId,
    /// Incremented with every owner. Writes with an older number are refused.
    pub fence: u64,
    on_drop: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl Lease {
    /// Returns a lease; `on_drop` is called when the lease is dropped.
    pub fn new(run: RunId, fence: u64, on_drop: impl FnOnce() + Send + Sync + 'static) -> Lease {
        Lease { run, fence, on_drop: Some(Box::new(on_drop)) }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(on_drop) = self.on_drop.take() {
            on_drop();
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

/// Entries that are written together, completely or not at all.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct JournalBatch {
    /// The entries, in order.
    pub entries: Vec<JournalEntry>,
    /// The new state of the run, if it changes.
    pub state: Option<RunState>,
    /// The durability that is required.
    pub durability: WriteDurability,
}

impl JournalBatch {
    /// Returns a batch of entries.
    pub fn new(entries: Vec<JournalEntry>) -> JournalBatch {
        JournalBatch { entries, ..JournalBatch::default() }
    }
}

/// A run as it is stored.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StoredRun {
    /// The header, which never changes.
    pub header: RunHeader,
    /// The state that was written last.
    pub state: RunState,
    /// The entries, in order.
    pub entries: Vec<JournalEntry>,
}

impl StoredRun {
    /// Returns a stored run.
    pub fn new(header: RunHeader, state: RunState, entries: Vec<JournalEntry>) -> StoredRun {
        StoredRun { header, state, entries }
    }

    /// Returns the stored ending of the run: one JSON text, which
    /// [`Ending::read`](crate::Ending::read) parses. Returns `None` if the run has not ended.
    pub fn ending_text(&self) -> Option<&str> {
        self.entries.iter().rev().find_map(|entry| match &entry.event {
            JournalEvent::Ended { ending } => Some(ending.as_str()),
            _ => None,
        })
    }
}

/// The result of a journal's method.
pub type JournalFuture<T> = BoxFuture<'static, Result<T, StoreError>>;

/// Stores runs. The crate has two implementations: [`Store`](crate::Store) in a file,
/// [`MemoryJournal`](crate::MemoryJournal) in memory.
///
/// No method blocks. The work starts when the method is called, not when its future is polled:
/// dropping the future does not undo it.
pub trait Journal: Send + Sync + 'static {
    /// Stores a new run in the state `Running`, and returns the caller's lease on it.
    fn create(&self, header: RunHeader) -> JournalFuture<Lease>;

    /// Writes to a run. An `Asked` entry opens its question, a `Withdrawn` entry closes it. A batch
    /// with the state of an ended run closes all open questions of the run and releases the run.
    fn append(&self, lease: &Lease, batch: JournalBatch) -> JournalFuture<()>;

    /// Takes over a run that has no owner, or whose owner has died.
    fn claim(&self, run: RunId) -> JournalFuture<Lease>;

    /// Reads a run.
    fn load(&self, run: RunId) -> JournalFuture<StoredRun>;

    /// Records an answer. The first decision about an ask counts. Later ones change nothing, and
    /// the outcome says so.
    fn answer(
        &self,
        question: QuestionId,
        answer: Answer,
        now: Timestamp,
    ) -> JournalFuture<AnswerOutcome>;

    /// Closes a question that has expired at `now`. Returns `true` if the question is closed and
    /// not every ask was decided.
    fn expire(&self, question: QuestionId, now: Timestamp) -> JournalFuture<bool>;

    /// Reads all recorded decisions about questions of a run, in order.
    fn decisions(&self, run: RunId) -> JournalFuture<Vec<RecordedDecision>>;

    /// Returns a `Notify` that is notified whenever any process may have recorded a decision about
    /// a question of this run. A run has one waiter.
    fn watch(&self, run: RunId) -> Arc<Notify>;

    /// Reads one question.
    fn question(&self, id: QuestionId, now: Timestamp) -> JournalFuture<Option<StoredQuestion>>;

    /// Reads the questions that are open at `now`, oldest first; those of one run, or all.
    fn questions(&self, run: Option<RunId>, now: Timestamp) -> JournalFuture<Vec<StoredQuestion>>;

    /// Lists runs with their state at `now`, newest first.
    fn runs(&self, filter: RunFilter, now: Timestamp) -> JournalFuture<Vec<RunSummary>>;

    /// Removes ended runs. Returns how many were removed.
    fn prune(&self, rule: PruneRule, now: Timestamp) -> JournalFuture<u64>;

    /// Writes to the audit trail. The journal itself writes the entries for questions, decisions,
    /// expiries and withdrawals. A journal without an audit trail ignores the note.
    fn audit(&self, _: AuditNote) -> JournalFuture<()> {
        Box::pin(ready(Ok(())))
    }

    /// Reads the audit trail, and verifies all of it.
    fn audit_trail(&self, _: AuditFilter) -> JournalFuture<AuditTrail> {
        Box::pin(ready(Ok(AuditTrail::default())))
    }
}

//! The journal: what is stored of runs, the questions they wait for, and the audit trail.
//!
//! A [`Store`] keeps a journal in a file, a [`MemoryJournal`] in memory. [`Journal`] is what an
//! engine needs of one, so that another database can follow. [`Journal::runs`] lists runs,
//! [`Journal::load`] reads one back as a [`StoredRun`], and a [`Timeline`] has the state of its
//! calls.

pub use crate::model::{CallResult, Tenant};
pub use crate::store::Definitions;
pub use crate::store::{
    AnswerOutcome, AuditEntry, AuditEvent, AuditFilter, AuditNote, AuditTrail, CallPhase, CallSpan,
    CallState, CallVerdict, DeliveredOutcome, Durability, FORMAT, Journal, JournalBatch,
    JournalEntry, JournalEvent, JournalFuture, JournalImport, JournalImportError, JournalOverview,
    Lease, MemoryJournal, Meter, OwnershipProof, PastCall, PastCallStage, PruneRule, RunFilter,
    RunHeader, RunState, RunSummary, Statistics, Store, StoreError, StoredQuestion, StoredRun,
    Timeline, TrailDefect, WriteDurability,
};

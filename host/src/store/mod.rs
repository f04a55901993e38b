//! The journal: all data needed to rebuild a run exactly, and the questions that it waits for.
//!
//! Input: headers, entries and answers. Output: the same, at any later time. A [`Timeline`]
//! combines the entries of a run, and `questions` has the rules for questions. Each exists once,
//! for all journals and all readers.

mod audit;
mod definitions;
mod encoding;
mod entry;
mod error;
mod journal;
mod memory;
mod project_state;
mod questions;
mod servers;
mod size;
mod sqlite;
mod summary;
#[cfg(test)]
mod tests;
mod timeline;

pub use crate::model::{Durability, WriteDurability};
pub use audit::{AuditEntry, AuditEvent, AuditFilter, AuditNote, AuditTrail, TrailDefect};
pub use definitions::Definitions;
pub use entry::{CallVerdict, FORMAT, JournalEntry, JournalEvent, Meter, RunHeader};
pub use error::StoreError;
pub use journal::{Journal, JournalBatch, JournalFuture, Lease, StoredRun};
pub use memory::MemoryJournal;
pub use project_state::{Dependency, ProjectState};
pub(crate) use servers::{CachedServer, ServerCache};
pub(crate) use size::size_of_outcome;
pub use sqlite::{JournalImport, JournalImportError, JournalOverview, OwnershipProof};
pub use sqlite::{Statistics, Store};
pub use summary::{AnswerOutcome, PruneRule, RunFilter, RunState, RunSummary, StoredQuestion};
pub use timeline::{
    CallPhase, CallSpan, CallState, DeliveredOutcome, PastCall, PastCallStage, Timeline,
};

//! The journal: everything that a run needs to be rebuilt exactly, and the questions it waits for.
//!
//! In flow headers, entries and answers; out flow the same again, for ever. What entries say
//! together is a [`Timeline`], and what becomes of questions is in `questions`: each stands once,
//! for every journal and every reader.

mod audit;
#[cfg(feature = "servers")]
mod definitions;
mod encoding;
mod entry;
mod error;
mod journal;
mod memory;
#[cfg(feature = "servers")]
mod project_state;
mod questions;
#[cfg(feature = "servers")]
mod servers;
mod size;
mod sqlite;
mod summary;
#[cfg(test)]
mod tests;
mod timeline;

pub use crate::model::Durability;
pub use audit::{AuditEntry, AuditEvent, AuditFilter, AuditNote, AuditTrail, TrailDefect};
#[cfg(feature = "servers")]
pub use definitions::Definitions;
pub use entry::{CallVerdict, FORMAT, JournalEntry, JournalEvent, Meter, RunHeader};
pub use error::StoreError;
pub use journal::{Journal, JournalBatch, JournalFuture, Lease, RequiredDurability, StoredRun};
pub use memory::MemoryJournal;
#[cfg(feature = "servers")]
pub use project_state::{Dependency, ProjectState};
#[cfg(feature = "servers")]
pub(crate) use project_state::{InstallationRecord, StartedBy};
#[cfg(feature = "servers")]
pub(crate) use servers::{CachedServer, ServerCache};
pub(crate) use size::size_of_outcome;
pub use sqlite::{JournalImport, JournalImportError, JournalOverview, OwnershipProof};
pub use sqlite::{Statistics, Store};
pub use summary::{AnswerOutcome, PruneRule, RunFilter, RunState, RunSummary, StoredQuestion};
pub use timeline::{
    CallPhase, CallSpan, CallState, DeliveredOutcome, PastCall, PastCallStage, Timeline,
};

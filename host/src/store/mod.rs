//! The journal: everything that a run needs to be rebuilt exactly, and the questions it waits for.
//!
//! In flow headers, entries and answers; out flow the same again. What they mean, only `run` knows.

mod audit;
#[cfg(feature = "servers")]
mod definitions;
mod entry;
mod error;
mod journal;
mod memory;
#[cfg(feature = "servers")]
mod project_state;
#[cfg(feature = "servers")]
mod servers;
mod size;
mod sqlite;
mod summary;
#[cfg(test)]
mod tests;

pub use crate::model::Durability;
pub use audit::{AuditFilter, Audited, Broken, Note, Noted, Trail};
#[cfg(feature = "servers")]
pub use definitions::Definitions;
pub use entry::{Entry, FORMAT, Header, Meter, Verdict, What};
pub use error::StoreError;
pub use journal::{Batch, Journal, Lease, Pending, Safe, Stored};
pub use memory::MemoryJournal;
#[cfg(feature = "servers")]
pub use project_state::{Dependency, ProjectState};
#[cfg(feature = "servers")]
pub(crate) use project_state::{Installation, StartedBy};
#[cfg(feature = "servers")]
pub(crate) use servers::{Remembered, ServerCache};
pub(crate) use size::size_of_outcome;
pub use sqlite::{Glance, ImportMark, Imported, NotImported};
pub use sqlite::{Statistics, Store};
pub use summary::{Answered, Asked, Filter, Prune, RunState, Summary};

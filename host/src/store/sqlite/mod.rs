//! The journal in a file: SQLite, in WAL mode, shared by all processes of a project.
//!
//! Everything that writes is queued, and whatever is queued is committed as one transaction: by a
//! thread, or, where it is small, by whoever waits for it (`desk`). A second thread reads, and
//! looks out for answers that other processes record.
//!
//! ```text
//! FOLDER/state.db        the journal, and its `-wal` and `-shm`
//! FOLDER/owners/TOKEN    locked for as long as the process lives that has runs under this token
//! HEADS/JOURNAL.json     how far the trail goes, in another folder, where one is given
//! ```
//!
//! **Invariant:** nothing here opens `state.db` except SQLite, once it exists. POSIX drops all
//! locks that a process has on a file when it closes any descriptor of it, and SQLite's locks are
//! such locks. **Invariant:** a journal that cannot be used is refused by name and left exactly as
//! it is.

mod answers;
mod audit;
mod columns;
mod entries;
mod failure;
mod import;
mod journal;
mod leases;
mod list;
mod load;
mod open;
mod operation;
mod overview;
mod owner;
mod prune;
mod reader;
mod runs;
mod schema;
mod schema_check;
mod shared_writer;
mod statistics;
mod store;
#[cfg(test)]
mod tests;
mod transaction;
mod watchers;
mod writer;

pub use import::{JournalImport, JournalImportError, OwnershipProof};
pub use overview::JournalOverview;
pub use statistics::Statistics;
pub use store::Store;

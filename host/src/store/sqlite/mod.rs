//! The journal in a file: SQLite in WAL mode, shared by all processes of a project.
//!
//! Writes are queued, and everything in the queue is committed as one transaction: by a thread or,
//! if it is small, by the caller that waits for it (`shared_writer`). A second thread reads, and
//! polls for answers that other processes record.
//!
//! ```text
//! FOLDER/state.db        the journal, and its `-wal` and `-shm`
//! FOLDER/owners/TOKEN    locked while the process lives that owns runs under this token
//! HEADS/JOURNAL.json     the anchor of the audit trail, in another folder, if one is given
//! ```
//!
//! **Invariant:** once `state.db` exists, only SQLite opens it. POSIX drops all locks that a
//! process has on a file when it closes any descriptor of it, and SQLite's locks are such locks.
//! **Invariant:** a journal that cannot be used is refused with an error that names it, and is left
//! exactly as it is.

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

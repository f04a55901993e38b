//! Imports the servers of other clients. Input: a project's folder. Output: entries that could be
//! added to `.pml.json`, each with its location and notes for the user.
//!
//! `source` lists the clients and their files, `read` reads them, `translate` converts their
//! entries.
//!
//! **Invariant:** nothing is written, expanded or started.
//! **Invariant:** a file that is not valid hides no other: it is reported.

mod read;
mod source;
mod translate;

pub use read::{BrokenPmlEntry, FoundServers, SkippedImport, find_servers};
pub use source::{ImportScope, ImportSource};
pub use translate::FoundServer;

//! Servers that other clients know. In flows a project's folder, out flow entries that could be
//! added to `.pml.json`, each with where it was found and what a person should know about it.
//!
//! `source` says whose files there are, `read` reads them, `translate` makes entries of ours.
//! **Invariant:** nothing is written, expanded or started. **Invariant:** a file that cannot be
//! understood hides no other: it is reported.

mod read;
mod source;
mod translate;

pub use read::{FoundServers, SkippedImport, find_servers};
pub use source::{ImportScope, ImportSource};
pub use translate::FoundServer;

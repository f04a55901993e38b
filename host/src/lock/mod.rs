//! The lock of a project: what its programs may run, as `.pml/mcp.lock` holds it.
//!
//! `schema` is the text of the file, `model` what it means, `io` the file on the disk; `compare`
//! says in which parts two entries differ, and `conflict` reads both sides of a merge.
//!
//! **Invariant:** the lock restricts and never allows: an entry is no approval. **Invariant:**
//! nothing in it is true of one machine only, and no secret is in it. **Invariant:** a file that
//! this pml would not have written is refused, and left as it is.

mod changes;
mod compare;
mod conflict;
mod error;
mod io;
mod model;
mod schema;
#[cfg(test)]
mod tests;

pub use crate::model::{
    ANY_PLATFORM, ClosurePackage, MAX_CLOSURE_PACKAGES, PackageClosure, PinnedPackage,
};
pub use changes::{LockChange, LockChangeKind};
pub use error::LockError;
pub(crate) use io::FileStamp;
pub use io::LockFile;
pub use model::{Lock, LockedServer, LockedServerKind};

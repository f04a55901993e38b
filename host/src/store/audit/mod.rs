//! The audit trail: the questions that people were asked, their decisions, and the consequences.
//!
//! Input: notes. Output: the same as a hash chain: each entry is hashed together with the hash of
//! the one before. The end of the trail is also stored outside the journal, so that a trail that
//! was cut off or rewritten is detected.
//!
//! **Invariant:** secrets are removed and sizes are bounded before anything is hashed or stored.
//! **Invariant:** no entry is ever changed or removed; runs are removed, their audit entries are
//! not. **Invariant:** the trail detects tampering, it does not prevent it: a process that can
//! write both places can rewrite both.

mod body;
mod chain;
mod head_file;
mod note;
mod trail;

pub(super) use body::body;
pub(super) use chain::{AcceptedPrefix, TrailAnchor, TrailDigest, TrailHead, TrailVerifier, link};
pub(super) use head_file::HeadFile;
pub use note::{AuditEvent, AuditNote};
pub use trail::{AuditEntry, AuditFilter, AuditTrail, TrailDefect};

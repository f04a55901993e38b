//! The audit trail: what people were asked, what they said, and what came of it.
//!
//! In flow notes, out flow the same again as a chain: each entry is hashed with the hash of the one
//! before it. What was last written is also kept apart from the journal, so that a trail whose end
//! is cut off, or that was written anew, shows.
//!
//! **Invariant:** secrets are taken out and sizes bounded before anything is hashed or stored.
//! **Invariant:** nothing here changes or forgets an entry; runs are forgotten, their trail is not.
//! **Invariant:** it shows tampering, it does not prevent it: whoever may write both places can
//! write both anew.

mod body;
mod chain;
#[cfg(feature = "servers")]
mod head_file;
mod note;
mod trail;

pub(super) use body::body;
pub(super) use chain::{AcceptedPrefix, TrailAnchor, TrailDigest, TrailHead, TrailVerifier, link};
#[cfg(feature = "servers")]
pub(super) use head_file::HeadFile;
pub use note::{AuditEvent, AuditNote};
pub use trail::{AuditEntry, AuditFilter, AuditTrail, TrailDefect};

//! Secrets, taken out of JSON before a person or a log sees it.
//!
//! In flows JSON as a program wrote it, out flows the same with secrets replaced. What counts as one is decided by the key
//! it stands under and by its own shape.
//!
//! **Invariant:** the cost is linear in the size of what comes in, whatever that is.
//! **Invariant:** it is a courtesy to the owner of the secret, not a wall: a secret that looks like nothing and stands
//! under a plain key passes.

mod brief;
mod key;
mod shape;
mod value;

pub use brief::brief;
pub(crate) use brief::brief_arguments;
pub use value::redact;

/// What stands in place of a secret.
const REDACTED: &str = "[redacted]";

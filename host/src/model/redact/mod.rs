//! Secrets, taken out of what a person or a log sees.
//!
//! In flows JSON or text as somebody wrote it, out flows the same with the values of secrets
//! replaced by how many characters they have. A value is hidden because it is known
//! ([`KnownSecrets`]: what a project gives to its servers), or because it is guessed to be a secret
//! by the key that it stands under or by its own shape.
//!
//! **Invariant:** values are hidden, never structure: what is replaced has no character that a
//! shell, a path or a URL gives a meaning to. What is shown of a command is the command.
//! **Invariant:** the cost is linear in the size of what comes in, whatever that is. **Invariant:**
//! guessing is a courtesy to the owner of a secret, not a wall: one that looks like nothing and
//! stands under a plain key passes, and so does one that could be more than a value.

mod brief;
mod harmless;
mod key;
mod known;
mod redactor;
mod shape;
mod value;

pub(crate) use brief::brief_arguments;
pub use brief::{brief, brief_with};
pub(crate) use key::names_secret;
pub(crate) use known::KnownSecrets;
pub use redactor::Redactor;
pub use value::redact;

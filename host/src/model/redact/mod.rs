//! Hides secrets in everything that a person or a log sees.
//!
//! Input: JSON or text from any source. Output: the same with each secret replaced by its
//! number of characters. A value is hidden because it is known ([`KnownSecrets`]: values that a
//! project passes to its servers), or because its key or its shape suggests a secret.
//!
//! **Invariant:** values are hidden, never structure: a replaced text contains no character with a
//! meaning for a shell, a path or a URL. A command is always shown as it is. **Invariant:** the
//! cost is linear in the size of the input. **Invariant:** guessing is a courtesy to the owner of a
//! secret, not a security boundary: a secret without a typical shape under a plain key is shown,
//! and so is one that could be more than a value.

mod brief;
mod harmless;
mod key;
mod known;
mod redactor;
mod shape;
mod value;

pub(crate) use brief::brief_arguments;
pub use brief::{brief, brief_with};
pub(crate) use harmless::hidden_mark;
pub(crate) use key::names_secret;
pub(crate) use known::KnownSecrets;
pub use redactor::Redactor;
pub use value::redact;

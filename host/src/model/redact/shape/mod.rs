//! Secrets that give themselves away by their shape, anywhere in a text.
//!
//! One pass. What follows a name is looked at only as far as a secret reaches.
//!
//! **Invariant:** a value is hidden only if all of it is harmless: nothing that a shell, a path or
//! a URL gives a meaning to. No rule hides to the end of a text, of a line or of a quoted string.

mod pem;
mod scan;
#[cfg(test)]
mod tests;

pub(super) use scan::hide;

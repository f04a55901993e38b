//! Finds secrets by their shape, anywhere in a text.
//!
//! The text is read once. Behind a name, it is read only as far as a secret can reach.
//!
//! **Invariant:** a value is hidden only if all of it is harmless: no character has a meaning for a
//! shell, a path or a URL. No rule hides up to the end of a text, of a line or of a quoted string.

mod pem;
mod scan;
#[cfg(test)]
mod tests;

pub(super) use scan::hide;

//! The words a person sees before they decide.
//!
//! In flows an ask, out flow lines: a few that say what is decided, and more for whoever wants to
//! know more.
//!
//! **Invariant:** our own words stand before a bar, what came from a program, a server, a registry
//! or a file behind it, escaped and on one line: no name or argument can pass for a line of ours.
//! What has no bar is ours. **Invariant:** text is redacted and escaped once. The values of secrets
//! are left out and counted, never what is around them. **Invariant:** the first lines, and how
//! many there are, are bounded: long text is folded in its middle, and its end is shown. The
//! details are whole.

mod details;
mod lines;
mod parts;
#[cfg(test)]
mod tests;

pub use details::{details_of_ask, details_of_ask_with};
pub use lines::{lines_of_ask, lines_of_ask_with};
pub use parts::words_of_package;

//! The text that a person sees before they decide.
//!
//! Input: an ask. Output: a few lines that say what is decided, and details for people who want to
//! know more.
//!
//! **Invariant:** pml's own text comes before a bar. Text from a program, a server, a registry or a
//! file comes behind it, escaped and on one line, so that no name or argument can pass for a line
//! of pml's. A line without a bar is pml's own. **Invariant:** text is redacted and escaped once.
//! Values of secrets are replaced by their length; the text around them is not changed.
//! **Invariant:** the length and the number of the first lines are bounded: long text is folded in
//! its middle, so that its end is shown. The details are complete.

mod details;
mod lines;
mod parts;
#[cfg(test)]
mod tests;

pub use details::{details_of_ask, details_of_ask_with};
pub use lines::{lines_of_ask, lines_of_ask_with};
pub use parts::describe_package;

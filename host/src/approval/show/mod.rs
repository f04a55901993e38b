//! The words a person sees before they decide.
//!
//! In flows an ask, out flow lines: three that say what is decided, and more for whoever wants to know more.
//!
//! **Invariant:** our own words stand before a bar, what came from a program, a server, a registry or a file behind it, escaped
//! and on one line: no name or argument can pass for a line of ours. What has no bar is ours.
//! **Invariant:** every line, and how many there are, is bounded; secrets are left out.

mod details;
mod lines;
mod parts;
#[cfg(test)]
mod tests;

pub use details::details_of_ask;
pub use lines::lines_of_ask;
pub use parts::words_of_package;

//! What a program will do: its calls, held against what the servers offer, without running it.
//!
//! In flow a [`Program`](crate::source::Program) and a
//! [`ToolListing`](crate::catalog::ToolListing), out flow [`PlannedCall`]s and [`Finding`]s.
//!
//! **Invariant:** a finding is certain: the call it tells of fails whenever it is made. What
//! depends on values that are not written out is never found wrong.

mod check;
mod finding;
mod partial_arguments;
mod planned_call;
mod script;

#[cfg(test)]
mod tests;

pub use check::check as check_program;
pub use finding::Finding;
pub use planned_call::{PlannedCall, planned_calls};
pub use script::check_script;

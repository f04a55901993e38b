//! Finds the calls that a program will make and compares them with the tools of the servers,
//! without running it.
//!
//! Input: a [`Program`](crate::source::Program) and a [`ToolListing`](crate::catalog::ToolListing).
//! Output: [`PlannedCall`]s and [`Finding`]s.
//!
//! **Invariant:** a finding is certain: its call fails whenever it is made. A call whose failure
//! depends on values that are not written out has no finding.

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

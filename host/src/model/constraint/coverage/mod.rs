//! Decides whether conditions cover all arguments of a call.
//!
//! **Invariant:** a call is covered only if every condition holds and every value in its arguments
//! is at, or below, an argument that a condition names. A value that no condition names is not
//! covered, even if it is `null` or an empty list.

mod gaps;
#[cfg(test)]
mod tests;

pub(super) use gaps::describe_steps;

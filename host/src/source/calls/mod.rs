//! Finds the calls that a program makes from its text: the tool, the arguments and the position of
//! each call.
//!
//! Input: a [`Program`](super::Program). Output: its calls as [`ProgramCall`]s, in the order of the
//! text. Calls are followed through simple aliases: `const gh = mcp.github; gh.search(…)`,
//! `const { search } = mcp.github`, `mcp["odd-name"]`, and a constant as a name. A reference that
//! the program passes on (`f(mcp.github)`) or computes (`mcp[name]`) is reported as a call that is
//! known only in part.
//!
//! **Invariant:** everything reported about a call is certain. A name that a local variable shadows
//! is not a tool, and an argument that is not written out is unknown. The program may still make
//! calls that are not reported. **Invariant:** the search is linear in the text and runs on a stack
//! that is known to be large enough.

mod find;
mod literal;
mod names;
mod walk;

#[cfg(test)]
mod tests;

pub(crate) use find::{Callee, ProgramCall, calls_of};
pub(crate) use literal::{Literal, LiteralValue};

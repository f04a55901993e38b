//! The calls that a program makes, read from its text: which tool, with which arguments, and where
//! it stands.
//!
//! In flows a [`Program`](super::Program), out flow its [`ProgramCall`] calls in the order of the
//! text. Calls are followed through what a reader follows too:
//! `const gh = mcp.github; gh.search(…)`, `const { search } = mcp.github`, `mcp["odd-name"]`, a
//! constant as a name. What a program hands on (`f(mcp.github)`) or computes (`mcp[name]`) is found
//! as a call of which only a part is known.
//!
//! **Invariant:** what is said of a call is certain: a name that a local variable shadows is no
//! tool, an argument that is not written out is unknown. What is not said may still be called.
//! **Invariant:** linear in the text, on a stack that is known to be large enough.

mod find;
mod literal;
mod names;
mod walk;

#[cfg(test)]
mod tests;

pub(crate) use find::{Callee, ProgramCall, calls_of};
pub(crate) use literal::{Literal, LiteralValue};

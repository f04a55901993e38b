//! TypeScript for the tools of the servers: a file of declarations for editors and `tsc`, and one
//! line for an agent.
//!
//! Input: definitions of tools. Output: text. A schema is read into a [`Type`](types::Type), which
//! is written over many lines or on one.
//!
//! **Invariant:** the text is valid TypeScript for any definition: names and literals are quoted,
//! comments cannot be closed, and types never refer to themselves in a way that `tsc` refuses.
//! **Invariant:** depth, number of types and length are bounded; a part that is cut off is
//! `unknown`, with a note.

mod declarations;
mod naming;
mod object;
mod reader;
mod result;
mod signature;
mod spelling;
mod text;
mod types;
mod write;

#[cfg(test)]
mod tests;

pub use declarations::declarations;
pub use signature::signature;
pub(in crate::catalog) use signature::{call_signature, first_sentence};

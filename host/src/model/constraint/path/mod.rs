//! Paths in arguments and conditions.
//!
//! Input: the texts of a call and of a condition. Output: whether the path lies below the
//! folder. Another program opens the path in the end, and it does so later: a folder may have
//! become a link by then.
//!
//! **Invariant:** a path that some program might read in another way does not resolve. This covers
//! everything that a shell or a server might expand, decode or trim, and everything with a
//! backslash, which is a separator on one machine and a letter on the other.

mod parse;
mod resolve;
#[cfg(test)]
mod tests;
mod under;

pub(super) use parse::{parse_path, resolve_lexically};
pub(crate) use resolve::{LexicalPaths, PathResolver, PathStart, ResolvedPath};
pub(super) use under::is_under;

//! Conditions on the arguments of a call, under which a grant covers it, and the conditions that a
//! call suggests.
//!
//! Input: the arguments of a call. Output: whether they are covered, or the offers that a person
//! may choose from. **Invariant:** conditions are closed-world: an argument that no condition
//! names, of any type and at any depth, is not covered. **Invariant:** in doubt no condition holds:
//! a person is asked once more, and no unintended call is sent. A condition on a path or a URL
//! holds only if every program that may read the text reads the same in it. **Invariant:** nothing
//! here accesses the disk: a [`PathResolver`], which is passed in, resolves paths.

mod argument_kind;
mod condition;
mod coverage;
mod host;
mod offered;
mod older_rules;
mod path;
mod pointer;

pub use condition::{Condition, Constraint};
pub use offered::offered;
pub(crate) use offered::offered_with;
pub(crate) use path::{LexicalPaths, PathResolver, PathStart, ResolvedPath};

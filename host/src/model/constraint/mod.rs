//! What the arguments must be for a grant to cover a call, and which such conditions a call
//! suggests.
//!
//! In flow the arguments of a call, out flows whether they are covered, or what a person may choose
//! from. **Invariant:** conditions are closed-world: an argument that no condition names, whatever
//! its type and depth, is not covered. **Invariant:** in doubt nothing holds: a person is asked
//! once more, and nothing goes out that nobody meant. A path or a URL holds only if every program
//! that may read it reads the same in it. **Invariant:** nothing here looks at a disk: where a path
//! leads is said by [`PathResolver`], which is passed in.

mod condition;
mod coverage;
mod host;
mod likeness;
mod offered;
mod older;
mod path;
mod pointer;

pub use condition::{Condition, Constraint};
pub use offered::offered;
pub(crate) use offered::offered_with;
pub(crate) use path::{LexicalPaths, PathResolver, PathStart, ResolvedPath};

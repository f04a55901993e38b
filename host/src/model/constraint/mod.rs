//! What an argument must be for a grant to cover a call, and which such conditions a call suggests.
//!
//! In flow the arguments of a call, out flows whether they are covered, or what a person may choose from. **Invariant:** in
//! doubt nothing holds: a person is asked once more, and nothing goes out that nobody meant. A path or a URL holds only if every
//! program that may read it reads the same in it.

mod condition;
mod host;
mod likeness;
mod offered;
mod path;

pub use condition::{Condition, Constraint};
pub use offered::offered;

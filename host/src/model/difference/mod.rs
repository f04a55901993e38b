//! The difference between two texts, for people to read.
//!
//! Input: two untrusted texts. Output: the words that were added, removed or unchanged, and lines
//! that show them. **Invariant:** the compared text, the time for comparing and the shown text are
//! bounded, and omissions are shown. **Invariant:** two different texts never look the same here,
//! and no text can imitate our marks.

mod definitions;
mod escape_marks;
mod lines;
mod pieces;

pub use definitions::differences_of;
pub use pieces::{DiffPiece, Difference};

//! What differs between two texts, for people to read.
//!
//! In flow two texts of others, out flow words that came, went or stayed, and lines that show them.
//! **Invariant:** what is compared, how long that takes and what is shown are bounded, and what is
//! left out is said. **Invariant:** no two different texts look the same here, and no text can draw
//! the marks that are ours.

mod definitions;
mod lines;
mod pieces;
mod spell;

pub use definitions::differences_of;
pub use pieces::{DiffPiece, Difference};

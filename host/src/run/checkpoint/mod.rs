//! What earlier runs have done, for a mended program that takes up from there.

mod past;
#[cfg(test)]
mod tests;

pub use past::Unmatched;
pub(super) use past::{Checkpoint, Recalled};

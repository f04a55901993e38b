//! What earlier runs have done, for a mended program that takes up from there.

mod earlier_run;
#[cfg(test)]
mod tests;

pub use earlier_run::UnmatchedCall;
pub(super) use earlier_run::{Checkpoint, CheckpointOutcome};

//! Checkpoints: the outcomes of earlier runs, for a mended program to reuse.

mod earlier_run;
#[cfg(test)]
mod tests;

pub use earlier_run::UnmatchedCall;
pub(super) use earlier_run::{Checkpoint, CheckpointOutcome};

//! The history of a run: the facts about each call, and the order in which outcomes were delivered.
//!
//! Input: the entries of a run. Output: a [`Timeline`]. Replay, checkpoints, answers and the
//! command line read it.
//!
//! **Invariant:** this code decides nothing. A timeline shows what was written, in the order in
//! which it was written. **Invariant:** an entry about a call that was never requested changes no
//! call.

mod call;
mod fold;
#[cfg(test)]
mod tests;

pub use call::{CallPhase, CallSpan, CallState, PastCall, PastCallStage};
pub use fold::{DeliveredOutcome, Timeline};

//! A journal, read: what is known of each call, and what the program was given in which order.
//!
//! In flow the entries of a run, out flows a [`Timeline`]. Replay, checkpoints, answers and the
//! command line read from it.
//!
//! **Invariant:** nothing here decides anything. A timeline says what was written, in the order in
//! which it was written. **Invariant:** an entry about a call that was never requested changes no
//! call.

mod call;
mod fold;
#[cfg(test)]
mod tests;

pub use call::{CallPhase, CallSpan, CallState, PastCall, PastCallStage};
pub use fold::{DeliveredOutcome, Timeline};

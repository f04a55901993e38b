//! The spine: a run from its program to its outcome.
//!
//! In flows a [`Script`](crate::Script) with its inputs, out flows an [`Outcome`]. In between, the program runs a step,
//! asks for calls, the router decides on each, and the replies go back in the order in which they arrive.
//!
//! **Invariant:** the program sees a reply only after everything that depends on its order has been noted.
//! **Invariant:** a run gives way at least once a time slice.

mod calls;
mod drive;
mod engine;
mod failure;
mod outcome;
mod perform;
mod recording;
mod replay;
mod run_builder;
mod timers;

pub use engine::Engine;
pub use failure::Failure;
pub use outcome::{Abandoned, Ending, Outcome, Usage};
pub use recording::{Recording, Turn};
pub use replay::Divergence;
pub use run_builder::Run;

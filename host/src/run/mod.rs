//! The spine: a run from its program to its outcome.
//!
//! In flows a [`Script`](crate::Script) with its inputs, out flows an [`Outcome`]. In between, the
//! program runs a step, asks for calls, the router decides on each, and the replies go back in the
//! order in which they arrive. All of it is journalled, so that a run can be cut off anywhere, wait
//! for a person as long as it must, and be rebuilt.
//!
//! | file | holds |
//! | --- | --- |
//! | `run_builder`, `run_request`, `engine` | what an embedder says |
//! | `run_driver`, `conclude`, `ending`, `abort` | a run, in memory or put away; how it ends, and is ended |
//! | `live_run`, `calls`, `timers`, `perform`, `console` | a run in memory: steps, open calls, lines |
//! | `journal_writer`, `stopwatch`, `run_clock` | what is written of it, and its clocks |
//! | `rebuild`, `replay`, `recording`, `checkpoint` | what was written, run again |
//! | `question_waiter`, `waiting_runs` | waiting for people, and for a slot |
//!
//! **Invariant:** the program sees a reply only after the journal has it, and its place in the
//! order. **Invariant:** a call goes out only after the journal says so, unless it only reads: then
//! the journal says so soon, or with its outcome. **Invariant:** a run gives way at least once a
//! time slice.

mod abort;
mod calls;
mod checkpoint;
mod conclude;
mod console;
mod ending;
mod engine;
mod failure;
mod journal_writer;
mod live_run;
mod outcome;
mod perform;
mod question_waiter;
mod rebuild;
mod recording;
mod replay;
mod run_builder;
mod run_clock;
mod run_driver;
mod run_error;
mod run_request;
mod stopwatch;
mod timers;
mod waiting_runs;

pub use crate::model::{MEMORY_CEILING, STACK_CEILING};
pub use checkpoint::UnmatchedCall;
pub use ending::{AbortedRun, CompletedCall, Ending};
pub use engine::Engine;
pub use failure::Failure;
pub use outcome::{AbandonedCall, Outcome, Usage};
pub use recording::{RecordedStep, Recording};
pub use replay::{ReplayReport, StepDivergence};
pub use run_builder::Run;
pub use run_error::JournalDivergence;

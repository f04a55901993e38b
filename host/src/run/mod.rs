//! A run from its program to its outcome.
//!
//! The input is a [`Script`](crate::Script) with its inputs, the output is an [`Outcome`]. The
//! program takes a step and requests calls, the router decides on each, and the outcomes go back in
//! the order in which they arrive. All of it is journalled: a run can be stopped anywhere, wait for
//! a person as long as it must, and be rebuilt.
//!
//! | file | holds |
//! | --- | --- |
//! | `run_builder`, `run_request`, `engine` | the calls and options of an embedder |
//! | `run_driver`, `conclude`, `ending`, `abort` | a run, in memory or evicted, and its ending |
//! | `live_run`, `calls`, `timers`, `perform`, `console` | a run in memory: steps, open calls, console |
//! | `journal_writer`, `stopwatch`, `run_clock` | its journal entries, and its clocks |
//! | `rebuild`, `replay`, `recording`, `checkpoint` | rebuilding and replaying a run, going on from a checkpoint |
//! | `failure`, `tool_failure`, `error_report`, `run_error` | what went wrong, for embedders and for the doors |
//! | `question_waiter`, `waiting_runs` | waiting for people, and for a slot |
//!
//! **Invariant:** the program sees an outcome only after the journal has it, with its place in the
//! order. **Invariant:** a call is sent only after the journal has it. A call that only reads may be
//! sent first; the journal has it soon after, or with its outcome. **Invariant:** a run yields at
//! least once a time slice.

mod abort;
mod calls;
mod checkpoint;
mod conclude;
mod console;
mod ending;
mod engine;
mod error_report;
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
mod tool_failure;
mod waiting_runs;

pub use crate::model::{MEMORY_CEILING, STACK_CEILING};
pub use checkpoint::UnmatchedCall;
pub use ending::{AbortedRun, CompletedCall, Ending, InterruptedCall};
pub use engine::Engine;
pub use error_report::ErrorReport;
pub use failure::Failure;
pub use outcome::{AbandonedCall, Outcome, Usage};
pub use recording::{RecordedStep, Recording};
pub use replay::{ReplayReport, StepDivergence};
pub use run_builder::Run;
pub use run_error::JournalDivergence;
pub use tool_failure::ToolFailure;

//! Runs that continue while clients come and go.
//!
//! Input: runs and clients. Output: the state of each run: running, asking, or ended with its
//! conclusion. Each run has its own task. A run that waits for a person stays in memory while no
//! request waits for it, and continues as soon as a person has decided, in whatever process.
//! Several clients may wait for one run.
//!
//! | file | holds |
//! | --- | --- |
//! | `run_host` | the runs of a host by their ids |
//! | `hosted_run`, `run_state`, `shown_questions` | one run, its state, and the asks that its clients were shown |
//! | `client`, `run_clients` | the clients of a host, and those of one run |
//! | `drive`, `ended_run`, `stored_ending` | drives a run until it ends, and its ending |
//! | `run_watcher`, `console_log` | the events of a run, and the console lines that each client has not read yet |
//! | `wait` | waiting for a run until it ends or asks |
//! | `record`, `record_error` | records an answer in the journal |
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), pml::Error> {
//! use pml::hosting::{PriorDecision, RunHost, WaitOutcome};
//! use pml::{Config, Engine, Script};
//!
//! let engine = Engine::new(&Config::new())?;
//! let host = RunHost::new();
//! let client = host.connect();
//! let run = host.start(&engine, &client, engine.run(Script::ts("return 42")));
//! let never = std::future::pending();
//! let WaitOutcome::Ended(ended) = run.wait(&client, PriorDecision::Nothing, never).await else {
//!     panic!("it asks nothing");
//! };
//! assert!(ended.error().is_none());
//! host.wait_closed().await;
//! # Ok(()) }
//! ```
//!
//! **Invariant:** a question is answered only through the journal, which decides which answer was
//! first.
//! **Invariant:** everything that is dropped here is in the journal. A run that was released, or
//! whose clients left, can be resumed.
//! **Invariant:** this module knows no protocol and renders no answer.

mod client;
mod console_log;
mod drive;
mod ended_run;
mod hosted_run;
mod record;
mod record_error;
mod run_clients;
mod run_host;
mod run_state;
mod run_watcher;
mod shown_questions;
mod stored_ending;
mod wait;

pub use client::Client;
pub use console_log::ConsoleExcerpt;
pub use ended_run::{CallSummary, EndedRun, RunConclusion, RunReport};
pub use hosted_run::HostedRun;
pub use record::{RecordOutcome, find_question, record_answer};
pub use record_error::RecordError;
pub use run_clients::WaitingRequest;
pub use run_host::RunHost;
pub use run_state::HostedRunState;
pub use run_watcher::{GrantNote, ReportedProgress, RunProgress, RunWatcher};
pub use stored_ending::StoredEnding;
pub use wait::{CancelRequest, PriorDecision, WaitOutcome};

#[cfg(test)]
mod tests;

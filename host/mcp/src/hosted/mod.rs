//! Runs that live in the door, not in the request that began them: a run that waits for a person stays in memory while its
//! request is answered, and goes on the moment somebody has decided, whoever it was.
//!
//! In flow runs, out flows where each stands: running, asking, or over with its answer.
//!
//! **Invariant:** nobody answers a question here but through the journal, which decides who was first.
//! **Invariant:** what is forgotten here is in the journal: a run that is let go of, or left by its client, can be taken up again.

mod run;
mod run_host;
mod run_state;
mod stored;

pub(super) use run::{HostedRun, gone, host};
pub(super) use run_host::{RunHost, release, take_up};
pub(super) use run_state::{EndedRun, HostedRunState};

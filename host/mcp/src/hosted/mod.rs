//! Runs that live in the door, not in the request that began them: a run that waits for a person stays in memory while its
//! request is answered, and goes on the moment somebody has decided, whoever it was.
//!
//! In flow runs, out flows where each stands: running, asking, or over with its answer.
//!
//! **Invariant:** nobody answers a question here but through the journal, which decides who was first.
//! **Invariant:** what is forgotten here is in the journal: a run that is let go of, or left by its client, can be taken up again.

mod house;
mod run;
mod stand;
mod stored;

pub(super) use house::{House, release, take_up};
pub(super) use run::{Hosted, gone, host};
pub(super) use stand::{Over, Stand};

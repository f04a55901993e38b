//! The calls of one run that have no outcome yet: looked up, queued, sent, asleep, or waiting for a
//! person.
//!
//! `OpenCalls` coordinates. Its parts each hold one thing: `CallArguments`, `CallTasks`,
//! `OutcomeBuffer` (outcomes and sleeps), `CheckpointReview`, `RunGrants`, `CalledOrigins`,
//! `Attempts`. `CallDecider` reads them and decides, and changes nothing.

mod approval;
mod approving;
mod arguments_memory;
mod asking;
mod attempts;
mod call_arguments;
mod call_context;
mod call_decider;
mod call_tasks;
mod checkpoint_review;
mod deciding;
mod dispatch;

mod logged;
mod needs;
mod open_calls;
mod outcome_buffer;
mod outcomes;
mod request;
mod restoring;
mod run_grants;
mod tool_changes;

pub(super) use approval::Approval;
pub(super) use open_calls::OpenCalls;
pub(super) use outcome_buffer::NextOutcome;
pub(super) use outcomes::WaitEnd;
pub(super) use restoring::PastAsk;
pub(super) use run_grants::{GrantPersistence, PendingGrantWrite};

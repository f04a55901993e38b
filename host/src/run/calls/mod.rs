//! The calls of one run that have no outcome yet: queued, out, asleep, or waiting for a person.
//!
//! In flow what a program asks for and what people decide; out flow the calls that may go, and
//! outcomes in the order in which they arrive.

mod approval;
mod approving;
mod arguments_memory;
mod asking;
mod deciding;
mod dispatch;
mod logged;
mod needs;
mod open_calls;
mod outcomes;
mod request;
mod restoring;
mod run_grants;

pub(super) use approval::Approval;
pub(super) use open_calls::OpenCalls;
pub(super) use outcomes::NextOutcome;
pub(super) use restoring::PastAsk;
pub(super) use run_grants::{GrantPersistence, PendingGrantWrite};

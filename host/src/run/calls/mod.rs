//! The calls of one run that have no outcome yet: queued, out, asleep, or waiting for a person.
//!
//! In flow what a program asks for and what people decide; out flow the calls that may go, and outcomes in the order in
//! which they arrive.

mod approval;
mod approving;
mod asking;
mod deciding;
mod flying;
mod granted;
mod logged;
mod meeting;
mod next;
mod open;
mod request;
mod restoring;
mod weights;

pub(super) use approval::Approval;
pub(super) use granted::{Keepers, Keeping};
pub(super) use next::Arrival;
pub(super) use open::Calls;
pub(super) use restoring::PastAsk;

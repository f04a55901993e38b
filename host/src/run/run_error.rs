//! Errors that stop a run from outside its program.

use super::Failure;
use super::failure;
use crate::error::Error;
use crate::model::{CallId, Code};
use crate::sandbox::StopReason;
use crate::store::StoreError;
use serde::Serialize;

/// The reason why a run cannot continue.
pub(super) enum RunError {
    /// The sandbox stopped the program.
    Stop(StopReason),
    /// The journal failed.
    Store(StoreError),
    /// The program does not do what its journal says.
    Diverged(JournalDivergence),
    /// The run was asked to suspend.
    Suspended,
}

/// The first point at which a rebuilt program differs from its journal.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct JournalDivergence {
    /// The call, or `None` if the program ended differently.
    pub call: Option<CallId>,
    /// The journal's side.
    pub expected: String,
    /// The program's side.
    pub found: String,
    /// Whether another version of the guest ran it then.
    pub guest_changed: bool,
}

impl JournalDivergence {
    fn message(&self) -> String {
        let place = match self.call {
            Some(call) => format!("at call {call}"),
            None => "at its end".into(),
        };
        format!(
            "the program did not repeat what the journal has: {place} the journal has {}, and it made {}",
            self.expected, self.found
        )
    }

    /// Returns the failure that ends the run, or `None` if the run stays as it is because the guest
    /// is the same.
    pub(super) fn failure(&self) -> Option<Failure> {
        let mut failure = failure::plain(Code::GuestChanged, self.message());
        failure.hint = Some("run the program again with `pml run --resume RUN FILE`".into());
        self.guest_changed.then_some(failure)
    }
}

impl From<StopReason> for RunError {
    fn from(stop: StopReason) -> RunError {
        RunError::Stop(stop)
    }
}

impl From<StoreError> for RunError {
    fn from(error: StoreError) -> RunError {
        RunError::Store(error)
    }
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Error {
        match error {
            RunError::Stop(stop) => {
                Error::new(Code::Internal, "the sandbox failed").with_source(stop)
            }
            RunError::Store(error) => error.into(),
            RunError::Suspended => Error::new(Code::Cancelled, "the run was suspended")
                .with_hint("`pml run --resume RUN` goes on with it"),
            RunError::Diverged(diverged) => Error::new(Code::ReplayDiverged, diverged.message()),
        }
    }
}

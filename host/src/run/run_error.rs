//! What ends a run from outside its program.

use super::Failure;
use super::failure;
use crate::error::Error;
use crate::model::{CallId, Code};
use crate::sandbox::StopReason;
use crate::store::StoreError;
use serde::Serialize;

/// Why a run cannot go on.
pub(super) enum RunError {
    /// The sandbox stopped the program.
    Stop(StopReason),
    /// The journal does not take it.
    Store(StoreError),
    /// The program does not do what its journal says.
    Diverged(JournalDivergence),
    /// It was to be left where it is.
    Suspended,
}

/// Where a rebuilt program first did something else than its journal says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct JournalDivergence {
    /// The call; nothing if the difference is in how the program ended.
    pub call: Option<CallId>,
    /// What the journal says.
    pub expected: String,
    /// What the program did.
    pub found: String,
    /// Whether another guest ran it then.
    pub guest_changed: bool,
}

impl JournalDivergence {
    fn message(&self) -> String {
        let place = match self.call {
            Some(call) => format!("at call {call}"),
            None => "at its end".into(),
        };
        format!(
            "the program does not repeat what it did: {place} the journal has {}, it did {}",
            self.expected, self.found
        )
    }

    /// How the run ends, if that is how it should end: the journal is kept, and the run with it.
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
    fn from(trouble: RunError) -> Error {
        match trouble {
            RunError::Stop(stop) => {
                Error::new(Code::Internal, "the sandbox failed").with_source(stop)
            }
            RunError::Store(error) => error.into(),
            RunError::Suspended => Error::new(Code::Cancelled, "the run was left where it is")
                .with_hint("`pml run --resume RUN` goes on with it"),
            RunError::Diverged(diverged) => Error::new(Code::ReplayDiverged, diverged.message()),
        }
    }
}

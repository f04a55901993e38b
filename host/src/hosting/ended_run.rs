//! The end of a run: its conclusion and its report.

use super::run_watcher::GrantNote;
use super::stored_ending::StoredEnding;
use crate::error::Error;
use crate::model::{CallResult, Code, Effects, RunId};
use crate::run::{Ending, Outcome, ToolFailure};
use crate::store::{PastCallStage, StoredRun, Timeline};

/// A run that is over, or that cannot continue here.
#[derive(Debug)]
#[non_exhaustive]
pub struct EndedRun {
    /// The run.
    pub run: RunId,
    /// Its conclusion.
    pub conclusion: RunConclusion,
    /// Whether a client cancelled it.
    pub cancelled: bool,
}

/// The conclusion of a run.
#[derive(Debug)]
pub enum RunConclusion {
    /// The run ended here.
    Outcome(Box<RunReport>),
    /// The run ended earlier or elsewhere, according to its journal.
    Stored(Box<StoredEnding>),
    /// The run is not over, or that is not known: the error that prevents it from continuing here.
    Unavailable(Error),
}

/// The outcome of a run that ended here, with its calls and grants.
#[derive(Debug)]
#[non_exhaustive]
pub struct RunReport {
    /// The outcome. Its console is empty: each client reads the lines from its own position, see
    /// [`RunWatcher::unread_lines`](super::RunWatcher::unread_lines).
    pub outcome: Outcome,
    /// The calls of a run that did not finish, from which another run may continue.
    pub calls: Option<CallSummary>,
    /// The grants that were written, or could not be written.
    pub grant_notes: Vec<GrantNote>,
}

/// The calls of a run that have their results, by the names that the program wrote. Timers are
/// excluded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallSummary {
    /// Calls that returned a value, in order.
    pub completed: Vec<String>,
    /// The last call that failed.
    pub failed: Option<String>,
    /// Calls that were sent and have no outcome: they may have had an effect. Empty while a process
    /// has the run.
    pub unsettled: Vec<String>,
}

impl EndedRun {
    pub(super) fn new(run: RunId, conclusion: RunConclusion) -> EndedRun {
        EndedRun { run, conclusion, cancelled: false }
    }

    /// Returns the error code that prevents the run from continuing here, if it is not over.
    pub fn error(&self) -> Option<Code> {
        match &self.conclusion {
            RunConclusion::Unavailable(error) => Some(error.kind()),
            RunConclusion::Outcome(_) | RunConclusion::Stored(_) => None,
        }
    }

    /// Returns its approximate size in bytes.
    pub(super) fn size(&self) -> usize {
        match &self.conclusion {
            RunConclusion::Outcome(report) => {
                let ending = size_of(&report.outcome.ending);
                let failures = report.outcome.tool_failures.iter().map(ToolFailure::size);
                ending
                    + failures.sum::<usize>()
                    + report.calls.as_ref().map_or(0, CallSummary::size)
            }
            RunConclusion::Stored(stored) => stored.size(),
            RunConclusion::Unavailable(_) => 0,
        }
    }
}

/// Returns the approximate size of an ending in bytes.
pub(super) fn size_of(ending: &Ending) -> usize {
    match ending {
        Ending::Finished(_) => ending.json().map_or(0, str::len),
        other => serde_json::to_string(other).map_or(0, |text| text.len()),
    }
}

impl CallSummary {
    /// Reads from a stored run which calls have their results.
    pub fn of(stored: &StoredRun) -> CallSummary {
        let (timeline, mut summary) = (Timeline::of(&stored.entries), CallSummary::default());
        for outcome in &timeline.outcomes {
            let call = timeline.calls.get(&outcome.call).filter(|call| !call.is_timer());
            match (call, outcome.settled) {
                (Some(call), CallResult::Value(_)) => summary.completed.push(call.tool.to_owned()),
                (Some(call), CallResult::Error { .. }) => {
                    summary.failed = Some(call.tool.to_owned())
                }
                (None, _) => {}
            }
        }
        let cut_off = timeline.calls.values();
        let cut_off = cut_off.filter(|call| {
            let reads_only = call.sent.as_ref().is_some_and(|it| it.effects == Effects::ReadOnly);
            call.stage == PastCallStage::Executing && !reads_only
        });
        summary.unsettled = cut_off.map(|call| call.tool.to_owned()).collect();
        summary
    }

    pub(super) fn size(&self) -> usize {
        self.completed.iter().chain(&self.unsettled).map(String::len).sum()
    }
}

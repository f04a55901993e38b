//! What a run came to.

use super::run_watcher::{FailedCall, GrantNote};
use super::stored_ending::StoredEnding;
use crate::error::Error;
use crate::model::{CallResult, Code, RunId};
use crate::run::{Ending, Outcome};
use crate::store::{StoredRun, Timeline};

/// A run that is over, or that cannot go on here.
#[derive(Debug)]
#[non_exhaustive]
pub struct EndedRun {
    /// Which run.
    pub run: RunId,
    /// What it came to.
    pub conclusion: RunConclusion,
    /// Whether a client cancelled it.
    pub cancelled: bool,
}

/// What a run came to.
#[derive(Debug)]
pub enum RunConclusion {
    /// It ended here.
    Outcome(Box<RunReport>),
    /// It ended earlier or elsewhere, as its journal says.
    Stored(StoredEnding),
    /// It is not over, or nobody knows: the error that keeps it from going on here.
    Unavailable(Error),
}

/// The outcome of a run that ended here, and what was noticed of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct RunReport {
    /// The outcome. Its console is empty: each client reads the lines from its own position, see
    /// [`RunWatcher::unread_lines`](super::RunWatcher::unread_lines).
    pub outcome: Outcome,
    /// The calls of a run that did not finish, from which another run may go on.
    pub calls: Option<CallSummary>,
    /// Calls that failed, also if the program caught the error.
    pub failures: Vec<FailedCall>,
    /// What became of what was allowed for good.
    pub grant_notes: Vec<GrantNote>,
}

/// The calls of a run that have their results, by the names that the program wrote. Timers are left
/// out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallSummary {
    /// Those that gave a value, in order.
    pub completed: Vec<String>,
    /// The last one that failed.
    pub failed: Option<String>,
}

impl EndedRun {
    pub(super) fn new(run: RunId, conclusion: RunConclusion) -> EndedRun {
        EndedRun { run, conclusion, cancelled: false }
    }

    /// Returns what keeps the run from going on here, if it is not over.
    pub fn error(&self) -> Option<Code> {
        match &self.conclusion {
            RunConclusion::Unavailable(error) => Some(error.kind()),
            RunConclusion::Outcome(_) | RunConclusion::Stored(_) => None,
        }
    }

    /// Returns about how many bytes it takes to keep.
    pub(super) fn size(&self) -> usize {
        match &self.conclusion {
            RunConclusion::Outcome(report) => {
                let ending = size_of(&report.outcome.ending);
                let failures = report.failures.iter().map(|failed| failed.error.message.len());
                ending
                    + failures.sum::<usize>()
                    + report.calls.as_ref().map_or(0, CallSummary::size)
            }
            RunConclusion::Stored(stored) => stored.size(),
            RunConclusion::Unavailable(_) => 0,
        }
    }
}

/// Returns about how many bytes an ending takes.
pub(super) fn size_of(ending: &Ending) -> usize {
    match ending {
        Ending::Finished(_) => ending.json().map_or(0, str::len),
        other => serde_json::to_string(other).map_or(0, |text| text.len()),
    }
}

impl CallSummary {
    /// Reads which calls of a run have their results.
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
        summary
    }

    pub(super) fn size(&self) -> usize {
        self.completed.iter().map(String::len).sum()
    }
}

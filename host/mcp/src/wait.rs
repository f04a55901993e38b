//! A request waits for a run: until it is over, or asks.
//!
//! **Invariant:** a request that its client cancels takes its run and the run's calls with it. A client that is gone does
//! not: its programs go on until their next outcome is journalled, and can be taken up from there.

use super::channel::Caller;
use super::hosted::{EndedRun, HostedRun, HostedRunState, gone};
use crate::progress_reporter::ProgressReporter;
use crate::server::RequestScope;
use pml::{Question, QuestionId};
use rmcp::ErrorData;
use std::sync::Arc;
use std::time::Duration;

/// A run of which a part was decided has gone on as far as it can if no call of it was out for this long. If it takes longer,
/// no harm is done: the rest of its question is shown, and whoever answers it gets what became of the run.
const QUIET: Duration = Duration::from_millis(50);

/// What a request waited for.
pub(super) enum WaitOutcome {
    Ended(Arc<EndedRun>),
    Asked(Question),
}

/// What was decided just before.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum PriorDecision {
    Nothing,
    /// All of this question: it is as good as gone.
    Settled(QuestionId),
    /// A part of one: the run may go on, or wait for the rest.
    Part,
}

/// Waits for a run, telling how far it is.
pub(super) async fn attend(
    visit: &RequestScope,
    caller: &Caller<'_>,
    hosted: &HostedRun,
    after: PriorDecision,
    telling: &mut ProgressReporter,
) -> Result<WaitOutcome, ErrorData> {
    let (mut stand, mut closing) = (hosted.stand(), visit.door.closing.subscribe());
    let (mut leaving, mut count) = (false, hosted.watcher.count());
    loop {
        let seen = look(&stand.borrow_and_update(), after);
        let asks = match seen {
            Some(WaitOutcome::Asked(question)) if after == PriorDecision::Part => Some(question),
            Some(seen) => return Ok(seen),
            None => None,
        };
        let quiet = after == PriorDecision::Part && hosted.watcher.is_quiet();
        tokio::select! {
            biased;
            changed = stand.changed() => {
                if changed.is_err() {
                    return Err(left());
                }
            }
            // Before a cancellation: rmcp cancels the requests of a client that is gone, too.
            () = gone(&mut closing), if !leaving => leaving = true,
            () = caller.context.ct.cancelled(), if !leaving => return Err(cancel(caller, hosted)),
            () = telling.due(), if !leaving => telling.tell(hosted.watcher.progress()),
            _ = count.changed(), if after == PriorDecision::Part => {}
            () = tokio::time::sleep(QUIET), if quiet && asks.is_some() => {
                if let Some(question) = asks {
                    return Ok(WaitOutcome::Asked(question));
                }
            }
        }
    }
}

fn look(stand: &HostedRunState, after: PriorDecision) -> Option<WaitOutcome> {
    match stand {
        HostedRunState::Running => None,
        HostedRunState::Asking(open) => {
            let first = open.iter().find(|question| PriorDecision::Settled(question.id) != after);
            first.cloned().map(WaitOutcome::Asked)
        }
        HostedRunState::Ended(over) => Some(WaitOutcome::Ended(over.clone())),
    }
}

/// The client does not want the run any more: nobody is to take it up as if it had been cut off.
pub(super) fn cancel(caller: &Caller<'_>, hosted: &HostedRun) -> ErrorData {
    hosted.cancel(caller.who());
    ErrorData::internal_error("the request was cancelled", None)
}

/// Nobody reads this any more.
pub(super) fn left() -> ErrorData {
    ErrorData::internal_error(
        "the client is gone: the run can be taken up with `pml run --resume`",
        None,
    )
}

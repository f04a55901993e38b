//! Drives a run until it ends, is released, is cancelled, or all its clients are gone.

use super::client::wait_until;
use super::ended_run::{CallSummary, EndedRun, RunConclusion, RunReport};
use super::hosted_run::{HostedRun, Retention};
use super::run_state::HostedRunState;
use super::stored_ending::{self, CANCELLED};
use crate::error::Error;
use crate::model::{Code, RunId};
use crate::run::{Ending, Engine, Outcome, Run};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long a program may continue after its clients are gone, until the outcome of one of its
/// calls is journalled.
pub(super) const GRACE_PERIOD: Duration = Duration::from_secs(5);

/// Drives a run until it ends here or elsewhere. `suspend` is the run's suspend flag.
pub(super) async fn drive(
    engine: &Engine,
    hosted: &HostedRun,
    run: Run,
    suspend: &AtomicBool,
) -> EndedRun {
    let mut run = run.into_future();
    let (mut state, mut retention) = (hosted.state.subscribe(), hosted.retention.subscribe());
    let mut deadline = None;
    let asks = |state: &HostedRunState| matches!(state, HostedRunState::Asking(_));
    loop {
        tokio::select! {
            biased;
            outcome = &mut run => return ended_with(engine, hosted, outcome).await,
            // Checked before a cancellation: the requests of a client that is gone may be
            // cancelled, too.
            () = hosted.clients.all_gone(), if deadline.is_none() => {
                suspend.store(true, Ordering::Relaxed);
                deadline = Some(Instant::now() + GRACE_PERIOD);
            }
            () = hosted.clients.someone_present(), if deadline.is_some() => {
                suspend.store(false, Ordering::Relaxed);
                deadline = None;
            }
            // The question is in the journal already.
            () = wait_until(&mut state, asks), if deadline.is_some() => break,
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => break,
            // The run was polled just before: it has not begun a call that would be cut off.
            () = wait_until(&mut retention, |it| *it != Retention::Keep), if deadline.is_none() => {
                if !hosted.withdraw_release() {
                    break;
                }
            }
        }
    }
    let retention = retention.borrow().clone();
    // The run is dropped before another process may claim it.
    drop(run);
    let Retention::Cancelled(request) = retention else { return released(hosted.id()) };
    // If the abort cannot be written, the run remains a run that was cut off, or it belongs to
    // another process and was never here.
    let aborted = engine.abort(hosted.id(), CANCELLED, &request.who, &request.channel);
    if let Err(error) = aborted.await {
        return stored_ending::unavailable(hosted.id(), error);
    }
    let mut ended = stored_ending::read(engine, hosted.id()).await;
    ended.cancelled = true;
    ended
}

/// Returns the ending of a run that is only in the journal now.
fn released(run: RunId) -> EndedRun {
    let error = Error::new(Code::Cancelled, "the run is left where it is, in the journal")
        .with_hint("`pml run --resume` goes on with it");
    stored_ending::unavailable(run, error)
}

async fn ended_with(
    engine: &Engine,
    hosted: &HostedRun,
    outcome: Result<Outcome, Error>,
) -> EndedRun {
    let run = hosted.id();
    let mut outcome =
        match outcome {
            Ok(outcome) => outcome,
            // Another process ended the run first.
            Err(error) if error.kind() == Code::RunEnded => {
                return stored_ending::read(engine, run).await;
            }
            Err(error) if error.kind() == Code::RunOwned => {
                return stored_ending::unavailable(run, error.with_hint(format!(
                "what was answered counts there: `pml runs show {run}` tells what becomes of it"
            )));
            }
            Err(error) => return stored_ending::unavailable(run, error),
        };
    // Each client reads its lines from the watcher.
    outcome.console = Vec::new();
    // The calls are loaded only if another run may continue from them.
    let stored = match outcome.ending {
        Ending::Finished(_) | Ending::Waiting(_) => None,
        _ => engine.journal().load(outcome.run_id).await.ok(),
    };
    let report = RunReport {
        outcome,
        calls: stored.as_ref().map(CallSummary::of),
        grant_notes: hosted.watcher().take_grant_notes(),
    };
    EndedRun::new(run, RunConclusion::Outcome(Box::new(report)))
}

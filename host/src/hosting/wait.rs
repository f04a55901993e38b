//! A client waits for a run: until it ends, or asks.
//!
//! **Invariant:** a request that its client cancels ends its run and the run's calls, unless
//! another client waits for it. A client that is gone ends nothing: its runs go on until the next
//! outcome is journalled, and can be resumed from there.

use super::client::Client;
use super::drive::GRACE;
use super::ended_run::EndedRun;
use super::hosted_run::HostedRun;
use super::run_state::HostedRunState;
use crate::model::{Question, QuestionId};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// A run of which a part was decided has gone on as far as it can if no call of it was out for this
/// long. If it takes longer, no harm is done: the rest of its question is shown, and whoever
/// answers it gets what became of the run.
const QUIET: Duration = Duration::from_millis(50);

/// What a client waited for.
#[derive(Clone, Debug)]
pub enum WaitOutcome {
    /// The run is over, or cannot go on here.
    Ended(Arc<EndedRun>),
    /// The run asks.
    Asked(Question),
    /// The client cancelled its request. The run is cancelled with it, unless another client waits
    /// for it.
    Cancelled,
    /// The client is gone, and the run goes on for other clients.
    ClientGone,
}

/// Who cancels.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CancelRequest {
    /// Who it is, as the journal is to name them.
    pub who: String,
    /// By which channel.
    pub channel: String,
}

impl CancelRequest {
    /// Returns who cancels, and by which channel.
    pub fn new(who: impl Into<String>, channel: impl Into<String>) -> CancelRequest {
        CancelRequest { who: who.into(), channel: channel.into() }
    }
}

/// What was decided just before a client waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriorDecision {
    /// Nothing.
    Nothing,
    /// All of this question: the run has yet to notice, or is noticing now.
    Settled(QuestionId),
    /// A part of a question: the run may go on, or wait for the rest.
    Part,
}

impl HostedRun {
    /// Waits until the run ends or asks, or until `cancelled` is ready. A question that is settled,
    /// as `after` says, is not waited for again. Dropping the future stops the wait and nothing
    /// else.
    ///
    /// A client that is gone waits for the end all the same: it may still read. It waits only for
    /// some seconds if the run goes on for other clients.
    pub async fn wait(
        &self,
        client: &Client,
        after: PriorDecision,
        cancelled: impl Future<Output = CancelRequest>,
    ) -> WaitOutcome {
        let _request = self.register_request(client);
        tokio::pin!(cancelled);
        let (mut state, mut count) = (self.state(), self.watcher().count());
        let (mut is_gone, mut gone_until) = (false, None);
        loop {
            let seen = outcome_of(&state.borrow_and_update(), after);
            let asks = match seen {
                Some(WaitOutcome::Asked(question)) if after == PriorDecision::Part => {
                    Some(question)
                }
                Some(seen) => return seen,
                None => None,
            };
            let quiet = after == PriorDecision::Part && self.watcher().is_quiet();
            tokio::select! {
                biased;
                changed = state.changed() => {
                    if changed.is_err() {
                        // The run has the sender.
                        pending::<()>().await;
                    }
                }
                // Before a cancellation: the requests of a client that is gone may be cancelled,
                // too.
                () = client.gone(), if !is_gone => {
                    is_gone = true;
                    gone_until = Some(Instant::now() + GRACE);
                }
                request = &mut cancelled, if !is_gone => {
                    self.cancel_for(client, request);
                    return WaitOutcome::Cancelled;
                }
                () = sleep_until(gone_until.unwrap_or_else(Instant::now)), if gone_until.is_some() => {
                    if self.clients.any_present() {
                        return WaitOutcome::ClientGone;
                    }
                    // The run ends now.
                    gone_until = None;
                }
                _ = count.changed(), if after == PriorDecision::Part => {}
                () = sleep(QUIET), if quiet && asks.is_some() => {
                    if let Some(question) = asks {
                        return WaitOutcome::Asked(question);
                    }
                }
            }
        }
    }

    /// Cancels the run for a client, unless another client waits for it. Returns whether it was
    /// cancelled.
    pub fn cancel_for(&self, client: &Client, request: CancelRequest) -> bool {
        let cancels = !self.clients.others_wait(client);
        if cancels {
            self.cancel(request);
        }
        cancels
    }
}

fn outcome_of(state: &HostedRunState, after: PriorDecision) -> Option<WaitOutcome> {
    match state {
        HostedRunState::Running => None,
        HostedRunState::Asking(open) => {
            let first = open.iter().find(|question| PriorDecision::Settled(question.id) != after);
            first.cloned().map(WaitOutcome::Asked)
        }
        HostedRunState::Ended(ended) => Some(WaitOutcome::Ended(ended.clone())),
    }
}

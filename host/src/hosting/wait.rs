//! Waiting for a run until it ends or asks.
//!
//! **Invariant:** if a client cancels its request, the run and its calls end, unless another request
//! waits for the run, of the same client or another. If a client is gone, no run ends: its runs continue until the next outcome is
//! journalled, and can be resumed from there.

use super::client::Client;
use super::drive::GRACE_PERIOD;
use super::ended_run::EndedRun;
use super::hosted_run::HostedRun;
use super::run_clients::WaitingRequest;
use super::run_state::HostedRunState;
use crate::model::{Question, QuestionId};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// A partly decided run has continued as far as it can if none of its calls was in flight for this
/// long. If it takes longer, no harm is done: the rest of its question is shown, and whoever
/// answers it gets the state of the run.
const QUIET_PERIOD: Duration = Duration::from_millis(50);

/// The result of waiting for a run.
#[derive(Clone, Debug)]
pub enum WaitOutcome {
    /// The run is over, or cannot continue here.
    Ended(Arc<EndedRun>),
    /// The run asks.
    Asked(Question),
    /// The client cancelled its request. The run is cancelled with it, unless another request waits
    /// for it.
    Cancelled,
    /// The client is gone, and the run continues for other clients.
    ClientGone,
}

/// The sender of a cancellation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CancelRequest {
    /// The name that the journal records.
    pub who: String,
    /// The channel of the cancellation.
    pub channel: String,
}

impl CancelRequest {
    /// Returns a cancellation by `who`, through `channel`.
    pub fn new(who: impl Into<String>, channel: impl Into<String>) -> CancelRequest {
        CancelRequest { who: who.into(), channel: channel.into() }
    }
}

/// The decision that was made just before a client waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriorDecision {
    /// No decision.
    Nothing,
    /// Every ask of this question is decided: the run has not noticed yet, or is noticing now.
    Settled(QuestionId),
    /// Some asks of a question are decided: the run may continue, or wait for the rest.
    Part,
}

impl HostedRun {
    /// Waits until the run ends or asks, or until `cancelled` is ready. A question that `after`
    /// names as settled is not returned again. Dropping the future only stops the wait.
    ///
    /// A client that is gone still waits for the end, because it may still read. If the run
    /// continues for other clients, it waits only for a few seconds.
    pub async fn wait(
        &self,
        client: &Client,
        after: PriorDecision,
        cancelled: impl Future<Output = CancelRequest>,
    ) -> WaitOutcome {
        let request = self.register_request(client);
        self.wait_for_request(&request, after, cancelled).await
    }

    /// Like [`HostedRun::wait`], for a request that is registered already: it may wait several
    /// times.
    pub async fn wait_for_request(
        &self,
        request: &WaitingRequest<'_>,
        after: PriorDecision,
        cancelled: impl Future<Output = CancelRequest>,
    ) -> WaitOutcome {
        let client = request.client();
        tokio::pin!(cancelled);
        let (mut state, mut count) = (self.state(), self.watcher().count());
        let (mut is_gone, mut gone_until) = (false, None);
        loop {
            let outcome = outcome_of(&state.borrow_and_update(), after);
            let asks = match outcome {
                Some(WaitOutcome::Asked(question)) if after == PriorDecision::Part => {
                    Some(question)
                }
                Some(outcome) => return outcome,
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
                // Checked before a cancellation: the requests of a client that is gone may be
                // cancelled, too.
                () = client.wait_gone(), if !is_gone => {
                    is_gone = true;
                    gone_until = Some(Instant::now() + GRACE_PERIOD);
                }
                cancellation = &mut cancelled, if !is_gone => {
                    self.cancel_for(request, cancellation);
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
                () = sleep(QUIET_PERIOD), if quiet && asks.is_some() => {
                    if let Some(question) = asks {
                        return WaitOutcome::Asked(question);
                    }
                }
            }
        }
    }

    /// Cancels the run for a request, unless another request waits for it. Reports whether it was
    /// cancelled.
    pub fn cancel_for(&self, request: &WaitingRequest<'_>, cancellation: CancelRequest) -> bool {
        let cancels = !self.clients.remove_request(request);
        if cancels {
            self.cancel(cancellation);
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

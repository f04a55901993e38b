//! Tracks the progress of calls in flight: when a server last reported any, and the callback to
//! pass it to.

use rmcp::model::{NumberOrString, ProgressNotificationParam, ProgressToken};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// The progress of a call, as its server reports it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerProgress {
    /// The amount that is done so far.
    pub(crate) done: f64,
    /// The total amount, if the server knows it.
    pub(crate) total: Option<f64>,
    /// The server's message, not yet escaped.
    pub(crate) message: Option<String>,
}

/// Receives the progress of a call. It is called from the server's own task and must not block.
pub(crate) type ServerProgressSink = Arc<dyn Fn(ServerProgress) + Send + Sync>;

/// The calls in flight.
#[derive(Default)]
pub(super) struct ProgressTracker {
    calls: Mutex<HashMap<i64, TrackedCall>>,
}

struct TrackedCall {
    last: Option<Instant>,
    sink: Option<ServerProgressSink>,
}

/// A call that is tracked until this is dropped.
pub(super) struct TrackingGuard<'a> {
    tracker: &'a ProgressTracker,
    token: i64,
}

impl ProgressTracker {
    /// Starts to track a call.
    pub(super) fn track(
        &self,
        token: &ProgressToken,
        sink: Option<ServerProgressSink>,
    ) -> TrackingGuard<'_> {
        let token = token_number(token).unwrap_or(-1);
        self.lock().insert(token, TrackedCall { last: None, sink });
        TrackingGuard { tracker: self, token }
    }

    /// Records progress. Reports for unknown calls are ignored.
    pub(super) fn report(&self, progress: ProgressNotificationParam) {
        let mut calls = self.lock();
        let Some(call) =
            token_number(&progress.progress_token).and_then(|token| calls.get_mut(&token))
        else {
            return;
        };
        call.last = Some(Instant::now());
        let sink = call.sink.clone();
        drop(calls);
        if let Some(sink) = sink {
            sink(ServerProgress {
                done: progress.progress,
                total: progress.total,
                message: progress.message,
            });
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, TrackedCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TrackingGuard<'_> {
    /// Returns the time of the server's last progress report.
    pub(super) fn last(&self) -> Option<Instant> {
        self.tracker.lock().get(&self.token).and_then(|call| call.last)
    }
}

impl Drop for TrackingGuard<'_> {
    fn drop(&mut self) {
        self.tracker.lock().remove(&self.token);
    }
}

/// Our tokens are numbers, but some servers send them back as strings.
fn token_number(token: &ProgressToken) -> Option<i64> {
    match &token.0 {
        NumberOrString::Number(number) => Some(*number),
        NumberOrString::String(text) => text.parse().ok(),
    }
}

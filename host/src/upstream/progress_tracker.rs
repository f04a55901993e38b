//! Tracks the progress of calls in flight: when a server last reported any, and who wants to know.

use crate::model::{CallProgress, CallProgressSink};
use rmcp::model::{NumberOrString, ProgressNotificationParam, ProgressToken};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// The calls in flight.
#[derive(Default)]
pub(super) struct ProgressTracker {
    calls: Mutex<HashMap<i64, TrackedCall>>,
}

struct TrackedCall {
    last: Option<Instant>,
    sink: Option<CallProgressSink>,
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
        sink: Option<CallProgressSink>,
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
            let ProgressNotificationParam { progress: done, total, message, .. } = progress;
            sink.report(CallProgress::new(done, total, message.as_deref()));
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

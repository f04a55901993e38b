//! Progress of the calls that are out: when a server last reported any, and who wants to know.

use rmcp::model::{NumberOrString, ProgressNotificationParam, ProgressToken};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// How far a call is, as its server says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerProgress {
    /// What is done so far.
    pub(crate) done: f64,
    /// What there is to do, if the server knows.
    pub(crate) total: Option<f64>,
    /// The server's own words; not yet escaped.
    pub(crate) message: Option<String>,
}

/// Who is told of a call's progress. It is called from the server's own task and must not block.
pub(crate) type ServerProgressSink = Arc<dyn Fn(ServerProgress) + Send + Sync>;

/// The calls that are out.
#[derive(Default)]
pub(super) struct ProgressTracker {
    calls: Mutex<HashMap<i64, TrackedCall>>,
}

struct TrackedCall {
    last: Option<Instant>,
    sink: Option<ServerProgressSink>,
}

/// A call's place on the board; it is taken off when this is dropped.
pub(super) struct TrackingGuard<'a> {
    board: &'a ProgressTracker,
    token: i64,
}

impl ProgressTracker {
    /// Puts a call on the board.
    pub(super) fn place(
        &self,
        token: &ProgressToken,
        sink: Option<ServerProgressSink>,
    ) -> TrackingGuard<'_> {
        let token = number(token).unwrap_or(-1);
        self.lock().insert(token, TrackedCall { last: None, sink });
        TrackingGuard { board: self, token }
    }

    /// Takes note of progress. Of a call that is not out, nothing is kept.
    pub(super) fn report(&self, said: ProgressNotificationParam) {
        let mut calls = self.lock();
        let Some(row) = number(&said.progress_token).and_then(|token| calls.get_mut(&token)) else {
            return;
        };
        row.last = Some(Instant::now());
        let sink = row.sink.clone();
        drop(calls);
        if let Some(sink) = sink {
            sink(ServerProgress { done: said.progress, total: said.total, message: said.message });
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, TrackedCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TrackingGuard<'_> {
    /// Returns when the server last reported progress.
    pub(super) fn last(&self) -> Option<Instant> {
        self.board.lock().get(&self.token).and_then(|row| row.last)
    }
}

impl Drop for TrackingGuard<'_> {
    fn drop(&mut self) {
        self.board.lock().remove(&self.token);
    }
}

/// Tokens are ours and numbers; some servers send them back as text.
fn number(token: &ProgressToken) -> Option<i64> {
    match &token.0 {
        NumberOrString::Number(number) => Some(*number),
        NumberOrString::String(text) => text.parse().ok(),
    }
}

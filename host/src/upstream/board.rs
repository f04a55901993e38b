//! Progress of the calls that are out: when a server last reported any, and who wants to know.

use rmcp::model::{NumberOrString, ProgressNotificationParam, ProgressToken};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// How far a call is, as its server says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    /// What is done so far.
    pub(crate) done: f64,
    /// What there is to do, if the server knows.
    pub(crate) total: Option<f64>,
    /// The server's own words; not yet escaped.
    pub(crate) message: Option<String>,
}

/// Who is told of a call's progress. It is called from the server's own task and must not block.
pub(crate) type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// The calls that are out.
#[derive(Default)]
pub(super) struct Board {
    calls: Mutex<HashMap<i64, Row>>,
}

struct Row {
    last: Option<Instant>,
    sink: Option<ProgressSink>,
}

/// A call's place on the board; it is taken off when this is dropped.
pub(super) struct Place<'a> {
    board: &'a Board,
    token: i64,
}

impl Board {
    /// Puts a call on the board.
    pub(super) fn place(&self, token: &ProgressToken, sink: Option<ProgressSink>) -> Place<'_> {
        let token = number(token).unwrap_or(-1);
        self.lock().insert(token, Row { last: None, sink });
        Place { board: self, token }
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
            sink(Progress { done: said.progress, total: said.total, message: said.message });
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i64, Row>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place<'_> {
    /// Returns when the server last reported progress.
    pub(super) fn last(&self) -> Option<Instant> {
        self.board.lock().get(&self.token).and_then(|row| row.last)
    }
}

impl Drop for Place<'_> {
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

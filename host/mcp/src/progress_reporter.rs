//! Reports to the client of one request how far its run is.
//!
//! **Invariant:** the numbers of one request only grow.

use pml::hosting::{RunProgress, RunWatcher};
use pml::text::escape;
use rmcp::Peer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{RequestContext, RoleServer};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// Progress is reported no more often than this: nobody reads faster.
const INTERVAL: Duration = Duration::from_millis(100);

/// While a person is waited for, the client hears at least this often that we are there.
const BEAT: Duration = Duration::from_secs(5);

/// Reports to one client.
pub(super) struct ProgressReporter {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    count: watch::Receiver<u64>,
    number: f64,
    /// When the next report may go out.
    earliest: Instant,
    /// The last report, until the client has taken it.
    last: Option<JoinHandle<()>>,
}

impl ProgressReporter {
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        watcher: &RunWatcher,
    ) -> ProgressReporter {
        let mut count = watcher.count();
        // What happened before is reported too.
        if *count.borrow() > 0 {
            count.mark_changed();
        }
        ProgressReporter {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            count,
            number: 0.0,
            earliest: Instant::now(),
            last: None,
        }
    }

    /// Waits until there is something to report, the last report was not too recent, and the client
    /// has taken it.
    pub(super) async fn due(&mut self) {
        if self.token.is_none() {
            return std::future::pending().await;
        }
        sleep_until(self.earliest).await;
        while self.last.as_ref().is_some_and(|last| !last.is_finished()) {
            tokio::time::sleep(INTERVAL).await;
        }
        if self.count.changed().await.is_err() {
            std::future::pending().await
        }
    }

    /// Waits until the client should hear of us again.
    pub(super) async fn heartbeat_due(&self) {
        match self.token {
            Some(_) => tokio::time::sleep(BEAT).await,
            None => std::future::pending().await,
        }
    }

    /// Reports how far the run is.
    pub(super) fn report_progress(&mut self, progress: &RunProgress) {
        self.report(progress_text(progress));
    }

    /// Reports a line, in a task of its own: a client that does not read must not hold up the run.
    pub(super) fn report(&mut self, line: String) {
        let Some(token) = self.token.clone() else { return };
        self.earliest = Instant::now() + INTERVAL;
        if self.last.as_ref().is_some_and(|last| !last.is_finished()) {
            return;
        }
        self.number += 1.0;
        let progress = ProgressNotificationParam::new(token, self.number).with_message(line);
        let peer = self.peer.clone();
        self.last = Some(tokio::spawn(async move {
            // A client that is gone is noticed by the transport.
            let _ = peer.notify_progress(progress).await;
        }));
    }
}

/// Returns how far a run is, as a line for people.
pub(super) fn progress_text(progress: &RunProgress) -> String {
    if let Some(preparation) = &progress.preparation {
        let what = escape(&preparation.what);
        return match preparation.total {
            Some(total) => format!("{what} ({} of {total})", preparation.done),
            None => what.into_owned(),
        };
    }
    let done = match progress.calls_done {
        1 => "1 call done".into(),
        done => format!("{done} calls done"),
    };
    let line = match (&progress.newest_call, progress.calls_in_flight) {
        (Some(tool), 1) => format!("{done}, calling {tool}"),
        (Some(tool), calls) => {
            format!("{done}, calling {tool} and {} more", calls.saturating_sub(1))
        }
        (None, _) => done,
    };
    escape(&line).into_owned()
}

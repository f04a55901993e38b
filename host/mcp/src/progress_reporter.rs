//! Tells the client of one request how far its run is.
//!
//! **Invariant:** the numbers of one request only grow.

use super::watcher::RunWatcher;
use rmcp::Peer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{RequestContext, RoleServer};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// Progress is told no more often than this: nobody reads faster.
const TELL: Duration = Duration::from_millis(100);

/// While a person is waited for, the client hears at least this often that we are there.
const BEAT: Duration = Duration::from_secs(5);

/// What one client is told.
pub(super) struct ProgressReporter {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    count: watch::Receiver<u64>,
    number: f64,
    from: Instant,
    /// The last thing that was told, until the client has taken it.
    last: Option<JoinHandle<()>>,
}

impl ProgressReporter {
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        watcher: &RunWatcher,
    ) -> ProgressReporter {
        let mut count = watcher.count();
        // What happened before is worth telling too.
        if *count.borrow() > 0 {
            count.mark_changed();
        }
        ProgressReporter {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            count,
            number: 0.0,
            from: Instant::now(),
            last: None,
        }
    }

    /// Waits until there is something to tell, nobody was told too recently, and the client has taken what it was told last.
    pub(super) async fn due(&mut self) {
        if self.token.is_none() {
            return std::future::pending().await;
        }
        sleep_until(self.from).await;
        while self.last.as_ref().is_some_and(|last| !last.is_finished()) {
            tokio::time::sleep(TELL).await;
        }
        if self.count.changed().await.is_err() {
            std::future::pending().await
        }
    }

    /// Waits until the client should hear of us again.
    pub(super) async fn beat_due(&self) {
        match self.token {
            Some(_) => tokio::time::sleep(BEAT).await,
            None => std::future::pending().await,
        }
    }

    /// Tells a line, in a task of its own: a client that does not read must not hold up the run.
    pub(super) fn tell(&mut self, line: String) {
        let Some(token) = self.token.clone() else { return };
        self.from = Instant::now() + TELL;
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

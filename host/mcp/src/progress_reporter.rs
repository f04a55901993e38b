//! Reports the progress of a run to the client of one request.
//!
//! **Invariant:** the numbers of one request only grow.

use pml::event::CallProgress;
use pml::hosting::{RunProgress, RunWatcher};
use pml::text::{Redactor, cut, escape, in_one_line};
use rmcp::Peer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{RequestContext, RoleServer};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// The shortest time between two progress reports: nobody reads faster.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// The longest time between two reports while the run waits for a person, so that the client knows
/// that the server is alive.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Maximum number of characters of a server's message in a report.
const MAX_MESSAGE: usize = 200;

/// Reports progress to one client.
pub(super) struct ProgressReporter {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    count: watch::Receiver<u64>,
    number: f64,
    /// The earliest time of the next report.
    earliest: Instant,
    /// The task that sends the last report, until the client has received it.
    last: Option<JoinHandle<()>>,
}

impl ProgressReporter {
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        watcher: &RunWatcher,
    ) -> ProgressReporter {
        let mut count = watcher.count();
        // Earlier events are reported too.
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

    /// Waits until there is something to report, the interval has passed, and the client has
    /// received the last report.
    pub(super) async fn wait_until_due(&mut self) {
        if self.token.is_none() {
            return std::future::pending().await;
        }
        sleep_until(self.earliest).await;
        while self.last.as_ref().is_some_and(|last| !last.is_finished()) {
            tokio::time::sleep(MIN_INTERVAL).await;
        }
        if self.count.changed().await.is_err() {
            std::future::pending().await
        }
    }

    /// Waits until the next heartbeat is due.
    pub(super) async fn wait_for_heartbeat(&self) {
        match self.token {
            Some(_) => tokio::time::sleep(HEARTBEAT).await,
            None => std::future::pending().await,
        }
    }

    /// Reports the progress of the run.
    pub(super) fn report_progress(&mut self, progress: &RunProgress, redactor: &Redactor) {
        self.report(progress_text(progress, redactor));
    }

    /// Reports a line in its own task: a client that does not read must not block the run.
    pub(super) fn report(&mut self, line: String) {
        let Some(token) = self.token.clone() else { return };
        self.earliest = Instant::now() + MIN_INTERVAL;
        if self.last.as_ref().is_some_and(|last| !last.is_finished()) {
            return;
        }
        self.number += 1.0;
        let progress = ProgressNotificationParam::new(token, self.number).with_message(line);
        let peer = self.peer.clone();
        self.last = Some(tokio::spawn(async move {
            // The transport notices a client that is gone.
            let _ = peer.notify_progress(progress).await;
        }));
    }
}

/// Formats the progress of a run as a line for people.
pub(super) fn progress_text(progress: &RunProgress, redactor: &Redactor) -> String {
    if let Some(reported) = &progress.reported {
        return reported_text(reported.tool.as_str(), &reported.progress, redactor);
    }
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

/// Formats what the tool of a call reported: `files:search 3/10: message`.
fn reported_text(tool: &str, progress: &CallProgress, redactor: &Redactor) -> String {
    let mut line = escape(tool).into_owned();
    match progress.total.filter(|total| total.is_finite()) {
        _ if !progress.done.is_finite() => {}
        Some(total) => line += &format!(" {}/{}", amount(progress.done), amount(total)),
        None => line += &format!(" {}", amount(progress.done)),
    }
    if let Some(message) = progress.message.as_deref().filter(|message| !message.is_empty()) {
        line += ": ";
        line += &cut(&in_one_line(&redactor.redact_text(message)), MAX_MESSAGE);
    }
    line
}

/// Formats an amount, with two decimals at most.
fn amount(amount: f64) -> String {
    let text = format!("{amount:.2}");
    match text.len() > MAX_AMOUNT {
        true => format!("{amount:e}"),
        false => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

/// Maximum number of characters of an amount: a larger one is written with its exponent.
const MAX_AMOUNT: usize = 24;

#[cfg(test)]
mod tests {
    use super::{amount, reported_text};
    use pml::event::CallProgress;
    use pml::{Secret, text::Redactor};

    #[test]
    fn what_a_server_reports_is_one_short_line_without_its_secrets() {
        let redactor = Redactor::with_secrets([Secret::new("hunter2-hunter2")]);
        let line = |done, total, message| {
            reported_text("a:b", &CallProgress::new(done, total, message), &redactor)
        };
        assert_eq!(line(3.0, Some(10.0), None), "a:b 3/10");
        assert_eq!(line(0.5, None, Some("")), "a:b 0.5");
        assert_eq!(line(f64::NAN, Some(1.0), Some("x\ny\u{202e}")), "a:b: x\\ny\\u{202e}");
        assert_eq!(line(1.0, Some(f64::INFINITY), None), "a:b 1");
        let shown = line(1.0, None, Some("with hunter2-hunter2"));
        assert!(shown.starts_with("a:b 1: with [") && !shown.contains("hunter2"), "{shown}");
        assert!(line(1.0, None, Some(&"long ".repeat(1_000))).chars().count() < 230);
    }

    #[test]
    fn amounts_are_short() {
        assert_eq!([3.0, 0.5, 1.0 / 3.0, -0.0].map(amount), ["3", "0.5", "0.33", "-0"]);
        assert_eq!(amount(100.0), "100");
        assert_eq!(amount(f64::MAX), "1.7976931348623157e308");
    }
}

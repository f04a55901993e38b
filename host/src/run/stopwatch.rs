//! Measures the time that counts against a run's timeout. It stops while the run waits for people.

use std::time::{Duration, Instant};

/// A clock that can be stopped.
pub(super) struct Stopwatch {
    before: Duration,
    since: Option<Instant>,
}

impl Stopwatch {
    /// Returns a stopped one that shows `before`.
    pub(super) fn new(before: Duration) -> Stopwatch {
        Stopwatch { before, since: None }
    }

    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    pub(super) fn start(&mut self) {
        self.since.get_or_insert_with(Instant::now);
    }

    pub(super) fn stop(&mut self) {
        self.before = self.elapsed();
        self.since = None;
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

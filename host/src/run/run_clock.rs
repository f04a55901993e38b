//! The clock of one run: it never goes back.

use crate::model::{Clock, Timestamp};
use std::sync::Arc;

/// A clock, and its last reading.
#[derive(Clone)]
pub(super) struct RunClock {
    clock: Arc<dyn Clock>,
    last: Timestamp,
}

impl RunClock {
    pub(super) fn new(clock: Arc<dyn Clock>, last: Timestamp) -> RunClock {
        RunClock { clock, last }
    }

    /// Reads the clock. If it went back, returns the last reading.
    pub(super) fn now(&mut self) -> Timestamp {
        self.reach(self.clock.now())
    }

    /// Advances to `at`, unless the clock is past it. Returns the reading.
    pub(super) fn reach(&mut self, at: Timestamp) -> Timestamp {
        self.last = self.last.max(at);
        self.last
    }

    pub(super) fn last(&self) -> Timestamp {
        self.last
    }
}

//! Clocks that only a test moves.

use pml::{Clock, Timestamp};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A clock that a test sets. It begins at 0.
#[derive(Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// Returns a clock that stands at `micros`.
    pub fn at(micros: u64) -> ManualClock {
        ManualClock(AtomicU64::new(micros))
    }

    /// Sets the clock to `micros`.
    pub fn set(&self, micros: u64) {
        self.0.store(micros, Ordering::SeqCst);
    }

    /// Moves the clock forward.
    pub fn forward(&self, by: Duration) {
        self.0.fetch_add(u64::try_from(by.as_micros()).expect("not for ever"), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

/// A clock that never moves: only sleeps move a run's time.
pub struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        Timestamp(1_700_000_000_000_000)
    }
}

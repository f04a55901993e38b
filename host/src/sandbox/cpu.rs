//! CPU time of one run, counted while its JavaScript runs. Others add the time that the host spends
//! on the program's values.
//!
//! A step that ends within its first slice is measured by the monotonic clock, which is cheap. A
//! longer step is busy: from then on the thread's own CPU clock counts, so that a program is not
//! charged for a crowded machine.

use crate::model::{CpuUse, thread_time};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// CPU time of a run, shared by its step and the callback that ends its slices.
#[derive(Default)]
pub(crate) struct CpuMeter {
    used: CpuUse,
    slices: AtomicU64,
    busy: AtomicBool,
    uncharged_nanos: AtomicU64,
}

/// The time from one poll of the guest to its return.
pub(crate) struct CpuInterval {
    start: Instant,
    thread: Option<Duration>,
}

impl CpuInterval {
    fn elapsed(&self) -> Duration {
        let thread =
            self.thread.and_then(|start| thread_time().map(|now| now.saturating_sub(start)));
        thread.unwrap_or_else(|| self.start.elapsed())
    }
}

impl CpuMeter {
    /// Starts a step.
    pub(crate) fn start_step(&self) {
        self.busy.store(false, Relaxed);
    }

    /// Starts an interval: the guest gets the thread.
    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    pub(crate) fn start_interval(&self) -> CpuInterval {
        let thread = if self.busy.load(Relaxed) { thread_time() } else { None };
        CpuInterval { start: Instant::now(), thread }
    }

    /// Ends an interval: the guest returns the thread. Returns how long it had it.
    pub(crate) fn end_interval(&self, interval: &CpuInterval) -> Duration {
        let uncharged = Duration::from_nanos(self.uncharged_nanos.swap(0, Relaxed));
        let spent = match interval.thread {
            // The thread's own clock does not count the time during which the host's work waited.
            Some(_) => interval.elapsed(),
            None => interval.elapsed().saturating_sub(uncharged),
        };
        self.used.add(spent);
        spent
    }

    /// Does work of the host within an interval, without charging the program for it.
    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    pub(crate) fn uncharged<T>(&self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = work();
        let nanos = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.uncharged_nanos.fetch_add(nanos, Relaxed);
        done
    }

    /// Counts a slice that has ended while the guest continues.
    pub(crate) fn count_slice(&self) {
        self.busy.store(true, Relaxed);
        self.slices.fetch_add(1, Relaxed);
    }

    /// Sets the CPU time used, replacing the time counted so far.
    pub(crate) fn set_used(&self, used: Duration) {
        self.used.set(used);
    }

    /// Returns the CPU time used up to the last return of the guest.
    pub(crate) fn used(&self) -> Duration {
        self.used.get()
    }

    /// Returns the counter itself, for callers that add to it.
    pub(crate) fn counter(&self) -> CpuUse {
        self.used.clone()
    }

    /// Returns how many slices ended while the guest was not done.
    pub(crate) fn slices(&self) -> u64 {
        self.slices.load(Relaxed)
    }
}

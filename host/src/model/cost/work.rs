//! Work of the host for a run: on the current thread if it is short, on another if it is long.

use super::{RunBudget, thread_time};
use crate::model::{CallError, Code};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Bytes of JSON that are processed without reading the clock.
pub(super) const SMALL: usize = 4 << 10;

/// The price of such a byte: parsing and writing take between two and ten nanoseconds.
const PRICE_PER_BYTE: Duration = Duration::from_nanos(4);

/// Bytes of JSON that are processed on the current thread: about a millisecond. More would delay
/// other runs, and is moved to another thread.
pub(crate) const INLINE_LIMIT: usize = 128 << 10;

/// Threads for long work, of all engines together: each may hold as much memory as a run may.
const THREADS: usize = 4;

static FREE_THREADS: Semaphore = Semaphore::const_new(THREADS);

/// The reason why work was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HaltReason {
    /// The run has no CPU time left.
    CpuTime,
    /// Nobody waits for it any more.
    Cancelled,
    /// It panicked.
    Broken(String),
}

/// Work in progress. It may continue on several threads, one after the other.
pub(crate) struct HostWork<'a> {
    budget: &'a RunBudget,
    /// Set once nobody waits for the work any more; `None` for work that runs on the caller's
    /// thread.
    cancelled: Option<&'a AtomicBool>,
    metered: bool,
}

impl HostWork<'_> {
    /// Begins work on this thread.
    pub(crate) fn begin(&self) -> WorkSlice<'_> {
        WorkSlice { work: self, last: Cell::new(self.metered.then(ClockReading::now)) }
    }
}

/// A reading of the clocks.
#[derive(Clone, Copy)]
struct ClockReading {
    thread: Option<Duration>,
    wall: Instant,
}

impl ClockReading {
    #[expect(clippy::disallowed_methods, reason = "measures a span; no program sees it")]
    fn now() -> ClockReading {
        ClockReading { thread: thread_time(), wall: Instant::now() }
    }

    fn since(self, before: ClockReading) -> Duration {
        match (self.thread, before.thread) {
            (Some(now), Some(before)) => now.saturating_sub(before),
            _ => self.wall.saturating_duration_since(before.wall),
        }
    }
}

/// The part of the work that runs on one thread. Its CPU time is charged at each check, and when it
/// is dropped.
pub(crate) struct WorkSlice<'a> {
    work: &'a HostWork<'a>,
    last: Cell<Option<ClockReading>>,
}

impl<'a> WorkSlice<'a> {
    /// Returns the work that it is part of.
    pub(crate) fn work(&self) -> &'a HostWork<'a> {
        self.work
    }

    /// Returns an error if the work must stop. To be called about every hundred microseconds.
    pub(crate) fn check(&self) -> Result<(), HaltReason> {
        self.charge();
        if self.work.cancelled.is_some_and(|cancelled| cancelled.load(Relaxed)) {
            return Err(HaltReason::Cancelled);
        }
        match self.work.metered && self.work.budget.is_spent() {
            true => Err(HaltReason::CpuTime),
            false => Ok(()),
        }
    }

    fn charge(&self) {
        if let Some(before) = self.last.get() {
            let now = ClockReading::now();
            self.work.budget.charge(now.since(before));
            self.last.set(Some(now));
        }
    }
}

impl Drop for WorkSlice<'_> {
    fn drop(&mut self) {
        self.charge();
    }
}

impl From<HaltReason> for CallError {
    fn from(halt: HaltReason) -> CallError {
        match halt {
            HaltReason::CpuTime => CallError::new(Code::CpuTime, "the run has no CPU time left"),
            HaltReason::Cancelled => {
                CallError::new(Code::Cancelled, "nobody waits for it any more")
            }
            HaltReason::Broken(reason) => CallError::new(Code::Internal, reason),
        }
    }
}

/// Cancels the work when its future is dropped.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

impl RunBudget {
    /// Runs work on `bytes` of JSON on this thread.
    pub(crate) fn work_here<T>(&self, bytes: usize, work: impl FnOnce(&HostWork<'_>) -> T) -> T {
        let metered = bytes > SMALL;
        if !metered {
            self.charge_for(bytes);
        }
        work(&HostWork { budget: self, cancelled: None, metered })
    }

    /// Charges the fixed price of this much JSON, for work that is not timed.
    pub(crate) fn charge_for(&self, bytes: usize) {
        self.charge(PRICE_PER_BYTE.saturating_mul(u32::try_from(bytes).unwrap_or(u32::MAX)));
    }

    /// Runs work on `bytes` of JSON, on another thread if there are many. Dropping the future stops
    /// the work at its next check.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(&HostWork<'_>) -> T + Send + 'static,
    ) -> Result<T, HaltReason> {
        if bytes <= INLINE_LIMIT {
            return Ok(self.work_here(bytes, work));
        }
        let closed = |_| HaltReason::Cancelled;
        let turn = self.turn().acquire_owned().await.map_err(closed)?;
        let free = FREE_THREADS.acquire().await.map_err(closed)?;
        let cancelled = Arc::<AtomicBool>::default();
        let _waiting = CancelOnDrop(cancelled.clone());
        let budget = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let done =
                work(&HostWork { budget: &budget, cancelled: Some(&cancelled), metered: true });
            // The permits stay taken until the thread is done, even if nobody waits for it.
            drop((turn, free));
            done
        });
        done.await.map_err(|error| HaltReason::Broken(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::{HaltReason, INLINE_LIMIT, SMALL, THREADS};
    use crate::model::Limits;
    use crate::model::cost::{CpuUse, RunBudget};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::Duration;

    fn budget(cpu_time: Duration) -> (RunBudget, CpuUse) {
        let used = CpuUse::default();
        (RunBudget::new(&Limits { cpu_time, ..Limits::default() }, used.clone()), used)
    }

    #[tokio::test]
    async fn short_work_has_a_fixed_price() {
        let (budget, used) = budget(Duration::from_secs(1));
        let done = budget.work(SMALL, |work| work.begin().check()).await;
        assert_eq!(done, Ok(Ok(())));
        assert_eq!(used.get(), Duration::from_nanos(4) * SMALL as u32);
    }

    #[tokio::test]
    async fn work_without_end_ends_with_the_cpu_time() {
        let (budget, used) = budget(Duration::from_millis(20));
        for bytes in [SMALL + 1, INLINE_LIMIT + 1] {
            let done = budget.work(bytes, |work| {
                let slice = work.begin();
                loop {
                    slice.check()?;
                }
            });
            assert_eq!(done.await, Ok(Err::<(), _>(HaltReason::CpuTime)));
        }
        assert!(used.get() > Duration::from_millis(20), "{used:?}");
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_stops() {
        let (budget, _) = budget(Duration::from_secs(3600));
        let (ended, end) = tokio::sync::oneshot::channel();
        let (began, begin) = tokio::sync::oneshot::channel();
        let work = budget.work(INLINE_LIMIT + 1, move |work| {
            let slice = work.begin();
            let _ = began.send(());
            let halt = loop {
                if let Err(halt) = slice.check() {
                    break halt;
                }
            };
            let _ = ended.send(halt);
        });
        tokio::select! {
            _ = work => panic!("it has no end"),
            _ = begin => {}
        }
        assert_eq!(end.await, Ok(HaltReason::Cancelled));
    }

    #[tokio::test]
    async fn work_that_panics_says_so() {
        let (budget, _) = budget(Duration::from_secs(1));
        let done = budget.work(INLINE_LIMIT + 1, |_| panic!("a bug")).await;
        assert!(matches!(done, Err::<(), _>(HaltReason::Broken(_))), "{done:?}");
        assert_eq!(budget.work(INLINE_LIMIT + 1, |_| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn few_threads_work_at_once_and_one_of_each_run() {
        let (at_once, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let runs: Vec<_> = (0..3 * THREADS).map(|_| budget(Duration::from_secs(60)).0).collect();
        let all = runs.iter().map(|budget| {
            let (at_once, most) = (at_once.clone(), most.clone());
            budget.work(INLINE_LIMIT + 1, move |_| {
                most.fetch_max(at_once.fetch_add(1, SeqCst) + 1, SeqCst);
                std::thread::yield_now();
                at_once.fetch_sub(1, SeqCst);
            })
        });
        futures_util::future::join_all(all).await;
        assert!(most.load(SeqCst) <= THREADS, "{most:?}");
        let one = &runs[0];
        let many = (0..8).map(|_| {
            let at_once = at_once.clone();
            one.work(INLINE_LIMIT + 1, move |_| {
                let others = at_once.fetch_add(1, SeqCst);
                std::thread::yield_now();
                at_once.fetch_sub(1, SeqCst);
                others
            })
        });
        let others = futures_util::future::join_all(many).await;
        assert!(others.iter().all(|others| *others == Ok(0)), "{others:?}");
    }
}

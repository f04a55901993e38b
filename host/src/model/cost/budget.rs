//! What a run may spend in the host, shared by all that works for it.

use crate::model::Limits;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::Semaphore;

/// The CPU time of one run: what its JavaScript took, and what the host took for its values.
#[derive(Clone, Debug, Default)]
pub(crate) struct CpuUse(Arc<AtomicU64>);

impl CpuUse {
    /// Adds to it.
    pub(crate) fn add(&self, time: Duration) {
        self.0.fetch_add(nanos(time), Relaxed);
    }

    /// Sets it, whatever was counted before.
    pub(crate) fn set(&self, time: Duration) {
        self.0.store(nanos(time), Relaxed);
    }

    /// Returns what was used so far.
    pub(crate) fn get(&self) -> Duration {
        Duration::from_nanos(self.0.load(Relaxed))
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// What a run may spend in the host. Clones share what was spent.
#[derive(Clone)]
pub(crate) struct Budget {
    cpu_time: Duration,
    used: CpuUse,
    memory: usize,
    /// One piece of long work at a time: a run that has many does not keep others from the few threads there are.
    pub(super) turn: Arc<Semaphore>,
}

impl Budget {
    /// Returns the budget of a run whose CPU time is counted by `used`.
    pub(crate) fn new(limits: &Limits, used: CpuUse) -> Budget {
        let turn = Arc::new(Semaphore::new(1));
        Budget { cpu_time: limits.cpu_time, used, memory: limits.host_memory(), turn }
    }

    /// Returns a budget of its own for something that no run does: it may take what a run may by default.
    pub(crate) fn of_nobody() -> Budget {
        Budget::new(&Limits::default(), CpuUse::default())
    }

    /// Returns how many bytes values of one kind may take that the host holds for the run.
    pub(crate) fn host_memory(&self) -> usize {
        self.memory
    }

    /// Charges CPU time.
    pub(crate) fn charge(&self, time: Duration) {
        self.used.add(time);
    }

    /// Returns whether more CPU time was used than there is.
    pub(crate) fn is_spent(&self) -> bool {
        self.used.get() > self.cpu_time
    }
}

/// All budgets are alike to those who compare calls.
impl PartialEq for Budget {
    fn eq(&self, _: &Budget) -> bool {
        true
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("used", &self.used.get()).finish_non_exhaustive()
    }
}

//! The budget of a run in the host, shared by all work for the run.

use crate::model::Limits;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use tokio::sync::Semaphore;

/// The CPU time of one run: that of its JavaScript, and that of the host for its values.
#[derive(Clone, Debug, Default)]
pub(crate) struct CpuUse(Arc<AtomicU64>);

impl CpuUse {
    /// Adds CPU time.
    pub(crate) fn add(&self, time: Duration) {
        self.0.fetch_add(nanos(time), Relaxed);
    }

    /// Sets the CPU time, and discards the earlier count.
    pub(crate) fn set(&self, time: Duration) {
        self.0.store(nanos(time), Relaxed);
    }

    /// Returns the CPU time used so far.
    pub(crate) fn get(&self) -> Duration {
        Duration::from_nanos(self.0.load(Relaxed))
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The CPU time and memory that a run may use in the host. Clones share the counts.
#[derive(Clone)]
pub(crate) struct RunBudget(Arc<RunBudgetState>);

struct RunBudgetState {
    cpu_time: Duration,
    used: CpuUse,
    memory: usize,
    /// Bytes of answers that the program has not read yet.
    unread: AtomicUsize,
    /// Allows one piece of long work at a time, so that a run with much work does not take all of
    /// the few threads.
    turn: Arc<Semaphore>,
}

impl RunBudget {
    /// Returns the budget of a run whose CPU time is counted by `used`.
    pub(crate) fn new(limits: &Limits, used: CpuUse) -> RunBudget {
        RunBudget(Arc::new(RunBudgetState {
            cpu_time: limits.cpu_time,
            used,
            memory: limits.host_memory(),
            unread: AtomicUsize::new(0),
            turn: Arc::new(Semaphore::new(1)),
        }))
    }

    /// Returns a separate budget for work that belongs to no run, with the default limits of a run.
    pub(crate) fn without_run() -> RunBudget {
        RunBudget::new(&Limits::default(), CpuUse::default())
    }

    /// Returns how many bytes values of one kind may take in the host for the run.
    pub(crate) fn host_memory(&self) -> usize {
        self.0.memory
    }

    /// Counts an answer of this many bytes until it is read. Returns `None` if the limit is
    /// exceeded.
    pub(crate) fn count_unread(&self, bytes: usize) -> Option<UnreadReply> {
        let before = self.0.unread.fetch_add(bytes, Relaxed);
        let unread = UnreadReply { budget: self.clone(), bytes };
        (before.saturating_add(bytes) <= self.0.memory).then_some(unread)
    }

    /// Charges CPU time.
    pub(crate) fn charge(&self, time: Duration) {
        self.0.used.add(time);
    }

    /// Reports whether the CPU time is used up.
    pub(crate) fn is_spent(&self) -> bool {
        self.0.used.get() > self.0.cpu_time
    }

    /// Returns the semaphore for long work of the run.
    pub(super) fn turn(&self) -> Arc<Semaphore> {
        self.0.turn.clone()
    }
}

/// The count of an answer that the program has not read yet. Dropping it ends the count.
pub(crate) struct UnreadReply {
    budget: RunBudget,
    bytes: usize,
}

impl Drop for UnreadReply {
    fn drop(&mut self) {
        self.budget.0.unread.fetch_sub(self.bytes, Relaxed);
    }
}

/// Treats all budgets as equal, so that they do not matter when calls are compared.
impl PartialEq for RunBudget {
    fn eq(&self, _: &RunBudget) -> bool {
        true
    }
}

impl fmt::Debug for RunBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("used", &self.0.used.get()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::RunBudget;

    #[test]
    fn answers_that_nobody_reads_are_bounded() {
        let budget = RunBudget::without_run();
        let half = budget.host_memory() / 2;
        let (one, other) = (budget.count_unread(half), budget.count_unread(half));
        assert!(one.is_some() && other.is_some());
        assert!(budget.clone().count_unread(1).is_none());
        drop(one);
        assert!(budget.count_unread(half).is_some());
    }
}

//! Runs that wait for people while they still hold a slot of the sandbox.
//!
//! When another run finds no slot, or the waiting runs hold too much memory, the run that has waited
//! longest is evicted. It is rebuilt from its journal later.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The waiting runs of an engine.
pub(super) struct WaitingRuns {
    state: Mutex<WaitingRunsState>,
    /// The bytes that waiting runs may hold together.
    memory: usize,
}

#[derive(Default)]
struct WaitingRunsState {
    next: u64,
    /// How to evict each run, and the bytes that it holds, by when it began to wait.
    waiting: BTreeMap<u64, (Arc<Notify>, usize)>,
    memory: usize,
    /// Runs that found no slot.
    queued: usize,
    /// Runs that are being evicted and still hold their slot.
    evicting: usize,
}

/// A waiting run that can be evicted. To be dropped after the slot.
pub(super) struct WaitingRun {
    runs: Arc<WaitingRuns>,
    number: u64,
    evict: Arc<Notify>,
}

/// A run that waits for a slot, until it is dropped.
pub(super) struct SlotRequest(Arc<WaitingRuns>);

impl WaitingRuns {
    /// Returns an empty list. Its runs may hold `memory` bytes together.
    pub(super) fn new(memory: usize) -> WaitingRuns {
        WaitingRuns { state: Mutex::default(), memory }
    }

    fn state(&self) -> MutexGuard<'_, WaitingRunsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a run that holds `memory` bytes.
    pub(super) fn add(self: &Arc<WaitingRuns>, memory: usize) -> WaitingRun {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        let evict = Arc::new(Notify::new());
        state.waiting.insert(number, (evict.clone(), memory));
        state.memory += memory;
        while state.queued > state.evicting && state.evict_one() {}
        while state.memory > self.memory && state.evict_one() {}
        WaitingRun { runs: self.clone(), number, evict }
    }

    /// Requests a slot: the run that has waited longest is evicted, now or when there is one.
    pub(super) fn request_slot(self: &Arc<WaitingRuns>) -> SlotRequest {
        let mut state = self.state();
        state.queued += 1;
        state.evict_one();
        SlotRequest(self.clone())
    }
}

impl WaitingRunsState {
    fn evict_one(&mut self) -> bool {
        let Some((_, (evict, memory))) = self.waiting.pop_first() else { return false };
        self.memory -= memory;
        self.evicting += 1;
        evict.notify_one();
        true
    }
}

impl WaitingRun {
    /// Waits until the run is to be evicted.
    pub(super) async fn evicted(&self) {
        self.evict.notified().await;
    }
}

impl Drop for WaitingRun {
    fn drop(&mut self) {
        let mut state = self.runs.state();
        match state.waiting.remove(&self.number) {
            Some((_, memory)) => state.memory -= memory,
            None => state.evicting -= 1,
        }
    }
}

impl Drop for SlotRequest {
    fn drop(&mut self) {
        self.0.state().queued -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{WaitingRun, WaitingRuns};
    use futures_util::FutureExt;
    use std::sync::Arc;

    fn is_evicted(run: &WaitingRun) -> bool {
        run.evicted().now_or_never().is_some()
    }

    #[test]
    fn the_longest_waiting_run_gives_its_slot_to_one_that_finds_none() {
        let runs = Arc::new(WaitingRuns::new(usize::MAX));
        let (first, second) = (runs.add(1), runs.add(1));
        let _queued = runs.request_slot();
        assert!(is_evicted(&first) && !is_evicted(&second));
        drop(first);
        let _queued = runs.request_slot();
        assert!(is_evicted(&second));
    }

    #[test]
    fn a_run_that_begins_to_wait_gives_its_slot_to_one_that_found_none_before() {
        let runs = Arc::new(WaitingRuns::new(usize::MAX));
        let queued = runs.request_slot();
        let first = runs.add(1);
        assert!(is_evicted(&first));
        drop((first, queued));
        assert!(!is_evicted(&runs.add(1)));
    }

    #[test]
    fn runs_that_hold_too_much_memory_leave_oldest_first() {
        let runs = Arc::new(WaitingRuns::new(10));
        let (first, second) = (runs.add(6), runs.add(6));
        assert!(is_evicted(&first) && !is_evicted(&second));
        let third = runs.add(20);
        assert!(is_evicted(&second) && is_evicted(&third));
    }
}

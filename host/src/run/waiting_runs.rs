//! Where runs wait for people while they still hold a slot of the sandbox.
//!
//! In flow runs that begin to wait; out flow requests to give their slot up, oldest first, when
//! another run finds no slot or when those that wait hold too much memory. A run that gave its slot
//! up is rebuilt from its journal.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The waiting runs of an engine.
pub(super) struct WaitingRuns {
    seats: Mutex<WaitingRunsState>,
    memory: usize,
}

#[derive(Default)]
struct WaitingRunsState {
    next: u64,
    taken: BTreeMap<u64, (Arc<Notify>, usize)>,
    memory: usize,
    /// Runs that found no slot.
    queued: usize,
    /// Runs that were asked to give theirs up and have not done so yet.
    leaving: usize,
}

/// A waiting run that can be asked to give its slot up. To be dropped after the slot.
pub(super) struct WaitingRun {
    parking: Arc<WaitingRuns>,
    number: u64,
    leave: Arc<Notify>,
}

/// A run that waits for a slot. Dropping it gives up waiting.
pub(super) struct SlotRequest(Arc<WaitingRuns>);

impl WaitingRuns {
    /// Returns an empty one, where runs may hold `memory` bytes together.
    pub(super) fn new(memory: usize) -> WaitingRuns {
        WaitingRuns { seats: Mutex::default(), memory }
    }

    fn seats(&self) -> MutexGuard<'_, WaitingRunsState> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a seat for a run that holds `memory` bytes.
    pub(super) fn sit(self: &Arc<WaitingRuns>, memory: usize) -> WaitingRun {
        let mut seats = self.seats();
        let number = seats.next;
        seats.next += 1;
        let leave = Arc::new(Notify::new());
        seats.taken.insert(number, (leave.clone(), memory));
        seats.memory += memory;
        while seats.queued > seats.leaving && seats.ask_one_to_leave() {}
        while seats.memory > self.memory && seats.ask_one_to_leave() {}
        WaitingRun { parking: self.clone(), number, leave }
    }

    /// Says that a run finds no slot: the run that has waited longest gives up its own, now or when
    /// there is one.
    pub(super) fn queue(self: &Arc<WaitingRuns>) -> SlotRequest {
        let mut seats = self.seats();
        seats.queued += 1;
        seats.ask_one_to_leave();
        SlotRequest(self.clone())
    }
}

impl WaitingRunsState {
    fn ask_one_to_leave(&mut self) -> bool {
        let Some((_, (leave, memory))) = self.taken.pop_first() else { return false };
        self.memory -= memory;
        self.leaving += 1;
        leave.notify_one();
        true
    }
}

impl WaitingRun {
    /// Waits until the slot is needed.
    pub(super) async fn asked_to_leave(&self) {
        self.leave.notified().await;
    }
}

impl Drop for WaitingRun {
    fn drop(&mut self) {
        let mut seats = self.parking.seats();
        match seats.taken.remove(&self.number) {
            Some((_, memory)) => seats.memory -= memory,
            None => seats.leaving -= 1,
        }
    }
}

impl Drop for SlotRequest {
    fn drop(&mut self) {
        self.0.seats().queued -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{WaitingRun, WaitingRuns};
    use futures_util::FutureExt;
    use std::sync::Arc;

    fn leaves(seat: &WaitingRun) -> bool {
        seat.asked_to_leave().now_or_never().is_some()
    }

    #[test]
    fn the_longest_waiting_run_gives_its_slot_to_one_that_finds_none() {
        let parking = Arc::new(WaitingRuns::new(usize::MAX));
        let (first, second) = (parking.sit(1), parking.sit(1));
        let _queued = parking.queue();
        assert!(leaves(&first) && !leaves(&second));
        drop(first);
        let _queued = parking.queue();
        assert!(leaves(&second));
    }

    #[test]
    fn a_run_that_begins_to_wait_gives_its_slot_to_one_that_found_none_before() {
        let parking = Arc::new(WaitingRuns::new(usize::MAX));
        let queued = parking.queue();
        let first = parking.sit(1);
        assert!(leaves(&first));
        drop((first, queued));
        assert!(!leaves(&parking.sit(1)));
    }

    #[test]
    fn runs_that_hold_too_much_memory_leave_oldest_first() {
        let parking = Arc::new(WaitingRuns::new(10));
        let (first, second) = (parking.sit(6), parking.sit(6));
        assert!(leaves(&first) && !leaves(&second));
        let third = parking.sit(20);
        assert!(leaves(&second) && leaves(&third));
    }
}

//! Outcomes on their way to the program: answers that have arrived, and sleeps that have ended, in
//! their order.

use crate::model::{CallId, CallResult, Timestamp};
use crate::run::timers::Timers;
use crate::store::size_of_outcome;
use std::collections::{HashSet, VecDeque};

/// The most outcomes that are journalled at once: the program gets each of them before its next
/// call is sent.
const BATCH: usize = 64;

/// An outcome on its way to the program.
pub(in crate::run) struct NextOutcome {
    pub(in crate::run) call: CallId,
    pub(in crate::run) settled: CallResult,
    pub(in crate::run) at: Timestamp,
}

/// The outcomes that the program has not taken.
#[derive(Default)]
pub(super) struct OutcomeBuffer {
    /// In the order of their arrival.
    arrived: VecDeque<NextOutcome>,
    /// The bytes of `arrived`.
    size: usize,
    /// Calls that were cancelled after their outcome had arrived.
    cancelled: HashSet<CallId>,
    pub(super) timers: Timers,
}

impl OutcomeBuffer {
    /// Returns how many outcomes have arrived.
    pub(super) fn len(&self) -> usize {
        self.arrived.len()
    }

    /// Returns how many bytes have arrived.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn push(&mut self, outcome: NextOutcome) {
        self.size += size_of_outcome(&outcome.settled);
        self.arrived.push_back(outcome);
    }

    /// Discards the outcome of a call that was cancelled.
    pub(super) fn discard(&mut self, call: CallId) {
        self.cancelled.insert(call);
    }

    /// Reports whether the outcome of a call has arrived and is still wanted.
    pub(super) fn holds(&self, call: CallId) -> bool {
        !self.cancelled.contains(&call) && self.arrived.iter().any(|outcome| outcome.call == call)
    }

    /// Takes the sleeps that have ended at `now` and the outcomes that have arrived, earliest
    /// first.
    pub(super) fn take(&mut self, now: Timestamp) -> Vec<NextOutcome> {
        let mut taken = Vec::new();
        while taken.len() < BATCH
            && let Some((call, settled)) = self.take_one(now)
        {
            taken.push(NextOutcome { call, settled, at: now });
        }
        taken
    }

    fn take_one(&mut self, now: Timestamp) -> Option<(CallId, CallResult)> {
        while self.arrived.front().is_some_and(|first| self.cancelled.remove(&first.call)) {
            self.take_first();
        }
        let due = self.timers.next().filter(|due| *due <= now);
        let arrived = self.arrived.front().map(|first| first.at);
        if due.is_some_and(|due| arrived.is_none_or(|arrived| due < arrived)) {
            return Some((self.timers.take_due(now)?, CallResult::Value("null".into())));
        }
        self.take_first().map(|NextOutcome { call, settled, .. }| (call, settled))
    }

    fn take_first(&mut self) -> Option<NextOutcome> {
        let first = self.arrived.pop_front()?;
        self.size -= size_of_outcome(&first.settled);
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::{NextOutcome, OutcomeBuffer};
    use crate::model::{CallId, CallResult, Timestamp};

    fn buffer(outcomes: &[(u64, u64)], sleeps: &[(u64, u64)]) -> OutcomeBuffer {
        let mut buffer = OutcomeBuffer::default();
        for (id, at) in outcomes {
            let (call, at) = (CallId::numbered(*id), Timestamp(*at));
            buffer.push(NextOutcome { call, settled: CallResult::Value("1".into()), at });
        }
        for (id, due) in sleeps {
            buffer.timers.add_until(CallId::numbered(*id), Timestamp(*due));
        }
        buffer
    }

    fn take(buffer: &mut OutcomeBuffer, now: u64) -> Vec<u64> {
        buffer.take(Timestamp(now)).iter().map(|outcome| outcome.call.number()).collect()
    }

    #[test]
    fn outcomes_and_sleeps_come_in_the_order_of_their_time() {
        let mut buffer = buffer(&[(1, 10), (2, 30)], &[(3, 5), (4, 20), (5, 90)]);
        assert_eq!(take(&mut buffer, 50), [3, 1, 4, 2]);
        assert_eq!(take(&mut buffer, 50), [0; 0]);
        assert_eq!(take(&mut buffer, 90), [5]);
    }

    #[test]
    fn an_outcome_of_a_cancelled_call_is_dropped_and_its_bytes_with_it() {
        let mut buffer = buffer(&[(1, 10), (2, 20)], &[]);
        let before = buffer.size();
        buffer.discard(CallId::numbered(1));
        assert_eq!(take(&mut buffer, 50), [2]);
        assert!(before > 0 && buffer.size() == 0 && buffer.len() == 0);
    }
}

//! The sleeps of a run: calls of `pml:sleep`, on which all timers of a program are built.
//!
//! **Invariant:** sleeps that are due settle by due time, then by id.

use crate::model::{CallError, CallId, Code, Timestamp};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// Longest sleep, as in browsers and node.
const LONGEST: f64 = (1u64 << 31) as f64;

/// Longest arguments of a sleep: a number and its name, with room to spare.
const ARGUMENTS: usize = 100;

/// The arguments of a sleep.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SleepArguments {
    ms: f64,
}

/// The sleeps of one run.
#[derive(Default)]
pub(super) struct Timers {
    by_due: BTreeSet<(Timestamp, CallId)>,
    due: HashMap<CallId, Timestamp>,
}

impl Timers {
    /// Adds a sleep that was requested at `now`. Returns when it ends.
    pub(super) fn add(
        &mut self,
        id: CallId,
        arguments: &str,
        now: Timestamp,
    ) -> Result<Timestamp, CallError> {
        let arguments = (arguments.len() <= ARGUMENTS).then_some(arguments);
        let sleep = arguments.and_then(|text| serde_json::from_str::<SleepArguments>(text).ok());
        let ms = sleep.map(|sleep| sleep.ms).filter(|ms| (0.0..=LONGEST).contains(ms));
        let Some(ms) = ms else {
            let message = "`pml:sleep` takes `{ ms }`, a number from 0 to 2147483648";
            return Err(CallError::new(Code::Arguments, message));
        };
        let due = now.plus(Duration::from_secs_f64(ms / 1e3));
        self.add_until(id, due);
        Ok(due)
    }

    /// Adds a sleep that ends at `due`.
    pub(super) fn add_until(&mut self, id: CallId, due: Timestamp) {
        self.by_due.insert((due, id));
        self.due.insert(id, due);
    }

    /// Removes a sleep. Returns whether there was one.
    pub(super) fn remove(&mut self, id: CallId) -> bool {
        self.due.remove(&id).is_some_and(|due| self.by_due.remove(&(due, id)))
    }

    /// Returns when the next sleep ends.
    pub(super) fn next(&self) -> Option<Timestamp> {
        self.by_due.first().map(|(due, _)| *due)
    }

    /// Takes the first sleep if it has ended at `now`.
    pub(super) fn take_due(&mut self, now: Timestamp) -> Option<CallId> {
        let (due, id) = *self.by_due.first().filter(|(due, _)| *due <= now)?;
        self.by_due.remove(&(due, id));
        self.due.remove(&id);
        Some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::Timers;
    use crate::model::{CallId, Timestamp};
    use serde_json::json;

    #[test]
    fn overdue_sleeps_settle_by_due_time_and_then_by_id() {
        let mut timers = Timers::default();
        for (id, ms) in [(1, 30), (2, 10), (3, 10), (4, 20)] {
            timers
                .add(CallId::numbered(id), &json!({ "ms": ms }).to_string(), Timestamp(0))
                .expect("a sleep");
        }
        let order: Vec<_> =
            std::iter::from_fn(|| timers.take_due(Timestamp(30_000))).map(CallId::number).collect();
        assert_eq!(order, [2, 3, 4, 1]);
    }

    #[test]
    fn a_sleep_ends_when_it_is_due_and_not_before() {
        let mut timers = Timers::default();
        timers
            .add(CallId::numbered(1), &json!({ "ms": 1.5 }).to_string(), Timestamp(100))
            .expect("a sleep");
        assert_eq!(timers.take_due(Timestamp(1_599)), None);
        assert_eq!(timers.take_due(Timestamp(1_600)), Some(CallId::numbered(1)));
        assert_eq!(timers.next(), None);
    }

    #[test]
    fn a_cancelled_sleep_is_gone() {
        let mut timers = Timers::default();
        timers
            .add(CallId::numbered(1), &json!({ "ms": 1 }).to_string(), Timestamp(0))
            .expect("a sleep");
        assert!(timers.remove(CallId::numbered(1)));
        assert!(!timers.remove(CallId::numbered(1)));
        assert_eq!(timers.take_due(Timestamp(u64::MAX)), None);
    }

    #[test]
    fn a_sleep_without_a_time_is_refused() {
        for arguments in [
            json!({}),
            json!({ "ms": -1 }),
            json!({ "ms": "1" }),
            json!({ "ms": 1e12 }),
            json!({ "ms": 1, "more": "x" }),
            json!({ "ms": 1, "s": "x".repeat(1000) }),
        ] {
            let added =
                Timers::default().add(CallId::numbered(1), &arguments.to_string(), Timestamp(0));
            assert!(added.is_err(), "{arguments}");
        }
    }
}

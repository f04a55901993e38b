//! Counts the attempts of each call, so that no call asks without end.

use crate::model::{AskKind, CallError, CallId, Code};
use std::collections::HashMap;

/// Maximum number of times that one call may ask about the same need or decision.
pub(super) const MOST_ATTEMPTS: u32 = 3;

/// The attempts of all calls of a run.
#[derive(Default)]
pub(super) struct Attempts {
    /// How often a need of a call was fulfilled, by kind.
    fulfilled: HashMap<(CallId, AskKind), u32>,
    /// How often a decision about a call was not about that call.
    mismatched: HashMap<CallId, u32>,
}

impl Attempts {
    /// Counts that a need of this kind is being fulfilled for a call.
    pub(super) fn count_fulfillment(&mut self, id: CallId, kind: AskKind) {
        *self.fulfilled.entry((id, kind)).or_default() += 1;
    }

    /// Reports whether a need of this kind was fulfilled as often as it may be.
    pub(super) fn exhausted(&self, id: CallId, kind: AskKind) -> bool {
        self.fulfilled.get(&(id, kind)).is_some_and(|times| *times >= MOST_ATTEMPTS)
    }

    /// Counts a decision that is not about this call. Returns an error if there were too many.
    pub(super) fn count_mismatch(&mut self, id: CallId) -> Result<(), CallError> {
        let times = self.mismatched.entry(id).or_default();
        *times += 1;
        if *times <= MOST_ATTEMPTS {
            return Ok(());
        }
        let message = "the call was not made: it is not the call that was shown and approved";
        Err(CallError::new(Code::Integrity, message))
    }
}

#[cfg(test)]
mod tests {
    use super::{Attempts, MOST_ATTEMPTS};
    use crate::model::{AskKind, CallId};

    #[test]
    fn attempts_count_for_one_call_and_one_kind() {
        let (mut attempts, id) = (Attempts::default(), CallId::numbered(1));
        for _ in 0..MOST_ATTEMPTS {
            assert!(!attempts.exhausted(id, AskKind::Dependency));
            attempts.count_fulfillment(id, AskKind::Dependency);
            assert_eq!(attempts.count_mismatch(id), Ok(()));
        }
        assert!(attempts.exhausted(id, AskKind::Dependency));
        assert!(!attempts.exhausted(id, AskKind::Integrity));
        assert!(!attempts.exhausted(CallId::numbered(2), AskKind::Dependency));
        assert_eq!(
            attempts.count_mismatch(id).map_err(|error| error.code),
            Err("INTEGRITY".into())
        );
        assert_eq!(attempts.count_mismatch(CallId::numbered(2)), Ok(()));
    }
}

//! Bounds the memory that the parsed arguments of open calls take in the host. The length of their
//! text says little about it.

use crate::model::{CallError, CallId, Code, parsed_size};
use std::collections::HashMap;

/// The memory that each open call takes, and all of them together.
pub(super) struct ArgumentsMemory {
    each: HashMap<CallId, usize>,
    total: usize,
    limit: usize,
}

impl ArgumentsMemory {
    pub(super) fn new(limit: usize) -> ArgumentsMemory {
        ArgumentsMemory { each: HashMap::new(), total: 0, limit }
    }

    /// Adds arguments that were admitted before.
    pub(super) fn add(&mut self, id: CallId, arguments: &str) {
        let weight = parsed_size(arguments);
        self.remove(id);
        self.total += weight;
        self.each.insert(id, weight);
    }

    /// Adds the arguments of a new call, if there is room.
    pub(super) fn try_add(&mut self, id: CallId, arguments: &str) -> Result<(), CallError> {
        let others = self.total;
        self.add(id, arguments);
        if self.total <= self.limit {
            return Ok(());
        }
        let weight = self.total - others;
        self.remove(id);
        let message = format!(
            "the arguments of open calls may take {} bytes of memory once they are parsed, twice the memory of the \
             program; these take {weight}, and those of other calls {others}",
            self.limit
        );
        Err(CallError::new(Code::ArgumentsSize, message))
    }

    /// Forgets the arguments of a call.
    pub(super) fn remove(&mut self, id: CallId) {
        if let Some(weight) = self.each.remove(&id) {
            self.total -= weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ArgumentsMemory;
    use crate::model::CallId;

    #[test]
    fn what_open_calls_take_together_is_bounded() {
        let lists = format!("{{\"a\":[{}[0]]}}", "[0],".repeat(1_000));
        let mut weights = ArgumentsMemory::new(500_000);
        assert_eq!(weights.try_add(CallId::numbered(1), &lists), Ok(()));
        let error = weights.try_add(CallId::numbered(2), &lists).expect_err("too much");
        assert_eq!(error.code, "ARGUMENTS_SIZE");
        assert!(error.message.contains("may take 500000 bytes of memory"), "{}", error.message);
        // Twice the same call is one call.
        weights.add(CallId::numbered(1), &lists);
        assert_eq!(weights.try_add(CallId::numbered(3), "{}"), Ok(()));
        weights.remove(CallId::numbered(1));
        assert_eq!(weights.try_add(CallId::numbered(2), &lists), Ok(()));
    }
}

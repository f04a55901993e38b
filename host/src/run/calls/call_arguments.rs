//! The arguments of open calls: their parsed values, the memory that they take, and the bytes that
//! the program gets back once a call no longer needs them.

use super::arguments_memory::ArgumentsMemory;
use crate::model::{CallError, CallId, Limits, RunBudget};
use crate::router::ArgumentsRef;
use crate::run::perform::parse;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// The arguments of all open calls of a run.
pub(super) struct CallArguments {
    /// Pays for parsing and writing.
    budget: RunBudget,
    memory: ArgumentsMemory,
    /// Values that were parsed before their call was decided on.
    parsed: HashMap<CallId, Value>,
    /// The bytes of arguments that are no longer held.
    released: usize,
}

impl CallArguments {
    pub(super) fn new(limits: &Limits, budget: RunBudget) -> CallArguments {
        let memory = ArgumentsMemory::new(limits.host_memory());
        CallArguments { budget, memory, parsed: HashMap::new(), released: 0 }
    }

    pub(super) fn budget(&self) -> &RunBudget {
        &self.budget
    }

    /// Takes the arguments of a new call. Returns an error if they would take too much memory.
    pub(super) fn admit(&mut self, id: CallId, text: &str) -> Result<(), CallError> {
        self.memory.try_add(id, text)
    }

    /// Takes arguments that were admitted before the run was rebuilt.
    pub(super) fn restore(&mut self, id: CallId, text: &str) {
        self.memory.add(id, text);
    }

    /// Stores a value that was parsed elsewhere.
    pub(super) fn store_parsed(&mut self, id: CallId, value: Option<Value>) {
        self.parsed.extend(value.map(|value| (id, value)));
    }

    /// Takes the value of a call that is sent now.
    pub(super) fn take_parsed(&mut self, id: CallId) -> Option<Value> {
        self.parsed.remove(&id)
    }

    /// Returns the arguments of a call as a value. Long ones were parsed before; short ones are
    /// parsed here.
    pub(super) fn value(&self, id: CallId, text: &str) -> Result<Cow<'_, Value>, CallError> {
        match self.parsed.get(&id) {
            Some(value) => Ok(Cow::Borrowed(value)),
            None => parse(text, &self.budget).map(Cow::Owned),
        }
    }

    /// Returns the arguments of a call for the policy, parsed only if they were parsed before.
    pub(super) fn for_policy<'a>(&'a self, id: CallId, text: &'a str) -> ArgumentsRef<'a> {
        self.parsed.get(&id).map_or(ArgumentsRef::Text(text), ArgumentsRef::Value)
    }

    /// Forgets the value of a call that is over, and the memory that it took.
    pub(super) fn forget(&mut self, id: CallId) {
        self.memory.remove(id);
        self.parsed.remove(&id);
    }

    /// Adds to the bytes that are no longer held.
    pub(super) fn release(&mut self, bytes: usize) {
        self.released += bytes;
    }

    /// Takes the number of bytes that are no longer held.
    pub(super) fn take_released(&mut self) -> usize {
        std::mem::take(&mut self.released)
    }
}

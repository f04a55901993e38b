//! The state that outlives a request: the listener makes a handler for each request.

use std::collections::HashMap;
use std::sync::Mutex;
use tokio::sync::broadcast;

/// A list that changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Tools,
    Prompts,
}

/// The state that all handlers share.
pub(crate) struct Shared {
    /// Sends each change to the clients that listen.
    pub(crate) changes: broadcast::Sender<Change>,
    /// The states that were issued, with the name and round of each. A state that is not in this
    /// map was tampered with.
    states: Mutex<HashMap<String, (String, usize)>>,
}

impl Default for Shared {
    fn default() -> Shared {
        Shared { changes: broadcast::Sender::new(16), states: Mutex::default() }
    }
}

impl Shared {
    /// Issues a state that can be redeemed once.
    pub(crate) fn seal(&self, name: &str, round: usize) -> String {
        let state = uuid::Uuid::new_v4().to_string();
        let mut states = self.states.lock().expect("nobody panics with it");
        states.insert(state.clone(), (name.into(), round));
        state
    }

    /// Returns the round that a state was issued for.
    pub(crate) fn open(&self, name: &str, state: &str) -> Option<usize> {
        let mut states = self.states.lock().expect("nobody panics with it");
        match states.remove(state) {
            Some((asked, round)) if asked == name => Some(round),
            _ => None,
        }
    }
}

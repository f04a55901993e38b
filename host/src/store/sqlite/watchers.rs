//! Who wants to know of answers.

use crate::model::RunId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// One waiter a run. It stays until the run's lease is dropped, so that a notice between two waits
/// is not lost.
#[derive(Debug, Default)]
pub(super) struct Watchers(Mutex<HashMap<RunId, Arc<Notify>>>);

impl Watchers {
    fn held(&self) -> MutexGuard<'_, HashMap<RunId, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is notified about this run.
    pub(super) fn watch(&self, run: RunId) -> Arc<Notify> {
        self.held().entry(run).or_default().clone()
    }

    /// Tells whoever watches this run.
    pub(super) fn notify(&self, run: RunId) {
        if let Some(watcher) = self.held().get(&run) {
            watcher.notify_one();
        }
    }

    /// Forgets a run.
    pub(super) fn remove(&self, run: RunId) {
        self.held().remove(&run);
    }

    /// Returns whether anybody holds on to what `watch` gave them.
    pub(super) fn any(&self) -> bool {
        self.held().values().any(|watcher| Arc::strong_count(watcher) > 1)
    }
}

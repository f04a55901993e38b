//! The watchers that are notified of answers.

use crate::model::RunId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// One watcher for each run. It stays until the run's lease is dropped, so that a notification
/// between two waits is not lost.
#[derive(Debug, Default)]
pub(super) struct Watchers(Mutex<HashMap<RunId, Arc<Notify>>>);

impl Watchers {
    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the watcher of this run.
    pub(super) fn watch(&self, run: RunId) -> Arc<Notify> {
        self.lock().entry(run).or_default().clone()
    }

    /// Notifies the watcher of this run.
    pub(super) fn notify(&self, run: RunId) {
        if let Some(watcher) = self.lock().get(&run) {
            watcher.notify_one();
        }
    }

    /// Removes the watcher of a run.
    pub(super) fn remove(&self, run: RunId) {
        self.lock().remove(&run);
    }

    /// Reports whether any caller still holds a watcher.
    pub(super) fn any_active(&self) -> bool {
        self.lock().values().any(|watcher| Arc::strong_count(watcher) > 1)
    }
}

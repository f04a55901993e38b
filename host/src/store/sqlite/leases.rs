//! The runs that this process owns.

use super::operation::Operation;
use super::statistics::Counters;
use super::watchers::Watchers;
use crate::model::RunId;
use crate::store::Lease;
use crate::store::sqlite::shared_writer::SharedWriter;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// The state that the two threads, the store and its leases share.
pub(super) struct SharedStoreState {
    /// The journal's file.
    pub(super) path: PathBuf,
    /// The watchers that are notified of answers.
    pub(super) watchers: Watchers,
    /// Counters of transactions.
    pub(super) counters: Counters,
    /// The queue of the writer.
    pub(super) operations: Sender<Operation>,
    /// The writer, to wake it for queued operations.
    pub(super) desk: OnceLock<Weak<SharedWriter>>,
    /// The fence of each run that a lease of this store exists for.
    held: Mutex<HashMap<RunId, u64>>,
}

impl SharedStoreState {
    /// Returns the shared state of a store that owns no runs yet.
    pub(super) fn new(path: PathBuf, operations: Sender<Operation>) -> SharedStoreState {
        let (watchers, counters) = (Watchers::default(), Counters::default());
        let desk = OnceLock::new();
        SharedStoreState { path, watchers, counters, operations, desk, held: Mutex::default() }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<RunId, u64>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports whether a lease of this store exists for the run.
    pub(super) fn holds(&self, run: RunId) -> bool {
        self.held().contains_key(&run)
    }

    /// Returns a lease. It can reach the writer, but does not keep the store alive.
    pub(super) fn lease(self: &Arc<SharedStoreState>, run: RunId, fence: u64) -> Lease {
        self.held().insert(run, fence);
        let shared = self.clone();
        Lease::new(run, fence, move || {
            let mut held = shared.held();
            if held.get(&run) == Some(&fence) {
                // The watcher is removed before another owner can have the run, and a watcher of
                // its own.
                shared.watchers.remove(run);
                held.remove(&run);
            }
            drop(held);
            // A closed store holds no lock any more, so its runs are free already.
            let _ = shared.operations.send(Operation::Release { run, fence });
            if let Some(desk) = shared.desk.get().and_then(Weak::upgrade) {
                desk.mention();
            }
        })
    }
}

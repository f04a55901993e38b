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
    pub(super) writer: OnceLock<Weak<SharedWriter>>,
    /// The fence of each run that a lease of this store exists for.
    fences: Mutex<HashMap<RunId, u64>>,
}

impl SharedStoreState {
    /// Returns the shared state of a store that owns no runs yet.
    pub(super) fn new(path: PathBuf, operations: Sender<Operation>) -> SharedStoreState {
        let (watchers, counters) = (Watchers::default(), Counters::default());
        let writer = OnceLock::new();
        SharedStoreState { path, watchers, counters, operations, writer, fences: Mutex::default() }
    }

    fn lock_fences(&self) -> MutexGuard<'_, HashMap<RunId, u64>> {
        self.fences.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports whether a lease of this store exists for the run.
    pub(super) fn has_lease(&self, run: RunId) -> bool {
        self.lock_fences().contains_key(&run)
    }

    /// Returns a lease. It can reach the writer, but does not keep the store alive.
    pub(super) fn lease(self: &Arc<SharedStoreState>, run: RunId, fence: u64) -> Lease {
        self.lock_fences().insert(run, fence);
        let shared = self.clone();
        Lease::new(run, fence, move || {
            let mut fences = shared.lock_fences();
            if fences.get(&run) == Some(&fence) {
                // The watcher is removed before another owner can have the run, and a watcher of
                // its own.
                shared.watchers.remove(run);
                fences.remove(&run);
            }
            drop(fences);
            // A closed store holds no lock any more, so its runs are free already.
            let _ = shared.operations.send(Operation::Release { run, fence });
            if let Some(writer) = shared.writer.get().and_then(Weak::upgrade) {
                writer.wake_unless_polling();
            }
        })
    }
}

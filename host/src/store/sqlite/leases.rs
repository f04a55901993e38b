//! Which runs this process has.

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

/// What the two threads, the store and its leases share.
pub(super) struct SharedStoreState {
    /// The journal's file.
    pub(super) path: PathBuf,
    /// Who wants to know of answers.
    pub(super) watchers: Watchers,
    /// What was written.
    pub(super) counters: Counters,
    /// The way to the writer.
    pub(super) operations: Sender<Operation>,
    /// Where the writer sits, to be called for what was sent.
    pub(super) desk: OnceLock<Weak<SharedWriter>>,
    /// The fence of each run that a living lease of this store names.
    held: Mutex<HashMap<RunId, u64>>,
}

impl SharedStoreState {
    /// Returns the shared part of a store that has no runs yet.
    pub(super) fn new(path: PathBuf, operations: Sender<Operation>) -> SharedStoreState {
        let (watchers, counters) = (Watchers::default(), Counters::default());
        let desk = OnceLock::new();
        SharedStoreState { path, watchers, counters, operations, desk, held: Mutex::default() }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<RunId, u64>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a lease of this store names the run.
    pub(super) fn holds(&self, run: RunId) -> bool {
        self.held().contains_key(&run)
    }

    /// Returns a lease. It knows the way to the writer, but does not keep the store alive.
    pub(super) fn lease(self: &Arc<SharedStoreState>, run: RunId, fence: u64) -> Lease {
        self.held().insert(run, fence);
        let shared = self.clone();
        Lease::new(run, fence, move || {
            let mut held = shared.held();
            if held.get(&run) == Some(&fence) {
                // Before anybody else can have the run, and with it a watcher of its own.
                shared.watchers.remove(run);
                held.remove(&run);
            }
            drop(held);
            // A closed store holds no lock any more: its runs are free already.
            let _ = shared.operations.send(Operation::Release { run, fence });
            if let Some(desk) = shared.desk.get().and_then(Weak::upgrade) {
                desk.mention();
            }
        })
    }
}

//! How many writes shared a transaction.

use std::sync::atomic::{AtomicU64, Ordering};

/// What a [`Store`](crate::Store) has written since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Transactions.
    pub commits: u64,
    /// How many of them were forced to disk before anybody was told.
    pub synced: u64,
    /// The operations that they carried.
    pub operations: u64,
    /// How often the WAL was taken over into the journal itself.
    pub checkpoints: u64,
}

/// Counts them.
#[derive(Debug, Default)]
pub(super) struct Counters {
    commits: AtomicU64,
    synced: AtomicU64,
    operations: AtomicU64,
    checkpoints: AtomicU64,
}

impl Counters {
    /// Counts a transaction.
    pub(super) fn count(&self, operations: usize, synced: bool) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.synced.fetch_add(synced.into(), Ordering::Relaxed);
        self.operations.fetch_add(operations as u64, Ordering::Relaxed);
    }

    /// Counts a checkpoint.
    pub(super) fn count_checkpoint(&self) {
        self.checkpoints.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns what was counted so far.
    pub(super) fn read(&self) -> Statistics {
        Statistics {
            commits: self.commits.load(Ordering::Relaxed),
            synced: self.synced.load(Ordering::Relaxed),
            operations: self.operations.load(Ordering::Relaxed),
            checkpoints: self.checkpoints.load(Ordering::Relaxed),
        }
    }
}

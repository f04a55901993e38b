//! Counts transactions, and the writes that shared them.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of what a [`Store`](crate::Store) has written since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The number of transactions.
    pub commits: u64,
    /// How many of them were forced to disk before their callers got a reply.
    pub synced: u64,
    /// The number of operations in these transactions.
    pub operations: u64,
    /// The number of checkpoints, which copy the WAL into the database file.
    pub checkpoints: u64,
}

/// The counters behind [`Statistics`].
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

    /// Returns the counts so far.
    pub(super) fn read(&self) -> Statistics {
        Statistics {
            commits: self.commits.load(Ordering::Relaxed),
            synced: self.synced.load(Ordering::Relaxed),
            operations: self.operations.load(Ordering::Relaxed),
            checkpoints: self.checkpoints.load(Ordering::Relaxed),
        }
    }
}

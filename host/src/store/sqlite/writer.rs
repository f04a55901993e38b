//! Writes the queued operations, in one transaction each time.
//!
//! **Invariant:** no success is reported before its transaction is committed with the required
//! durability. **Invariant:** after a failure all further writes under the same lease fail, so that
//! the entries of a run have no gap.

use super::audit::TrailWriter;
use super::leases::SharedStoreState;
use super::open::wal_size;
use super::operation::{Operation, OperationOutcome, ReadRequest};
use super::owner::OwnerLock;
use super::prune::may_be_due;
use super::runs::OwnedRuns;
use super::transaction::BusyPolicy;
use crate::model::{CallResult, RunId, Timestamp};
use crate::store::{Durability, JournalBatch, JournalEvent, StoreError, WriteDurability};
use rusqlite::Connection;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

/// Maximum operations in one transaction: the first of them waits for the last.
const MAX_GROUP: usize = 256;

/// Maximum bytes that are written in the thread of the caller that waits: about ten pages.
const SMALL_BYTES: usize = 32 << 10;

/// Bytes of WAL that trigger a checkpoint, whichever process wrote them: a few megabytes are still
/// read fast.
const CHECKPOINT: u64 = 4 << 20;

/// Growth of the WAL after which a checkpoint is tried again, if a reader prevented the last one.
const CHECKPOINT_AGAIN: u64 = 1 << 20;

/// Maximum runs removed at a time by the default rule: other writes may be about to come.
pub(super) const PRUNE_BATCH: usize = 32;

/// Writes the journal.
pub(super) struct StoreWriter {
    pub(super) connection: Connection,
    pub(super) shared: Arc<SharedStoreState>,
    pub(super) owner: OwnerLock,
    pub(super) durability: Durability,
    queue: Receiver<Operation>,
    reader: Sender<ReadRequest>,
    /// Operations taken from the queue, and not yet written.
    group: Vec<Operation>,
    reads: Vec<ReadRequest>,
    closing: bool,
    pub(super) runs: OwnedRuns,
    pub(super) trail: TrailWriter,
    /// Leases under which a write failed.
    pub(super) failed_leases: HashMap<(RunId, u64), StoreError>,
    /// Runs whose release failed: tried again with the next transaction.
    pub(super) unreleased: Vec<(RunId, u64)>,
    /// The latest time of any header or entry.
    pub(super) latest_time: Timestamp,
    /// Number of runs that ended under this writer.
    pub(super) ended_runs: u64,
    /// True if old runs should be looked for when there is nothing else to do.
    pub(super) prune_due: bool,
    /// The outcomes of a group's operations; a field only to reuse its allocation.
    pub(super) outcomes: Vec<OperationOutcome>,
    commits_at_checkpoint: u64,
    /// The size of the WAL that triggers the next checkpoint.
    checkpoint_at: u64,
}

impl StoreWriter {
    /// Returns a writer on this connection.
    pub(super) fn new(
        connection: Connection,
        shared: Arc<SharedStoreState>,
        owner: OwnerLock,
        durability: Durability,
        trail: TrailWriter,
        queue: Receiver<Operation>,
        reader: Sender<ReadRequest>,
    ) -> StoreWriter {
        StoreWriter {
            connection,
            shared,
            owner,
            durability,
            queue,
            reader,
            group: Vec::with_capacity(MAX_GROUP),
            reads: Vec::new(),
            closing: false,
            runs: OwnedRuns::default(),
            trail,
            failed_leases: HashMap::new(),
            unreleased: Vec::new(),
            latest_time: Timestamp(0),
            ended_runs: 0,
            prune_due: false,
            outcomes: Vec::new(),
            commits_at_checkpoint: 0,
            checkpoint_at: CHECKPOINT,
        }
    }

    /// Reports whether `Close` was taken from the queue.
    pub(super) fn is_closing(&self) -> bool {
        self.closing
    }

    /// Returns the number of transactions so far.
    pub(super) fn commits(&self) -> u64 {
        self.shared.counters.read().commits
    }

    /// Writes everything that is queued, then runs a checkpoint and removes old runs if needed.
    pub(super) fn write(&mut self) {
        while self.fill_group() {
            self.commit(BusyPolicy::Wait);
            self.forward_reads();
        }
        // Checked once after each round that committed something, and when closing.
        if self.commits() != self.commits_at_checkpoint || self.closing {
            self.commits_at_checkpoint = self.commits();
            self.checkpoint_wal();
        }
        self.prune();
        // No caller waits for a journal that is closed.
        while self.closing && self.prune_due {
            self.prune();
        }
    }

    /// Copies a WAL that has grown large into the database file. This waits for the disk, and is
    /// not done more often than needed: after a checkpoint the WAL keeps its size until the next
    /// write restarts it.
    fn checkpoint_wal(&mut self) {
        let size = wal_size(&self.shared.path);
        if size < CHECKPOINT {
            self.checkpoint_at = CHECKPOINT;
        }
        if size >= self.checkpoint_at {
            // A failed checkpoint is tried again; until then the WAL grows.
            let _ = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            self.shared.counters.count_checkpoint();
            self.checkpoint_at = size + CHECKPOINT_AGAIN;
        }
    }

    /// Writes the queued operations if they are small and need not wait. Returns `true` if nothing
    /// is left to do.
    pub(super) fn write_if_small(&mut self) -> bool {
        if self.fill_group() {
            let costs = self.group.iter().map(|operation| self.cost(operation));
            let is_small = costs.sum::<Option<usize>>().is_some_and(|cost| cost <= SMALL_BYTES);
            if self.closing || !is_small {
                return false;
            }
            self.commit(BusyPolicy::GiveUp);
            if !self.group.is_empty() {
                return false;
            }
            self.forward_reads();
        }
        // A caller writes at most one group.
        !self.fill_group() && !self.closing
    }

    /// Takes operations from the queue, up to the size of a group. Returns `true` if there is
    /// something to do.
    fn fill_group(&mut self) -> bool {
        while self.group.len() < MAX_GROUP {
            match self.queue.try_recv() {
                Ok(Operation::Read(read)) => self.reads.push(read),
                Ok(Operation::Close) => self.closing = true,
                Ok(Operation::Release { run, fence })
                    if self.group.is_empty() && self.runs.has_ended(run, fence) =>
                {
                    self.runs.remove(run);
                }
                Ok(operation) => self.group.push(operation),
                Err(_) => break,
            }
        }
        !self.group.is_empty() || !self.reads.is_empty()
    }

    fn commit(&mut self, busy_policy: BusyPolicy) {
        if self.group.is_empty() {
            return;
        }
        let mut group = std::mem::take(&mut self.group);
        self.write_group(&mut group, busy_policy);
        self.group = group;
    }

    fn forward_reads(&mut self) {
        for read in self.reads.drain(..) {
            // If the reader has ended, the reply is dropped, which is reported as `Closed`.
            let _ = self.reader.send(read);
        }
    }

    /// Returns the approximate bytes that an operation writes. Returns `None` if it may have to
    /// wait.
    fn cost(&self, operation: &Operation) -> Option<usize> {
        match operation {
            Operation::Append { batch, .. } => {
                let synced = self.durability == Durability::Power
                    && batch.durability == WriteDurability::Disk;
                (!synced && !self.waits_for_head(batch)).then(|| size(batch))
            }
            Operation::Create { header, .. } => {
                self.owner.is_locked().then(|| header.program.len() + header.inputs.len())
            }
            Operation::Answer { .. } => (!self.trail.has_head_file()).then_some(0),
            Operation::Release { .. } => Some(0),
            _ => None,
        }
    }

    /// Reports whether a batch is followed by writing the anchor of the audit trail, which may have
    /// to wait for another process.
    fn waits_for_head(&self, batch: &JournalBatch) -> bool {
        let noted = |what: &JournalEvent| {
            matches!(what, JournalEvent::Asked { .. } | JournalEvent::Withdrawn { .. })
        };
        self.trail.has_head_file() && batch.entries.iter().any(|entry| noted(&entry.event))
    }

    /// Removes some old runs, if it is time to look for them.
    fn prune(&mut self) {
        if !std::mem::take(&mut self.prune_due) {
            return;
        }
        let pruned = match may_be_due(&self.connection, self.latest_time) {
            Ok(true) => self.prune_some(),
            Ok(false) | Err(_) => Ok(0),
        };
        // No caller asked for it, so errors are not reported: the same error will reach a caller
        // later.
        self.prune_due = pruned.is_ok_and(|count| count as usize == PRUNE_BATCH);
    }
}

/// Returns the approximate size of a batch in bytes.
fn size(batch: &JournalBatch) -> usize {
    let text = |what: &JournalEvent| match what {
        JournalEvent::Requested { arguments: Ok(text), .. }
        | JournalEvent::Ended { ending: text } => text.len(),
        JournalEvent::Settled { settled: CallResult::Value(text), .. } => text.len(),
        JournalEvent::Settled { settled: CallResult::Error { message, data, .. }, .. } => {
            message.len() + data.as_ref().map_or(0, String::len)
        }
        // Rare, and as large as the arguments of many calls.
        JournalEvent::Asked { .. } => SMALL_BYTES,
        _ => 0,
    };
    batch.entries.iter().map(|entry| 128 + text(&entry.event)).sum()
}

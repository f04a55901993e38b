//! Writes the entries of a run to its journal, with the meter readings of that moment.

use super::stopwatch::Stopwatch;
use crate::model::{RunId, Timestamp};
use crate::sandbox::StopReason;
use crate::store::{
    AuditNote, Journal, JournalBatch, JournalEntry, JournalEvent, JournalFuture, Lease, Meter,
    RunState, WriteDurability,
};
use std::sync::Arc;
use std::time::Duration;

/// Writes the entries of one run.
pub(super) struct JournalWriter {
    journal: Arc<dyn Journal>,
    lease: Lease,
    entries: Vec<JournalEntry>,
    state: RunState,
    pub(super) stopwatch: Stopwatch,
    /// The meter readings for the next entry.
    meter: Meter,
    quota: JournalQuota,
}

/// How much of the journal a run uses, and may use, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct JournalQuota {
    /// So far.
    pub(super) size: usize,
    /// At most.
    pub(super) limit: usize,
}

impl JournalWriter {
    pub(super) fn new(
        journal: Arc<dyn Journal>,
        lease: Lease,
        state: RunState,
        meter: Meter,
        quota: JournalQuota,
    ) -> JournalWriter {
        let stopwatch = Stopwatch::new(meter.wall);
        JournalWriter { journal, lease, entries: Vec::new(), state, stopwatch, meter, quota }
    }

    pub(super) fn run(&self) -> RunId {
        self.lease.run
    }

    pub(super) fn journal(&self) -> &Arc<dyn Journal> {
        &self.journal
    }

    /// Sets the meter readings for the entries that follow.
    pub(super) fn measure(&mut self, cpu: Duration, lines: u64, calls: u64) {
        let wall = self.stopwatch.elapsed();
        (self.meter.cpu, self.meter.wall) = (cpu, wall);
        (self.meter.lines, self.meter.calls) = (lines, calls);
    }

    pub(super) fn meter(&self) -> Meter {
        self.meter
    }

    /// Returns an error if there is no room for `bytes` more.
    pub(super) fn check_room(&self, bytes: usize) -> Result<(), StopReason> {
        match self.quota.size.saturating_add(bytes) > self.quota.limit {
            true => Err(StopReason::Journal(self.quota.limit)),
            false => Ok(()),
        }
    }

    /// Adds an entry to the next write. The ending of a run is written even where there is no room:
    /// it takes little, and the outcome of its calls would be unknown without it.
    pub(super) fn add(&mut self, at: Timestamp, what: JournalEvent) {
        self.quota.size = self.quota.size.saturating_add(what.size());
        self.entries.push(JournalEntry::new(at, self.meter, what));
    }

    /// Writes to the audit trail. The run goes on if that fails.
    pub(super) fn audit(&mut self, note: AuditNote) {
        self.quota.size = self.quota.size.saturating_add(note.size());
        drop(self.journal.audit(note));
    }

    /// Reports whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Writes the entries. The write is under way when this returns; the future ends when it is
    /// durable.
    pub(super) fn write(&mut self, state: RunState, safe: WriteDurability) -> JournalFuture<()> {
        let mut batch = JournalBatch::new(std::mem::take(&mut self.entries));
        batch.state = (state != self.state).then_some(state);
        batch.durability = safe;
        self.state = state;
        self.journal.append(&self.lease, batch)
    }
}

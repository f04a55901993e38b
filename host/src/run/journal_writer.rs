//! Writes a run's entries to its journal, with what the run had cost by then.

use super::stopwatch::Stopwatch;
use crate::model::{RunId, Timestamp};
use crate::sandbox::StopReason;
use crate::store::{
    AuditNote, Journal, JournalBatch, JournalEntry, JournalEvent, JournalFuture, Lease, Meter,
    RequiredDurability, RunState,
};
use std::sync::Arc;
use std::time::Duration;

/// The pen of a run.
pub(super) struct JournalWriter {
    journal: Arc<dyn Journal>,
    lease: Lease,
    entries: Vec<JournalEntry>,
    state: RunState,
    pub(super) stopwatch: Stopwatch,
    /// What the run had cost at the last entry.
    meter: Meter,
    kept: JournalQuota,
}

/// What the journal keeps of a run, in bytes.
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
        kept: JournalQuota,
    ) -> JournalWriter {
        let stopwatch = Stopwatch::new(meter.wall);
        JournalWriter { journal, lease, entries: Vec::new(), state, stopwatch, meter, kept }
    }

    pub(super) fn run(&self) -> RunId {
        self.lease.run
    }

    pub(super) fn journal(&self) -> &Arc<dyn Journal> {
        &self.journal
    }

    /// Takes the reading of a run's meters for the entries that follow.
    pub(super) fn measure(&mut self, cpu: Duration, lines: u64, calls: u64) {
        let wall = self.stopwatch.elapsed();
        (self.meter.cpu, self.meter.wall) = (cpu, wall);
        (self.meter.lines, self.meter.calls) = (lines, calls);
    }

    pub(super) fn meter(&self) -> Meter {
        self.meter
    }

    /// Says whether there is room for `bytes` more.
    pub(super) fn has_room(&self, bytes: usize) -> Result<(), StopReason> {
        match self.kept.size.saturating_add(bytes) > self.kept.limit {
            true => Err(StopReason::Journal(self.kept.limit)),
            false => Ok(()),
        }
    }

    /// Adds an entry to what is written next. How a run ends is written even where there is no room
    /// for it: it takes little, and without it nobody would know what became of its calls.
    pub(super) fn note(&mut self, at: Timestamp, what: JournalEvent) {
        self.kept.size = self.kept.size.saturating_add(what.size());
        self.entries.push(JournalEntry::new(at, self.meter, what));
    }

    /// Has the trail tell something. A trail that cannot be written is no reason not to do it.
    pub(super) fn audit(&mut self, note: AuditNote) {
        self.kept.size = self.kept.size.saturating_add(note.size());
        drop(self.journal.audit(note));
    }

    /// Whether there is anything to write.
    pub(super) fn is_blank(&self) -> bool {
        self.entries.is_empty()
    }

    /// Writes everything noted. It is on its way when this returns; the future says when it is
    /// safe.
    pub(super) fn write(&mut self, state: RunState, safe: RequiredDurability) -> JournalFuture<()> {
        let mut batch = JournalBatch::new(std::mem::take(&mut self.entries));
        batch.state = (state != self.state).then_some(state);
        batch.safe = safe;
        self.state = state;
        self.journal.append(&self.lease, batch)
    }
}

//! One transaction of the writer: a group of operations, committed completely or not at all.

use super::answers;
use super::failure::OperationError;
use super::open::wait_while_busy;
use super::operation::{Operation, OperationOutcome};
use super::prune::prune;
use super::writer::{PRUNE_BATCH, StoreWriter};
use crate::model::{RunId, Timestamp};
use crate::store::{Durability, JournalBatch, PruneRule, RunState, StoreError, WriteDurability};
use rusqlite::ErrorCode;

/// Number of ended runs after which the writer looks for old runs again.
const ENDED_BETWEEN_PRUNES: u64 = 100;

/// In WAL mode, `SYNCED` waits for the disk at each commit, and `RELAXED` leaves that to the OS.
/// Neither may be a prepared statement: the setting takes effect when it is parsed.
const SYNCED: &str = "PRAGMA synchronous = FULL";
const RELAXED: &str = "PRAGMA synchronous = NORMAL";

/// The reaction to another process that is writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BusyPolicy {
    /// Wait for it, for seconds if necessary.
    Wait,
    /// Return at once, without changing anything.
    GiveUp,
}

impl StoreWriter {
    /// Carries out operations in one transaction, and sends the outcomes. The group is empty
    /// afterwards, unless another process is writing and `busy_policy` is `GiveUp`.
    pub(super) fn write_group(&mut self, group: &mut Vec<Operation>, busy_policy: BusyPolicy) {
        let synced = self.durability == Durability::Power && group.iter().any(requires_disk);
        let mut outcomes = std::mem::take(&mut self.outcomes);
        let done = self.transact(busy_policy, synced, |writer| {
            for operation in group.iter() {
                outcomes.push(writer.execute_operation(operation)?);
            }
            Ok(())
        });
        match done {
            Ok(()) => {
                // The anchor is moved before any reply is sent: a caller that gets one may end this
                // process.
                self.trail.update_head(&self.connection);
                self.send_outcomes(group, &mut outcomes, synced);
            }
            Err(error)
                if busy_policy == BusyPolicy::GiveUp && outcomes.is_empty() && is_busy(&error) => {}
            Err(error) => {
                let error = OperationError::Failed(error).into_store_error(&self.shared.path);
                outcomes.clear();
                for operation in group.drain(..) {
                    self.remember_failure(&operation, &error);
                    operation.send_error(error.clone());
                }
            }
        }
        self.outcomes = outcomes;
    }

    fn send_outcomes(
        &mut self,
        group: &mut Vec<Operation>,
        outcomes: &mut Vec<OperationOutcome>,
        synced: bool,
    ) {
        self.shared.counters.count(outcomes.len(), synced);
        let pruned =
            |outcome: &OperationOutcome| matches!(outcome, OperationOutcome::Pruned(Ok(1..)));
        let pruned = outcomes.iter().any(pruned);
        for (operation, outcome) in group.drain(..).zip(outcomes.drain(..)) {
            operation.send_outcome(outcome, &self.shared);
        }
        if pruned {
            // Callers that prune want the space back. Pages that stay are reused.
            let _ = self.connection.execute_batch("PRAGMA incremental_vacuum");
        }
    }

    /// Removes some old runs by the default rule. Returns how many.
    pub(super) fn prune_some(&mut self) -> rusqlite::Result<u64> {
        let mut count = 0;
        self.transact(BusyPolicy::Wait, false, |writer| {
            let outcome =
                writer.prune_now(&PruneRule::by_default(), writer.latest_time, PRUNE_BATCH)?;
            count = outcome.unwrap_or(0);
            Ok(())
        })?;
        Ok(count)
    }

    /// Runs `work` in a transaction. Commits it if `work` succeeds, and rolls it back if not.
    fn transact(
        &mut self,
        busy_policy: BusyPolicy,
        synced: bool,
        work: impl FnOnce(&mut StoreWriter) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        self.connection.busy_handler(match busy_policy {
            BusyPolicy::Wait => Some(wait_while_busy),
            BusyPolicy::GiveUp => None,
        })?;
        if synced {
            self.connection.execute_batch(SYNCED)?;
        }
        let begun = self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([]);
        let done = begun.and_then(|_| {
            self.release_pending()?;
            work(self)?;
            self.connection.prepare_cached("COMMIT")?.execute([])
        });
        if done.is_err() {
            if !self.connection.is_autocommit() {
                // The first failure is returned. If the rollback fails as well, so does the next
                // transaction.
                let _ = self.connection.execute_batch("ROLLBACK");
            }
            self.runs.clear();
        }
        if synced {
            // If this fails, later commits are only safer than required.
            let _ = self.connection.execute_batch(RELAXED);
        }
        done?;
        self.unreleased.clear();
        Ok(())
    }

    fn release_pending(&mut self) -> rusqlite::Result<()> {
        for (run, fence) in &self.unreleased {
            self.runs.release(&self.connection, *run, *fence)?;
        }
        Ok(())
    }

    /// Records a failure: a lease that lost a write can write no more, and a run that could not be
    /// released is released later.
    fn remember_failure(&mut self, operation: &Operation, error: &StoreError) {
        match operation {
            Operation::Append { run, fence, .. } => {
                self.failed_leases.entry((*run, *fence)).or_insert_with(|| error.clone());
            }
            Operation::Release { run, fence } => self.unreleased.push((*run, *fence)),
            _ => {}
        }
    }

    fn execute_operation(&mut self, operation: &Operation) -> rusqlite::Result<OperationOutcome> {
        let connection = &self.connection;
        Ok(match operation {
            Operation::Create { header, .. } => {
                self.latest_time = self.latest_time.max(header.created);
                let (owner, shared) = (&mut self.owner, &self.shared);
                let created = self.runs.create(connection, owner, shared, header);
                OperationOutcome::Lease(split_refusal(created)?)
            }
            Operation::Append { run, fence, batch, .. } => {
                OperationOutcome::Written(self.append(*run, *fence, batch)?)
            }
            Operation::Claim { run, .. } => {
                let (owner, shared) = (&mut self.owner, &self.shared);
                OperationOutcome::Lease(split_refusal(
                    self.runs.claim(connection, owner, shared, *run),
                )?)
            }
            Operation::Release { run, fence } => {
                self.failed_leases.remove(&(*run, *fence));
                self.runs.release(connection, *run, *fence)?;
                OperationOutcome::Nothing
            }
            Operation::Answer { question, answer, now, .. } => {
                let trail = &self.trail;
                OperationOutcome::Answered(Ok(answers::answer(
                    connection, trail, *question, answer, *now,
                )?))
            }
            Operation::Expire { question, now, .. } => OperationOutcome::Expired(Ok(
                answers::expire(connection, &self.trail, *question, *now)?,
            )),
            Operation::Audit { note, .. } => {
                self.trail.append(connection, note)?;
                OperationOutcome::Written(Ok(()))
            }
            Operation::Prune { rule, now, .. } => {
                OperationOutcome::Pruned(self.prune_now(rule, *now, usize::MAX)?)
            }
            Operation::Read(_) | Operation::Close => OperationOutcome::Nothing,
        })
    }

    fn append(
        &mut self,
        run: RunId,
        fence: u64,
        batch: &JournalBatch,
    ) -> rusqlite::Result<Result<(), StoreError>> {
        if let Some(error) = self.failed_leases.get(&(run, fence)) {
            return Ok(Err(error.clone()));
        }
        let appended =
            split_refusal(self.runs.append(&self.connection, &self.trail, run, fence, batch))?;
        if let Some(last) = batch.entries.last() {
            self.latest_time = self.latest_time.max(last.at);
        }
        if appended.is_ok() && batch.state.is_some_and(RunState::has_ended) {
            self.prune_due |= self.ended_runs.is_multiple_of(ENDED_BETWEEN_PRUNES);
            self.ended_runs += 1;
        }
        Ok(appended)
    }

    fn prune_now(
        &self,
        rule: &PruneRule,
        now: Timestamp,
        limit: usize,
    ) -> rusqlite::Result<Result<u64, StoreError>> {
        let owners = self.owner.owners();
        split_refusal(prune(&self.connection, owners, &self.shared, rule, now, limit))
    }
}

/// Separates a refusal, which concerns one operation, from a failure, which concerns all.
fn split_refusal<T>(result: Result<T, OperationError>) -> rusqlite::Result<Result<T, StoreError>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(OperationError::Refused(error)) => Ok(Err(error)),
        Err(OperationError::Failed(error)) => Err(error),
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

fn requires_disk(operation: &Operation) -> bool {
    matches!(operation, Operation::Append { batch, .. } if batch.durability == WriteDurability::Disk)
}

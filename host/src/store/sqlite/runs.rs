//! Writes runs. Each function runs inside the writer's transaction, and checks before it writes.

use super::answers;
use super::audit::TrailWriter;
use super::columns::{entry_id, entry_range, parsed};
use super::entries;
use super::failure::OperationError;
use super::leases::SharedStoreState;
use super::owner::OwnerLock;
use crate::model::RunId;
use crate::store::encoding::EncodedHeader;
use crate::store::questions::{BatchEffect, batch_effects};
use crate::store::{JournalBatch, RunHeader, RunState, StoreError};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row};
use std::collections::HashMap;

/// The fence of a run's first owner.
const FIRST_FENCE: u64 = 1;

/// The writer's cache of the runs that this process owns. It is only a hint: the fence is read from
/// the table each time.
#[derive(Default)]
pub(super) struct OwnedRuns {
    cached: HashMap<RunId, OwnedRun>,
}

#[derive(Clone, Copy)]
struct OwnedRun {
    number: i64,
    fence: u64,
    /// The sequence number of the next entry.
    next: u32,
    /// True if the run ended under this writer, which released it.
    ended: bool,
}

/// A run's row.
struct RunRow {
    number: i64,
    fence: u64,
    state: RunState,
    owner: Option<String>,
}

impl RunRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<RunRow> {
        let state = parsed(row, 2, str::parse)?;
        let fence = row.get::<_, i64>(1)? as u64;
        Ok(RunRow { number: row.get(0)?, fence, state, owner: row.get(3)? })
    }

    fn find(connection: &Connection, run: RunId) -> Result<RunRow, OperationError> {
        let sql = "SELECT number, fence, state, owner FROM runs WHERE id = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        let found = statement.query_row([run.as_bytes()], RunRow::read).optional()?;
        Ok(found.ok_or(StoreError::UnknownRun(run))?)
    }

    /// Finds the row without the index. The id is compared because the number may belong to another
    /// run by now.
    fn find_by_number(
        connection: &Connection,
        run: RunId,
        number: i64,
    ) -> Result<RunRow, OperationError> {
        let sql = "SELECT number, fence, state, NULL FROM runs WHERE number = ?1 AND id = ?2";
        let mut statement = connection.prepare_cached(sql)?;
        let found = statement.query_row((number, run.as_bytes()), RunRow::read).optional()?;
        Ok(found.ok_or(StoreError::UnknownRun(run))?)
    }
}

impl OwnedRuns {
    /// Clears the cache: a transaction failed, so that it may be wrong.
    pub(super) fn clear(&mut self) {
        self.cached.clear();
    }

    /// Reports whether the run ended under this fence, so that it need not be released.
    pub(super) fn has_ended(&self, run: RunId, fence: u64) -> bool {
        self.cached.get(&run).is_some_and(|cached| cached.ended && cached.fence == fence)
    }

    /// Removes one run from the cache.
    pub(super) fn remove(&mut self, run: RunId) {
        self.cached.remove(&run);
    }

    /// Stores a new run. Returns its id and its fence.
    pub(super) fn create(
        &mut self,
        connection: &Connection,
        owner: &mut OwnerLock,
        shared: &SharedStoreState,
        header: &RunHeader,
    ) -> Result<(RunId, u64), OperationError> {
        let inserted = insert(connection, header, RunState::Running, Some(owner.token()?));
        let number = match inserted {
            // Only this statement failed, not those before it.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                let detail = format!("it has a run `{}` already", header.run);
                return Err(StoreError::Database { path: shared.path.clone(), detail }.into());
            }
            inserted => inserted?,
        };
        let fence = FIRST_FENCE;
        self.cached.insert(header.run, OwnedRun { number, fence, next: 0, ended: false });
        Ok((header.run, fence))
    }

    /// Writes entries to a run.
    pub(super) fn append(
        &mut self,
        connection: &Connection,
        trail: &TrailWriter,
        run: RunId,
        fence: u64,
        batch: &JournalBatch,
    ) -> Result<(), OperationError> {
        let cached = self.cached.get(&run).filter(|cached| cached.fence == fence);
        let row = match cached {
            Some(cached) => RunRow::find_by_number(connection, run, cached.number)?,
            None => RunRow::find(connection, run)?,
        };
        if row.fence != fence {
            return Err(StoreError::Fenced(run).into());
        }
        if row.state.has_ended() {
            return Err(StoreError::Ended { run, state: row.state }.into());
        }
        let number = row.number;
        let mut next = match cached {
            Some(cached) => cached.next,
            None => next_sequence(connection, number)?,
        };
        for entry in &batch.entries {
            entries::write(connection, entry_id(number, next), entry)?;
            next += 1;
        }
        let state = batch.state.filter(|state| *state != row.state);
        let ended = state.is_some_and(RunState::has_ended);
        if let Some(state) = state {
            set_state(connection, number, state)?;
        }
        for effect in batch_effects(batch) {
            match effect {
                BatchEffect::Open(question) => {
                    answers::open_question(connection, trail, number, question)?;
                }
                BatchEffect::Withdraw { question, at } => {
                    answers::withdraw(connection, trail, run, question, at)?;
                }
                BatchEffect::CloseAll { at } => {
                    answers::close_all(connection, trail, (number, run), at)?;
                }
            }
        }
        self.cached.insert(run, OwnedRun { number, fence, next, ended });
        Ok(())
    }

    /// Takes over a run. Returns its id and its new fence.
    pub(super) fn claim(
        &mut self,
        connection: &Connection,
        owner: &mut OwnerLock,
        shared: &SharedStoreState,
        run: RunId,
    ) -> Result<(RunId, u64), OperationError> {
        let row = RunRow::find(connection, run)?;
        if row.state.has_ended() {
            return Err(StoreError::Ended { run, state: row.state }.into());
        }
        if let Some(other) = &row.owner {
            let living_owner = match *other == owner.token()? {
                true => shared.has_lease(run).then(|| "another part of this process".into()),
                false => owner.owners().living_process(other).map(|process| match process {
                    0 => "another process".into(),
                    process => format!("process {process}"),
                }),
            };
            if let Some(owner) = living_owner {
                return Err(StoreError::Owned { run, owner }.into());
            }
        }
        let fence = row.fence + 1;
        connection
            .prepare_cached("UPDATE runs SET owner = ?2, fence = ?3 WHERE number = ?1")?
            .execute((row.number, owner.token()?, fence as i64))?;
        self.cached.remove(&run);
        Ok((run, fence))
    }

    /// Releases a run in its present state.
    pub(super) fn release(
        &mut self,
        connection: &Connection,
        run: RunId,
        fence: u64,
    ) -> rusqlite::Result<()> {
        let ended = self.has_ended(run, fence);
        self.cached.remove(&run);
        if !ended {
            connection
                .prepare_cached(
                    "UPDATE runs SET owner = NULL WHERE id = ?1 AND fence = ?2 AND owner IS NOT NULL",
                )?
                .execute((run.as_bytes(), fence as i64))?;
        }
        Ok(())
    }
}

/// Writes a run without entries. Returns its number. Fails without writing anything if a run with
/// this id exists.
pub(super) fn insert(
    connection: &Connection,
    header: &RunHeader,
    state: RunState,
    owner: Option<&str>,
) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO runs (id, state, script, created, fence, owner, resumed_from) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let encoded = EncodedHeader::of(header);
    let number = connection.prepare_cached(sql)?.insert((
        header.run.as_bytes(),
        state.as_str(),
        encoded.script,
        encoded.created,
        FIRST_FENCE as i64,
        owner,
        encoded.resumed_from,
    ))?;
    let sql = "INSERT INTO headers \
               (run, format, pml, guest, program, inputs, seed, started, limits, lock, trace, \
               tenant, checkpoint) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
    connection.prepare_cached(sql)?.execute((
        number,
        encoded.format,
        encoded.pml,
        encoded.guest,
        encoded.program,
        encoded.inputs,
        encoded.seed,
        encoded.started,
        encoded.limits,
        encoded.lock,
        encoded.trace,
        encoded.tenant,
        encoded.checkpoint,
    ))?;
    Ok(number)
}

fn set_state(connection: &Connection, number: i64, state: RunState) -> rusqlite::Result<()> {
    let sql = match state.has_ended() {
        true => "UPDATE runs SET state = ?2, owner = NULL WHERE number = ?1",
        false => "UPDATE runs SET state = ?2 WHERE number = ?1",
    };
    connection.prepare_cached(sql)?.execute((number, state.as_str()))?;
    Ok(())
}

fn next_sequence(connection: &Connection, number: i64) -> rusqlite::Result<u32> {
    let sql = "SELECT max(id) FROM entries WHERE id BETWEEN ?1 AND ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let last = statement.query_row(entry_range(number), |row| row.get::<_, Option<i64>>(0));
    // The sequence number is the low half of the id.
    Ok(last?.map_or(0, |last| last as u32 + 1))
}

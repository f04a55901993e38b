//! Reading a run back.

use super::answers;
use super::columns::{entry_range, from_json, parsed, run_id};
use super::encode::{self, COLUMNS};
use super::failure::OperationError;
use crate::model::{RunId, Tenant, Timestamp};
use crate::store::{FORMAT, RunHeader, StoreError, StoredRun};
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// Returns a run's number.
pub(super) fn number(connection: &Connection, run: RunId) -> Result<i64, OperationError> {
    let mut statement = connection.prepare_cached("SELECT number FROM runs WHERE id = ?1")?;
    let found = statement.query_row([run.as_bytes()], |row| row.get(0)).optional()?;
    Ok(found.ok_or(StoreError::UnknownRun(run))?)
}

/// Reads a run.
pub(super) fn load(
    connection: &Connection,
    path: &Path,
    run: RunId,
) -> Result<StoredRun, OperationError> {
    let sql = "SELECT runs.number, runs.state, runs.script, runs.created, runs.resumed_from, \
               format, pml, guest, program, inputs, seed, limits, lock, trace, tenant, started, checkpoint \
               FROM runs JOIN headers ON headers.run = runs.number WHERE runs.id = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row([run.as_bytes()], |row| {
        let header = RunHeader {
            run,
            format: row.get(5)?,
            pml: row.get(6)?,
            guest: row.get(7)?,
            script: row.get(2)?,
            program: row.get(8)?,
            inputs: row.get(9)?,
            seed: row.get(10)?,
            created: Timestamp(row.get::<_, i64>(3)? as u64),
            started: Timestamp(row.get::<_, i64>(15)? as u64),
            limits: from_json(row, 11)?,
            resumed_from: run_id(row, 4)?,
            checkpoint: row.get(16)?,
            lock: row.get(12)?,
            trace: row.get(13)?,
            tenant: Tenant::new(row.get::<_, String>(14)?),
        };
        Ok((row.get::<_, i64>(0)?, parsed(row, 1, str::parse)?, header))
    });
    let (number, state, header) = found.optional()?.ok_or(StoreError::UnknownRun(run))?;
    if header.format > FORMAT {
        let (path, found) = (path.to_path_buf(), header.format);
        return Err(StoreError::Newer { path, found, known: FORMAT }.into());
    }
    let sql = format!("SELECT {COLUMNS} FROM entries WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
    let mut statement = connection.prepare_cached(&sql)?;
    let find_asked = |id| answers::body(connection, (number, run), id);
    let entries = statement.query_map(entry_range(number), |row| encode::read(row, &find_asked))?;
    let entries: Result<Vec<_>, String> = entries.collect::<rusqlite::Result<_>>()?;
    let damaged = |detail| StoreError::Damaged { path: path.into(), detail };
    Ok(StoredRun::new(header, state, entries.map_err(damaged)?))
}

//! Reads a run from the journal.

use super::columns::{entry_range, parsed, unreadable};
use super::entries::{self, COLUMNS};
use super::failure::OperationError;
use crate::model::RunId;
use crate::store::encoding::EncodedHeader;
use crate::store::{FORMAT, StoreError, StoredRun};
use rusqlite::{Connection, OptionalExtension, Row};
use std::borrow::Cow;
use std::path::Path;

/// The column of the limits, the only JSON in a header.
const LIMITS: usize = 11;

/// Returns the row number of a run.
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
        let text = |column| row.get::<_, String>(column).map(Cow::from);
        let optional =
            |column| row.get::<_, Option<String>>(column).map(|text| text.map(Cow::from));
        let encoded = EncodedHeader {
            format: row.get(5)?,
            pml: text(6)?,
            guest: text(7)?,
            script: text(2)?,
            program: text(8)?,
            inputs: text(9)?,
            seed: row.get(10)?,
            created: row.get(3)?,
            started: row.get(15)?,
            limits: text(LIMITS)?,
            resumed_from: row.get(4)?,
            checkpoint: optional(16)?,
            lock: optional(12)?,
            trace: text(13)?,
            tenant: text(14)?,
        };
        let header = encoded.decode(run).map_err(|error| unreadable(LIMITS, error))?;
        Ok((row.get::<_, i64>(0)?, parsed(row, 1, str::parse)?, header))
    });
    let (number, state, header) = found.optional()?.ok_or(StoreError::UnknownRun(run))?;
    if header.format > FORMAT {
        let (path, found) = (path.to_path_buf(), header.format);
        return Err(StoreError::Newer { path, found, known: FORMAT }.into());
    }
    let sql = format!("SELECT {COLUMNS} FROM entries WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
    let mut statement = connection.prepare_cached(&sql)?;
    let read = |row: &Row<'_>| entries::read(connection, (number, run), row);
    let entries = statement.query_map(entry_range(number), read)?;
    let entries: Result<Vec<_>, String> = entries.collect::<rusqlite::Result<_>>()?;
    let damaged = |detail| StoreError::Damaged { path: path.into(), detail };
    Ok(StoredRun::new(header, state, entries.map_err(damaged)?))
}

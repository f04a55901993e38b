//! Values of columns that only SQLite uses: ids of entries, times for comparisons.

use crate::model::{RunId, Timestamp};
use rusqlite::Row;
use rusqlite::types::Type;

/// Returns the id of an entry.
pub(super) fn entry_id(run: i64, sequence: u32) -> i64 {
    run << 32 | i64::from(sequence)
}

/// Returns the first and the last id that entries of a run can have.
pub(super) fn entry_range(run: i64) -> (i64, i64) {
    (entry_id(run, 0), entry_id(run, u32::MAX))
}

/// Returns a time as a column for comparisons; the exact time is stored elsewhere.
pub(super) fn comparable(time: Timestamp) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}

/// Returns the parsed value of a text column.
pub(super) fn parsed<T>(
    row: &Row<'_>,
    column: usize,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> rusqlite::Result<T> {
    parse(row.get_ref(column)?.as_str()?).map_err(|error| unreadable(column, error))
}

/// Returns the error for a text column that cannot be parsed.
pub(super) fn unreadable(column: usize, error: String) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
}

/// Returns the run in an id column that may be `NULL`.
pub(super) fn run_id(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<RunId>> {
    Ok(row.get::<_, Option<[u8; 16]>>(column)?.map(RunId::from_bytes))
}

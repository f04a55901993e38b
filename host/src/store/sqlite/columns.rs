//! Values as columns keep them.

use crate::model::{RunId, Timestamp};
use rusqlite::Row;
use rusqlite::types::Type;
use serde::{Serialize, de::DeserializeOwned};

/// Returns the id of an entry.
pub(super) fn entry_id(run: i64, sequence: u32) -> i64 {
    run << 32 | i64::from(sequence)
}

/// Returns the ids of the first and the last entry that a run can have.
pub(super) fn entry_range(run: i64) -> (i64, i64) {
    (entry_id(run, 0), entry_id(run, u32::MAX))
}

/// Returns plain data as JSON.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data with text as keys is always JSON")
}

/// Returns a time that columns can be compared by, where the exact one is kept elsewhere.
pub(super) fn comparable(time: Timestamp) -> i64 {
    i64::try_from(time.0).unwrap_or(i64::MAX)
}

/// Returns the value of a JSON column.
pub(super) fn from_json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    parsed(row, column, |text| serde_json::from_str(text).map_err(|error| error.to_string()))
}

/// Returns the value of a text column that a type parses.
pub(super) fn parsed<T>(
    row: &Row<'_>,
    column: usize,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> rusqlite::Result<T> {
    parse(row.get_ref(column)?.as_str()?).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error.into())
    })
}

/// Returns the run of an id's column that may be empty.
pub(super) fn run_id(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<RunId>> {
    Ok(row.get::<_, Option<[u8; 16]>>(column)?.map(RunId::from_bytes))
}

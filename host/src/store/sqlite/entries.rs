//! Entries in their table.

use super::answers;
use crate::model::{RunId, Timestamp};
use crate::store::encoding::{DecodedEntry, EncodedEntry, EncodedMeter};
use crate::store::{JournalEntry, Meter};
use rusqlite::{Connection, Row};

const INSERT: &str = "INSERT INTO entries (id, kind, call, at, cpu, wall, lines, calls, meta, text) \
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

/// The columns that `read` expects, in order.
pub(super) const COLUMNS: &str = "at, cpu, wall, lines, calls, kind, call, meta, text";

/// Writes an entry.
pub(super) fn write(
    connection: &Connection,
    id: i64,
    entry: &JournalEntry,
) -> rusqlite::Result<()> {
    let EncodedEntry { meter, kind, call, meta, text } = EncodedEntry::of(entry);
    let EncodedMeter { at, cpu, wall, lines, calls } = meter;
    let row = (id, kind, call, at, cpu, wall, lines, calls, meta, text);
    connection.prepare_cached(INSERT)?.execute(row)?;
    Ok(())
}

fn read_columns(row: &Row<'_>) -> rusqlite::Result<EncodedMeter> {
    Ok(EncodedMeter {
        at: row.get(0)?,
        cpu: row.get(1)?,
        wall: row.get(2)?,
        lines: row.get(3)?,
        calls: row.get(4)?,
    })
}

/// Reads the time and the usage of an entry: the first five of `COLUMNS`.
pub(super) fn read_meter(row: &Row<'_>) -> rusqlite::Result<(Timestamp, Meter)> {
    read_columns(row).map(EncodedMeter::decode)
}

/// Reads an entry of the run with this number from `COLUMNS`. The inner error describes damage to
/// the entry.
pub(super) fn read(
    connection: &Connection,
    run: (i64, RunId),
    row: &Row<'_>,
) -> rusqlite::Result<Result<JournalEntry, String>> {
    let encoded = EncodedEntry {
        meter: read_columns(row)?,
        kind: row.get_ref(5)?.as_str()?,
        call: row.get(6)?,
        meta: row.get_ref(7)?.as_str_or_null()?.map(Into::into),
        text: row.get::<_, Option<String>>(8)?.map(Into::into),
    };
    Ok(match encoded.decode() {
        Ok(DecodedEntry::Whole(entry)) => Ok(entry),
        Ok(DecodedEntry::Asked(asked)) => {
            let question = answers::read_question(connection, run, asked.question)?;
            asked.with_question(question)
        }
        Err(damage) => Err(damage),
    })
}

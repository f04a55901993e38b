//! The audit trail in its table. An entry is written in the same transaction as the event it
//! records.

use crate::model::canonical;
use crate::store::audit::{
    AcceptedPrefix, TrailAnchor, TrailDigest, TrailHead, TrailVerifier, body, link,
};
use crate::store::{AuditEntry, AuditEvent, AuditFilter, AuditNote, AuditTrail, TrailDefect};
use rusqlite::{Connection, OptionalExtension};
use serde_json::Value;
use std::cell::Cell;
use std::collections::VecDeque;

pub(super) use crate::store::audit::HeadFile;

/// Writes entries of the audit trail and moves its anchor.
pub(super) struct TrailWriter {
    head: Option<HeadFile>,
    /// True if entries were written since the anchor was last moved.
    has_new_entries: Cell<bool>,
    /// True if a person has accepted the trail as it is.
    accepted: Cell<bool>,
}

impl TrailWriter {
    /// Returns a writer that moves the anchor in `head`, if there is one.
    pub(super) fn new(head: Option<HeadFile>) -> TrailWriter {
        TrailWriter { head, has_new_entries: Cell::new(false), accepted: Cell::new(false) }
    }

    /// Reports whether writing an entry also writes the anchor, which may have to wait for a lock.
    pub(super) fn has_head_file(&self) -> bool {
        self.head.is_some()
    }

    /// Writes an entry at the end of the trail.
    pub(super) fn append(&self, connection: &Connection, note: &AuditNote) -> rusqlite::Result<()> {
        let head = read_head(connection)?;
        let number = head.count + 1;
        let text = canonical(&body(number, note));
        let hash = link(&head.hash, &text);
        let sql = "INSERT INTO audit (number, body, hash) VALUES (?1, ?2, ?3)";
        connection.prepare_cached(sql)?.execute((number as i64, text, hash))?;
        self.has_new_entries.set(true);
        if matches!(note.event, AuditEvent::Accepted { .. }) {
            self.accepted.set(true);
        }
        Ok(())
    }

    /// Moves the anchor, once the entries are committed. If that fails, the anchor lags behind, and
    /// is moved with the next entry.
    pub(super) fn update_head(&self, connection: &Connection) {
        let (has_new_entries, accepted) =
            (self.has_new_entries.replace(false), self.accepted.replace(false));
        if let Some(file) = self.head.as_ref().filter(|_| has_new_entries)
            && let Ok(head) = read_head(connection)
        {
            let result = match accepted {
                true => read_unverified(connection).map(|anchor| file.accept(anchor)).ok(),
                false => {
                    let hash = |number| hash_of(connection, number).ok().flatten();
                    Some(file.advance(&head, hash))
                }
            };
            // A failure here must not keep anybody from deciding; `pml audit` reports it.
            drop(result);
        }
    }
}

fn read_head(connection: &Connection) -> rusqlite::Result<TrailHead> {
    let sql = "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let head = statement.query_row([], |row| {
        Ok(TrailHead { count: row.get::<_, i64>(0)? as u64, hash: row.get(1)? })
    });
    Ok(head.optional()?.unwrap_or_default())
}

/// Reads the whole trail without verifying it, and returns the anchor that accepts it as it is.
fn read_unverified(connection: &Connection) -> rusqlite::Result<TrailAnchor> {
    let mut statement =
        connection.prepare("SELECT number, body, hash FROM audit ORDER BY number")?;
    let mut rows = statement.query([])?;
    let (mut head, mut sum) = (TrailHead::default(), TrailDigest::default());
    while let Some(row) = rows.next()? {
        let number = row.get::<_, i64>(0)? as u64;
        let (text, hash) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
        sum.add(number, text.as_bytes(), hash.as_bytes());
        head = TrailHead { count: number, hash: hash.into() };
    }
    let accepted = Some(AcceptedPrefix { up_to: head.count, digest: sum.digest() });
    Ok(TrailAnchor { head, accepted })
}

fn hash_of(connection: &Connection, number: u64) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT hash FROM audit WHERE number = ?1";
    connection.prepare_cached(sql)?.query_row([number as i64], |row| row.get(0)).optional()
}

/// Reads the trail, and verifies all of it.
pub(super) fn read(
    connection: &Connection,
    head: Option<&HeadFile>,
    filter: &AuditFilter,
) -> rusqlite::Result<AuditTrail> {
    // The anchor is read before the table, so that it is never ahead of the entries read.
    let (anchor, read_error) = match read_anchor(head) {
        Ok(anchor) => (anchor, None),
        Err(defect) => (None, Some(defect)),
    };
    let anchored = anchor.as_ref().map(|anchor| anchor.head.count);
    let accepted = anchor.as_ref().and_then(|anchor| Some(anchor.accepted.as_ref()?.up_to));
    let mut verifier = TrailVerifier::new(anchor);
    let mut entries = VecDeque::new();
    let mut statement =
        connection.prepare("SELECT number, body, hash FROM audit ORDER BY number")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let number = row.get::<_, i64>(0)? as u64;
        let (text, hash) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
        verifier.verify_entry(number, text, hash);
        // A body that is not JSON was changed; the hash shows that.
        let body = serde_json::from_str::<Value>(text).unwrap_or_default();
        let entry = AuditEntry::new(number, body, hash.into());
        if filter.selects(&entry) {
            entries.push_back(entry);
        }
        if filter.limit.is_some_and(|limit| entries.len() as u64 > limit) {
            entries.pop_front();
        }
    }
    let (head, defect) = verifier.finish();
    Ok(AuditTrail {
        entries: entries.into(),
        count: head.count,
        hash: head.hash,
        anchored,
        accepted,
        defect: defect.or(read_error),
    })
}

fn read_anchor(head: Option<&HeadFile>) -> Result<Option<TrailAnchor>, TrailDefect> {
    head.map_or(Ok(None), HeadFile::read)
}

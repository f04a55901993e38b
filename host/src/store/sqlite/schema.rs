//! The tables, and the migrations of older journals.
//!
//! Policy for change: a released migration is never edited; new ones are added at the end of the
//! list. A journal with a version above the length of this list is refused and left alone.

use crate::store::sqlite::schema_check;
use rusqlite::Connection;

/// Marks the file as a journal of pml: `PMLJ`.
pub(super) const APPLICATION: i32 = i32::from_be_bytes(*b"PMLJ");

/// Each migration brings a journal from the previous version to the version of its place in the
/// list, counted from 1.
pub(super) const MIGRATIONS: &[&str] = &[FIRST, AUDIT, DIGEST];

/// `runs` is small and changes; data that is large or never changes is in the tables beside it.
///
/// An entry's id is `run << 32 | sequence`: a run's entries are one range, and appending touches
/// one page. Times are microseconds since 1970, durations are nanoseconds; unsigned numbers are
/// stored bit for bit in signed columns.
const FIRST: &str = "
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    state TEXT NOT NULL,
    script TEXT NOT NULL,
    created INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    owner TEXT,
    resumed_from BLOB
) STRICT;
CREATE TABLE headers (
    run INTEGER PRIMARY KEY,
    format INTEGER NOT NULL,
    pml TEXT NOT NULL,
    guest TEXT NOT NULL,
    program TEXT NOT NULL,
    inputs TEXT NOT NULL,
    seed BLOB NOT NULL,
    started INTEGER NOT NULL,
    limits TEXT NOT NULL,
    checkpoint TEXT,
    lock TEXT,
    trace TEXT NOT NULL,
    tenant TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    call INTEGER,
    at INTEGER NOT NULL,
    cpu INTEGER NOT NULL,
    wall INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    meta TEXT,
    text TEXT
) STRICT;
CREATE TABLE questions (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    run INTEGER NOT NULL,
    body TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER,
    open INTEGER NOT NULL
) STRICT;
CREATE INDEX questions_run ON questions (run);
CREATE INDEX questions_open ON questions (run, expires_at) WHERE open = 1;
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    question INTEGER NOT NULL,
    ask INTEGER NOT NULL,
    decision TEXT NOT NULL,
    who TEXT NOT NULL,
    channel TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (question, ask)
) STRICT;
";

/// The audit trail: `hash` is computed over the previous hash and `body` as it is.
///
/// The triggers protect against people who edit the file by hand without bad intent; the hashes
/// detect the others. `INSERT OR REPLACE` fires no trigger for the row it deletes, hence the last
/// trigger.
const AUDIT: &str = "
CREATE TABLE audit (
    number INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit trail only grows: an entry is never changed');
END;
CREATE TRIGGER audit_is_not_forgotten BEFORE DELETE ON audit BEGIN
    SELECT RAISE(ABORT, 'the audit trail only grows: an entry is never deleted');
END;
CREATE TRIGGER audit_grows_at_its_end BEFORE INSERT ON audit
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM audit) BEGIN
    SELECT RAISE(ABORT, 'the audit trail only grows at its end');
END;
";

/// The digest of the ask that was shown for the decision. Decisions of older journals have none,
/// and allow nothing.
const DIGEST: &str = "
ALTER TABLE decisions ADD COLUMN digest TEXT;
";

/// The kind of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DatabaseKind {
    /// It is empty.
    Empty,
    /// It is a journal of this version.
    Journal(u32),
    /// It belongs to another program.
    Foreign,
}

/// Determines the kind of a database, from one snapshot: another process may be creating it.
pub(super) fn database_kind(connection: &Connection) -> rusqlite::Result<DatabaseKind> {
    in_snapshot(connection, read_kind)
}

/// Does the same, and compares a journal of a known version with the schema of that version.
/// Returns the first difference.
pub(super) fn examine(connection: &Connection) -> rusqlite::Result<(DatabaseKind, Option<String>)> {
    in_snapshot(connection, |connection| {
        let found = read_kind(connection)?;
        let difference = match found {
            DatabaseKind::Journal(version) => match MIGRATIONS.get(..version as usize) {
                Some(migrations) => schema_check::difference(connection, migrations)?,
                None => None,
            },
            DatabaseKind::Empty | DatabaseKind::Foreign => None,
        };
        Ok((found, difference))
    })
}

fn in_snapshot<T>(
    connection: &Connection,
    read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.execute_batch("SAVEPOINT look")?;
    let found = read(connection);
    let released = connection.execute_batch("RELEASE look");
    // A disk that is full ends the snapshot too: the error of the read says why.
    found.and_then(|found| released.map(|()| found))
}

fn read_kind(connection: &Connection) -> rusqlite::Result<DatabaseKind> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get(0));
    let (application, version): (i32, i32) = (number("application_id")?, number("user_version")?);
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (application, u32::try_from(version)) {
        (APPLICATION, Ok(version)) if version > 0 => DatabaseKind::Journal(version),
        (0, Ok(0)) if tables == 0 => DatabaseKind::Empty,
        _ => DatabaseKind::Foreign,
    })
}

/// Applies the missing migrations, in one transaction. Another process may have been faster.
pub(super) fn migrate(connection: &Connection, migrations: &[&str]) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let migrated = database_kind(connection).and_then(|found| {
        let version = match found {
            DatabaseKind::Journal(version) => version as usize,
            DatabaseKind::Empty | DatabaseKind::Foreign => 0,
        };
        for migration in migrations.iter().skip(version) {
            connection.execute_batch(migration)?;
        }
        if version < migrations.len() {
            connection.pragma_update(None, "application_id", APPLICATION)?;
            connection.pragma_update(None, "user_version", migrations.len() as u32)?;
        }
        connection.execute_batch("COMMIT")
    });
    if migrated.is_err() && !connection.is_autocommit() {
        // The first failure is returned; a transaction that cannot be rolled back ends with the
        // connection.
        let _ = connection.execute_batch("ROLLBACK");
    }
    migrated
}

#[cfg(test)]
mod tests {
    use super::{DatabaseKind, FIRST, MIGRATIONS, database_kind, migrate};
    use rusqlite::Connection;

    #[test]
    fn an_older_journal_gets_what_it_lacks_and_keeps_what_it_has() {
        let connection = Connection::open_in_memory().unwrap();
        assert_eq!(database_kind(&connection).unwrap(), DatabaseKind::Empty);
        migrate(&connection, &[FIRST]).unwrap();
        let insert = "INSERT INTO runs VALUES (1, x'00', 'running', 's', 0, 1, NULL, NULL)";
        connection.execute_batch(insert).unwrap();
        migrate(&connection, &[FIRST, "ALTER TABLE runs ADD COLUMN later TEXT"]).unwrap();
        assert_eq!(database_kind(&connection).unwrap(), DatabaseKind::Journal(2));
        let rows = "SELECT count(*) FROM runs WHERE later IS NULL";
        assert_eq!(connection.query_row(rows, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
    }

    #[test]
    fn a_migration_that_fails_leaves_the_journal_as_it_was() {
        let connection = Connection::open_in_memory().unwrap();
        migrate(&connection, MIGRATIONS).unwrap();
        let wrong = [MIGRATIONS, &["CREATE TABLE more (x) STRICT"]].concat();
        migrate(&connection, &wrong).unwrap_err();
        assert_eq!(
            database_kind(&connection).unwrap(),
            DatabaseKind::Journal(MIGRATIONS.len() as u32)
        );
    }

    #[test]
    fn entries_of_the_trail_are_neither_changed_nor_deleted_nor_put_in_between() {
        let connection = Connection::open_in_memory().unwrap();
        migrate(&connection, MIGRATIONS).unwrap();
        let insert = |number: u32| format!("INSERT INTO audit VALUES ({number}, '{{}}', 'h')");
        connection.execute_batch(&insert(1)).unwrap();
        connection.execute_batch(&insert(2)).unwrap();
        for refused in [
            "UPDATE audit SET body = 'x' WHERE number = 1".to_owned(),
            "DELETE FROM audit".into(),
            "INSERT OR REPLACE INTO audit VALUES (1, 'x', 'h')".into(),
            "INSERT INTO audit (body, hash) VALUES ('x', 'h')".into(),
            insert(4),
        ] {
            let error = connection.execute_batch(&refused).unwrap_err().to_string();
            assert!(error.contains("the audit trail only grows"), "{refused}: {error}");
        }
        let count =
            connection.query_row("SELECT count(*) FROM audit", [], |row| row.get::<_, i64>(0));
        assert_eq!(count.unwrap(), 2);
    }
}

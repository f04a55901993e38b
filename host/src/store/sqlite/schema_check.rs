//! Compares a journal's schema with that of its version: every table, index, trigger and view, and
//! no others.
//!
//! The file may have been written by anybody, and its schema contains code that runs when the
//! journal is used: a trigger on questions could answer them.

use crate::model::{cut, escape};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use std::collections::BTreeMap;

/// Maximum characters of a name that are shown.
const NAME: usize = 80;

/// The objects of a schema, by kind and name, with the table that each belongs to and its SQL.
type SchemaObjects = BTreeMap<(String, String), (String, Option<String>)>;

const OBJECTS: &str = "SELECT type, name, tbl_name, sql FROM sqlite_schema";

/// Returns the first difference between a journal's schema and the one that the migrations create.
pub(super) fn difference(
    connection: &Connection,
    migrations: &[&str],
) -> rusqlite::Result<Option<String>> {
    let mut expected = schema_of(migrations)?;
    let mut statement = connection.prepare(OBJECTS)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (Some(kind), Some(name)) = (text(row, 0)?, text(row, 1)?) else {
            return Ok(Some("a part of its schema has no name".into()));
        };
        // A second object of the same name finds no expected one.
        let Some((table, sql)) = expected.remove(&(kind.clone(), name.clone())) else {
            return Ok(Some(format!("the {} is not pml's", describe(&kind, &name))));
        };
        let same = text(row, 2)?.as_ref() == Some(&table)
            && is_same_sql(sql.as_deref(), text(row, 3)?.as_deref());
        if !same {
            return Ok(Some(format!("the {} is not as pml made it", describe(&kind, &name))));
        }
    }
    let missing = expected.into_keys().next();
    Ok(missing.map(|(kind, name)| format!("the {} is missing", describe(&kind, &name))))
}

/// Creates a journal in memory, and reads its schema.
fn schema_of(migrations: &[&str]) -> rusqlite::Result<SchemaObjects> {
    let connection = Connection::open_in_memory()?;
    // The transaction is never committed: the database is thrown away.
    connection.execute_batch("BEGIN")?;
    for migration in migrations {
        connection.execute_batch(migration)?;
    }
    let mut statement = connection.prepare(OBJECTS)?;
    let objects = statement
        .query_map([], |row| Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, row.get(3)?))))?;
    objects.collect()
}

fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    match row.get_ref(column)? {
        ValueRef::Null => Ok(None),
        _ => row.get(column).map(Some),
    }
}

/// Reports whether two statements are the same except for whitespace.
fn is_same_sql(one: Option<&str>, other: Option<&str>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.split_ascii_whitespace().eq(other.split_ascii_whitespace()),
        (one, other) => one == other,
    }
}

fn describe(kind: &str, name: &str) -> String {
    format!("{} `{}`", cut(&escape(kind), NAME), cut(&escape(name), NAME))
}

#[cfg(test)]
mod tests {
    use super::difference;
    use crate::store::sqlite::schema::MIGRATIONS;
    use rusqlite::Connection;

    fn journal(version: usize, change: &str) -> Option<String> {
        let connection = Connection::open_in_memory().unwrap();
        for migration in &MIGRATIONS[..version] {
            connection.execute_batch(migration).unwrap();
        }
        connection.execute_batch(change).unwrap();
        difference(&connection, &MIGRATIONS[..version]).unwrap()
    }

    #[test]
    fn a_journal_of_every_version_is_as_its_migrations_made_it() {
        for version in 1..=MIGRATIONS.len() {
            assert_eq!(journal(version, ""), None);
        }
    }

    #[test]
    fn whatever_is_there_besides_is_named() {
        for (change, name) in [
            (
                "CREATE TRIGGER decide AFTER INSERT ON questions BEGIN DELETE FROM runs; END",
                "the trigger `decide` is not pml's",
            ),
            ("CREATE VIEW all_runs AS SELECT * FROM runs", "the view `all_runs` is not pml's"),
            ("CREATE INDEX quick ON runs (state)", "the index `quick` is not pml's"),
            ("CREATE TABLE more (x)", "the table `more` is not pml's"),
            ("CREATE TABLE \"a\u{1b}[2J\" (x)", "the table `a\\u{1b}[2J` is not pml's"),
            ("DROP TRIGGER audit_is_not_changed", "the trigger `audit_is_not_changed` is missing"),
            ("DROP INDEX questions_run", "the index `questions_run` is missing"),
            ("ALTER TABLE runs ADD COLUMN x TEXT", "the table `runs` is not as pml made it"),
            (
                "DROP TRIGGER audit_is_not_changed; CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT 1; END",
                "the trigger `audit_is_not_changed` is not as pml made it",
            ),
            (
                "DROP INDEX questions_run; CREATE INDEX questions_run ON runs (id)",
                "the index `questions_run` is not as pml made it",
            ),
            ("ANALYZE", "the table `sqlite_stat1` is not pml's"),
        ] {
            assert_eq!(journal(MIGRATIONS.len(), change).as_deref(), Some(name), "{change}");
        }
    }

    #[test]
    fn a_schema_that_was_written_by_hand_is_no_other() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(MIGRATIONS[0]).unwrap();
        connection
            .execute_batch(
                "PRAGMA writable_schema = ON;
                 UPDATE sqlite_schema SET sql = replace(sql, 'owner TEXT', 'owner  TEXT DEFAULT 1') WHERE name = 'runs';
                 PRAGMA writable_schema = RESET;",
            )
            .unwrap();
        let found = difference(&connection, &MIGRATIONS[..1]).unwrap();
        assert_eq!(found.as_deref(), Some("the table `runs` is not as pml made it"));
    }
}

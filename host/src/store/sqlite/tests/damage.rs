//! Tests that journals that cannot be used are refused with a clear error and left as they are.

use super::open;
use crate::store::tests::sample::{header, settled};
use crate::store::{Durability, Journal, JournalBatch, Store, StoreError};
use std::fs;
use std::path::Path;

async fn filled(folder: &Path) {
    let store = open(folder);
    let lease = store.create(header("a")).await.unwrap();
    store.append(&lease, JournalBatch::new((0..500).map(settled).collect())).await.unwrap();
}

/// Opens a journal that cannot be used, and checks that its bytes stay the same. Returns the error.
fn refused(folder: &Path) -> StoreError {
    let files = ["state.db", "state.db-wal"].map(|name| folder.join(name));
    let before = files.clone().map(|file| fs::read(file).ok());
    let error = Store::open(folder, Durability::Process).unwrap_err();
    assert_eq!(fs::read(&files[0]).ok(), before[0]);
    if before[1].is_some() {
        assert_eq!(fs::read(&files[1]).ok(), before[1]);
    }
    assert!(error.to_string().contains("state.db"), "{error}");
    error
}

#[test]
fn garbage_is_damaged() {
    for garbage in [b"x".repeat(3), b"not a database".repeat(1_000), vec![0; 8192]] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("state.db"), garbage).unwrap();
        let error = refused(folder.path());
        assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_journal_that_was_cut_short_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).await;
    let path = folder.path().join("state.db");
    let whole = fs::read(&path).unwrap();
    assert!(!folder.path().join("state.db-wal").exists());
    for length in [whole.len() - 1, whole.len() - 4096, whole.len() / 2, 4096, 100, 50] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = refused(folder.path());
        assert!(matches!(error, StoreError::Damaged { .. }), "{length}: {error:?}");
    }
    fs::write(&path, &whole).unwrap();
    open(folder.path());
}

#[test]
fn an_empty_journal_beside_its_wal_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("state.db"), "").unwrap();
    fs::write(folder.path().join("state.db-wal"), "what is left").unwrap();
    assert!(matches!(refused(folder.path()), StoreError::Damaged { .. }));
    fs::remove_file(folder.path().join("state.db")).unwrap();
    assert!(matches!(refused(folder.path()), StoreError::Damaged { .. }));
}

#[tokio::test]
async fn a_newer_journal_is_left_to_a_newer_pml() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).await;
    let path = folder.path().join("state.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let error = refused(folder.path());
    assert!(matches!(error, StoreError::Newer { found: 99, known: 3, .. }), "{error:?}");
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    for sql in ["CREATE TABLE theirs (x)", "PRAGMA user_version = 1", "PRAGMA application_id = 7"] {
        let folder = tempfile::tempdir().unwrap();
        let connection = rusqlite::Connection::open(folder.path().join("state.db")).unwrap();
        connection.execute_batch(sql).unwrap();
        drop(connection);
        let error = refused(folder.path());
        assert!(matches!(error, StoreError::Damaged { .. }), "{sql}: {error:?}");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let error = Store::open(folder.path().join("file/.pml"), Durability::Process).unwrap_err();
    assert!(
        matches!(&error, StoreError::Io { path, .. } if path.ends_with("file/.pml")),
        "{error}"
    );
}

#[test]
fn a_journal_that_is_a_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("state.db")).unwrap();
    let error = Store::open(folder.path(), Durability::Process).unwrap_err();
    assert!(
        matches!(&error, StoreError::Io { path, .. } if path.ends_with("state.db")),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_page_that_rots_under_a_reader_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).await;
    let path = folder.path().join("state.db");
    let mut bytes = fs::read(&path).unwrap();
    let length = bytes.len();
    bytes[length / 2..].fill(0xff);
    fs::write(&path, &bytes).unwrap();
    let store = open(folder.path());
    let run = store.runs(Default::default(), crate::model::Timestamp(0)).await;
    let loaded = match run {
        Ok(runs) => store.load(runs[0].run).await.map(|_| ()),
        Err(error) => Err(error),
    };
    assert!(matches!(loaded, Err(StoreError::Damaged { .. })), "{loaded:?}");
}

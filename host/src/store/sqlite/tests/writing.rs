//! Tests of writing: shared transactions, private files, the required durability.

use super::open;
use crate::model::{CallId, CallResult};
use crate::store::tests::sample::{ending, entry, every_kind, header, settled};
use crate::store::{
    Durability, Journal, JournalBatch, JournalEvent, RunFilter, RunState, Store, StoreError,
    StoredRun, WriteDurability,
};
use std::fs;

#[tokio::test]
async fn what_was_written_is_there_when_it_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let header = header("a");
    let entries = every_kind(header.run);
    let store = open(folder.path());
    let lease = store.create(header.clone()).await.unwrap();
    store.append(&lease, JournalBatch::new(entries.clone())).await.unwrap();
    let waiting = JournalBatch { state: Some(RunState::Waiting), ..JournalBatch::default() };
    // Dropping the store finishes queued operations, even if no caller waits for them.
    drop(store.append(&lease, waiting));
    drop(store);
    let store = open(folder.path());
    let stored = store.load(header.run).await.unwrap();
    assert_eq!(stored, StoredRun::new(header, RunState::Waiting, entries));
}

#[tokio::test]
async fn the_folder_is_made_with_what_git_should_pass_over() {
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("a/.pml");
    let store = open(&made);
    assert_eq!(store.path(), made.join("state.db"));
    let ignored = fs::read_to_string(made.join(".gitignore")).unwrap();
    assert_eq!(ignored, "*\n!mcp.lock\n");
    let there = folder.path().join("there");
    fs::create_dir(&there).unwrap();
    open(&there);
    assert!(!there.join(".gitignore").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn its_files_are_for_this_user_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let _lease = store.create(header("a")).await.unwrap();
    let owner = fs::read_dir(folder.path().join("owners")).unwrap().next().unwrap().unwrap();
    let names = ["state.db", "state.db-wal", "state.db-shm"].map(|name| folder.path().join(name));
    for file in names.into_iter().chain([owner.path()]) {
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
}

#[tokio::test]
async fn nothing_is_left_of_an_owner_that_went_away() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    assert!(!folder.path().join("owners").exists());
    drop(store.create(header("a")).await.unwrap());
    let count = || fs::read_dir(folder.path().join("owners")).unwrap().count();
    assert_eq!(count(), 1);
    drop(store);
    assert_eq!(count(), 0);
}

#[tokio::test]
async fn what_is_queued_shares_a_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let lease = store.create(header("a")).await.unwrap();
    let appends: Vec<_> =
        (0..100).map(|step| store.append(&lease, JournalBatch::new(vec![settled(step)]))).collect();
    for append in appends {
        append.await.unwrap();
    }
    let statistics = store.statistics();
    assert_eq!(statistics.operations, 101);
    assert!(statistics.commits < 101, "{statistics:?}");
    assert_eq!(statistics.synced, 0);
}

#[tokio::test]
async fn only_power_waits_for_the_disk() {
    for (durability, synced) in [(Durability::Power, 1), (Durability::Process, 0)] {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), durability).unwrap();
        assert_eq!(store.durability(), durability);
        let lease = store.create(header("a")).await.unwrap();
        store.append(&lease, JournalBatch::new(vec![settled(1)])).await.unwrap();
        let safe = JournalBatch {
            durability: WriteDurability::Disk,
            ..JournalBatch::new(vec![settled(2)])
        };
        store.append(&lease, safe).await.unwrap();
        store.append(&lease, JournalBatch::new(vec![settled(3)])).await.unwrap();
        assert_eq!(store.statistics().synced, synced, "{durability:?}");
    }
}

#[tokio::test]
async fn after_a_failure_a_lease_writes_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let lease = store.create(header("a")).await.unwrap();
    store.append(&lease, JournalBatch::new(vec![settled(1)])).await.unwrap();
    // Anything that makes a statement fail will do; a full disk is tested elsewhere.
    let other = rusqlite::Connection::open(store.path()).unwrap();
    other.execute_batch("ALTER TABLE entries RENAME TO gone").unwrap();
    let failed = store.append(&lease, JournalBatch::new(vec![settled(2)])).await;
    assert!(matches!(failed, Err(StoreError::Database { .. })), "{failed:?}");
    other.execute_batch("ALTER TABLE gone RENAME TO entries").unwrap();
    let failed = store.append(&lease, JournalBatch::new(vec![settled(3)])).await;
    assert!(matches!(failed, Err(StoreError::Database { .. })), "{failed:?}");
    let run = lease.run;
    drop(lease);
    let lease = store.claim(run).await.unwrap();
    store.append(&lease, JournalBatch::new(vec![settled(4)])).await.unwrap();
    assert_eq!(store.load(run).await.unwrap().entries, [settled(1), settled(4)]);
}

#[tokio::test]
async fn a_run_that_is_there_is_not_created_twice() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let header = header("a");
    let lease = store.create(header.clone()).await.unwrap();
    let refused = store.create(header);
    let beside = store.append(&lease, JournalBatch::new(vec![settled(1)]));
    assert!(matches!(refused.await, Err(StoreError::Database { .. })));
    beside.await.unwrap();
}

#[tokio::test]
async fn a_journal_does_not_grow_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for _ in 0..13 {
        let mut ends = Vec::new();
        for _ in 0..100 {
            let lease = store.create(header("a")).await.unwrap();
            ends.push((store.append(&lease, ending(RunState::Finished)), lease));
        }
        for (end, _lease) in ends {
            end.await.unwrap();
        }
    }
    drop(store);
    let store = open(folder.path());
    let runs = store.runs(RunFilter::default(), crate::model::Timestamp(4_000)).await.unwrap();
    assert!((1_000..=1_100).contains(&runs.len()), "{}", runs.len());
}

#[tokio::test]
async fn the_wal_is_folded_in_beside_a_journal_that_is_open_and_idle() {
    let folder = tempfile::tempdir().unwrap();
    let _idle = open(folder.path());
    for _ in 0..12 {
        // Each store writes less than triggers a checkpoint of its own, and none is the last to
        // close.
        let store = open(folder.path());
        let lease = store.create(header("a")).await.unwrap();
        for step in 0..60 {
            let text = "x".repeat(20_000);
            let what = JournalEvent::Settled {
                call: CallId::numbered(step),
                settled: CallResult::Value(text),
            };
            store.append(&lease, JournalBatch::new(vec![entry(step, what)])).await.unwrap();
        }
    }
    let wal = std::fs::metadata(folder.path().join("state.db-wal")).unwrap().len();
    assert!(wal < 10 << 20, "{wal}");
}

#[tokio::test]
async fn a_wal_that_was_folded_in_is_not_folded_in_again_with_every_write() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let lease = store.create(header("a")).await.unwrap();
    for step in 0..1_500 {
        let what = JournalEvent::Settled {
            call: CallId::numbered(step),
            settled: CallResult::Value("x".repeat(9_000)),
        };
        store.append(&lease, JournalBatch::new(vec![entry(step, what)])).await.unwrap();
    }
    // About thirty megabytes of WAL, of which each checkpoint copies a few. On a busy machine the
    // thread may only do that now.
    for _ in 0..10_000 {
        if store.statistics().checkpoints > 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    let checkpoints = store.statistics().checkpoints;
    assert!((1..=30).contains(&checkpoints), "{checkpoints}");
}

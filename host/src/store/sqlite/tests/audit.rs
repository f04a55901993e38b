//! Tests of an audit trail in a file that was tampered with.

use crate::model::{Answer, Decision, Timestamp};
use crate::store::sqlite::schema::MIGRATIONS;
use crate::store::tests::sample::{asking, header, question};
use crate::store::{
    AuditEvent, AuditFilter, AuditNote, AuditTrail, Durability, Journal, Store, TrailDefect,
};
use rusqlite::Connection;
use std::path::Path;

fn open(folder: &Path) -> Store {
    let process = Durability::Process;
    Store::open_with_heads(folder.join(".pml"), process, folder.join("heads")).unwrap()
}

async fn ask(store: &Store) {
    let lease = store.create(header("a")).await.unwrap();
    let question = question(lease.run, None);
    store.append(&lease, asking(&question)).await.unwrap();
    let answer = Answer::all(&question, Decision::Approve, "ann", "terminal");
    store.answer(question.id, answer, Timestamp(4_000)).await.unwrap();
}

async fn read(store: &Store) -> AuditTrail {
    store.audit_trail(AuditFilter::default()).await.unwrap()
}

/// Returns a folder whose journal has two answered questions; six entries.
async fn filled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    ask(&store).await;
    ask(&store).await;
    let trail = read(&store).await;
    assert_eq!((trail.count, trail.anchored, trail.defect), (6, Some(6), None));
    folder
}

/// Changes the audit table, as anybody with access to the file can.
fn tamper(folder: &Path, sql: &str) {
    let connection = Connection::open(folder.join(".pml/state.db")).unwrap();
    let triggers = "DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_forgotten;
                    DROP TRIGGER audit_grows_at_its_end;";
    connection.execute_batch(triggers).unwrap();
    connection.execute_batch(sql).unwrap();
    // The triggers are restored: a journal without them is not opened.
    let made = MIGRATIONS[1].find("CREATE TRIGGER").map(|at| &MIGRATIONS[1][at..]);
    connection.execute_batch(made.unwrap()).unwrap();
}

#[tokio::test]
async fn one_changed_byte_is_noticed() {
    let folder = filled().await;
    tamper(
        folder.path(),
        "UPDATE audit SET body = replace(body, '\"ann\"', '\"amn\"') WHERE number = 2",
    );
    assert_eq!(read(&open(folder.path())).await.defect, Some(TrailDefect::Changed { number: 2 }));
}

#[tokio::test]
async fn a_removed_entry_is_noticed() {
    let folder = filled().await;
    tamper(folder.path(), "DELETE FROM audit WHERE number = 3");
    assert_eq!(read(&open(folder.path())).await.defect, Some(TrailDefect::Missing { number: 3 }));
}

#[tokio::test]
async fn an_end_that_was_cut_off_is_noticed_and_stays_noticed_when_the_trail_grows() {
    let folder = filled().await;
    tamper(folder.path(), "DELETE FROM audit WHERE number > 3");
    let store = open(folder.path());
    assert_eq!(read(&store).await.defect, Some(TrailDefect::Cut { kept: 6, found: 3 }));
    ask(&store).await;
    assert_eq!(read(&store).await.defect, Some(TrailDefect::Rewritten { number: 6 }));
    ask(&store).await;
    assert_eq!(read(&store).await.defect, Some(TrailDefect::Rewritten { number: 6 }));
}

#[tokio::test]
async fn a_trail_that_was_written_anew_is_noticed_until_a_person_accepts_it() {
    let folder = filled().await;
    // The hashes of the new trail are consistent: it was made by this very code.
    std::fs::remove_dir_all(folder.path().join(".pml")).unwrap();
    let store = open(folder.path());
    assert_eq!(read(&store).await.defect, Some(TrailDefect::Cut { kept: 6, found: 0 }));
    for _ in 0..3 {
        ask(&store).await;
    }
    let trail = read(&store).await;
    assert_eq!((trail.count, trail.defect), (9, Some(TrailDefect::Rewritten { number: 6 })));
    let (who, channel, reason) = ("ann".into(), "command line".into(), "I moved it".into());
    let what = AuditEvent::Accepted { who, channel, reason };
    store.audit(AuditNote::new(Timestamp(5_000), None, what)).await.unwrap();
    let trail = read(&store).await;
    assert_eq!((trail.count, trail.anchored, trail.defect), (10, Some(10), None));
    ask(&store).await;
    assert_eq!(read(&store).await.anchored, Some(13));
}

#[tokio::test]
async fn a_head_that_is_gone_is_not_begun_anew_by_the_next_entry() {
    let folder = filled().await;
    std::fs::remove_dir_all(folder.path().join("heads")).unwrap();
    tamper(folder.path(), "DELETE FROM audit WHERE number > 4");
    let store = open(folder.path());
    ask(&store).await;
    let trail = read(&store).await;
    // The entries are consistent; the only defect is that no anchor covers their end.
    assert_eq!((trail.count, trail.anchored, trail.defect), (7, None, None));
}

#[tokio::test]
async fn a_head_that_lags_behind_is_brought_up() {
    let folder = filled().await;
    // An embedder that uses no anchors.
    let store = Store::open(folder.path().join(".pml"), Durability::Process).unwrap();
    ask(&store).await;
    assert_eq!(read(&store).await.anchored, None);
    drop(store);
    let store = open(folder.path());
    let trail = read(&store).await;
    assert_eq!((trail.count, trail.anchored, trail.defect), (9, Some(6), None));
    ask(&store).await;
    assert_eq!(read(&store).await.anchored, Some(12));
}

#[tokio::test]
async fn two_processes_write_one_chain() {
    let folder = filled().await;
    let stores = [open(folder.path()), open(folder.path())];
    for round in 0..10 {
        ask(&stores[round % 2]).await;
    }
    let trail = read(&stores[0]).await;
    assert_eq!((trail.count, trail.anchored, trail.defect), (36, Some(36), None));
}

#[tokio::test]
async fn calls_that_nobody_asks_about_touch_no_head() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let lease = store.create(header("a")).await.unwrap();
    let entry = crate::store::tests::sample::settled(1);
    store.append(&lease, crate::store::JournalBatch::new(vec![entry])).await.unwrap();
    assert!(!folder.path().join("heads").exists());
    assert_eq!(read(&store).await, AuditTrail::default());
}

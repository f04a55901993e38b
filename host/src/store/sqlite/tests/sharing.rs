//! Tests of several stores on one journal, which stand in for several processes.

use super::open;
use crate::model::{Answer, Decision, Timestamp};
use crate::store::tests::sample::{asking, header, question, settled};
use crate::store::{AnswerOutcome, Journal, JournalBatch, RunFilter, RunState, StoreError};
use std::sync::Barrier;
use std::time::Duration;

const NOW: Timestamp = Timestamp(4_000);

#[tokio::test]
async fn a_run_is_taken_over_only_from_the_dead() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path()), open(folder.path()));
    let lease = first.create(header("a")).await.unwrap();
    let run = lease.run;
    first.append(&lease, JournalBatch::new(vec![settled(1)])).await.unwrap();
    let process = format!("process {}", std::process::id());
    let refused = second.claim(run).await;
    assert!(
        matches!(&refused, Err(StoreError::Owned { owner, .. }) if *owner == process),
        "{refused:?}"
    );
    assert_eq!(second.runs(RunFilter::default(), NOW).await.unwrap()[0].state, RunState::Running);
    // The lease outlives its store; the store's run has no living owner any more.
    drop(first);
    let shown = second.runs(RunFilter::default(), NOW).await.unwrap().remove(0);
    assert_eq!((shown.state, shown.owner), (RunState::Interrupted, None));
    let taken = second.claim(run).await.unwrap();
    assert_eq!(taken.fence, lease.fence + 1);
    drop(lease);
    second.append(&taken, JournalBatch::new(vec![settled(2)])).await.unwrap();
    assert_eq!(second.load(run).await.unwrap().entries, [settled(1), settled(2)]);
}

#[tokio::test]
async fn a_run_that_was_given_up_is_free_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path()), open(folder.path()));
    let lease = first.create(header("a")).await.unwrap();
    let run = lease.run;
    drop(lease);
    // Reads follow all operations that were queued before.
    first.load(run).await.unwrap();
    let taken = second.claim(run).await.unwrap();
    assert!(matches!(first.claim(run).await, Err(StoreError::Owned { .. })));
    drop(taken);
}

#[test]
fn of_two_who_claim_at_once_one_gets_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = || tokio::runtime::Builder::new_current_thread().build().unwrap();
    for _ in 0..20 {
        let run = runtime().block_on(async {
            let store = open(folder.path());
            store.create(header("a")).await.unwrap().run
        });
        let start = Barrier::new(2);
        let claim = || {
            let store = open(folder.path());
            start.wait();
            let lease = runtime().block_on(store.claim(run));
            // Both have tried before either store is dropped.
            start.wait();
            lease.is_ok()
        };
        let won = std::thread::scope(|scope| {
            let threads = [scope.spawn(claim), scope.spawn(claim)];
            threads.map(|thread| thread.join().unwrap())
        });
        assert_eq!(won.iter().filter(|won| **won).count(), 1);
    }
}

#[tokio::test]
async fn an_answer_through_another_store_wakes_the_owner() {
    let folder = tempfile::tempdir().unwrap();
    let (owner, other) = (open(folder.path()), open(folder.path()));
    let lease = owner.create(header("a")).await.unwrap();
    let question = question(lease.run, None);
    owner.append(&lease, asking(&question)).await.unwrap();
    let watcher = owner.watch(lease.run);
    let yes = Answer::all(&question, Decision::Approve, "ann", "x");
    let answered = other.answer(question.id, yes.clone(), NOW).await.unwrap();
    assert!(matches!(answered, AnswerOutcome::Recorded { open: 0, .. }));
    tokio::time::timeout(Duration::from_secs(10), watcher.notified()).await.expect("woken");
    assert_eq!(owner.decisions(lease.run).await.unwrap().len(), 2);
    let late = owner.answer(question.id, yes, NOW).await.unwrap();
    assert!(matches!(late, AnswerOutcome::Late { .. }));
    // A later watcher is notified of earlier decisions.
    let again = other.watch(lease.run);
    tokio::time::timeout(Duration::from_secs(10), again.notified()).await.expect("told");
}

#[test]
fn many_who_open_a_new_journal_at_once_all_succeed() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let start = Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    start.wait();
                    let store = open(&folder.path().join("new/.pml"));
                    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                    for step in 0..20 {
                        let lease = runtime.block_on(store.create(header("a"))).unwrap();
                        let batch = JournalBatch::new(vec![settled(step)]);
                        runtime.block_on(store.append(&lease, batch)).unwrap();
                    }
                });
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let store = open(&folder.path().join("new/.pml"));
        let runs = runtime.block_on(store.runs(RunFilter::default(), NOW)).unwrap();
        assert_eq!(runs.len(), 80);
    }
}

#[tokio::test]
async fn a_write_that_has_to_wait_for_another_process_holds_up_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let lease = store.create(header("a")).await.unwrap();
    store.append(&lease, JournalBatch::new(vec![settled(1)])).await.unwrap();
    // Another process is in the middle of a transaction.
    let other = rusqlite::Connection::open(store.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let writing = store.append(&lease, JournalBatch::new(vec![settled(2)]));
    let mut writing = std::pin::pin!(writing);
    for _ in 0..20 {
        // The runtime has one thread: this line would not be reached if that thread waited.
        let waited = tokio::time::timeout(Duration::from_millis(1), &mut writing).await;
        assert!(waited.is_err(), "it cannot be written yet");
    }
    other.execute_batch("COMMIT").unwrap();
    writing.await.unwrap();
    assert_eq!(store.load(lease.run).await.unwrap().entries, [settled(1), settled(2)]);
}

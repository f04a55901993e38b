//! Tests of writing runs and reading them back.

use super::on_each_journal;
use super::sample::{LATEST, ending, every_kind, header, settled};
use crate::model::RunId;
use crate::store::{Journal, JournalBatch, Lease, RunState, StoreError, StoredRun};

on_each_journal![
    every_kind_of_entry_comes_back_exactly,
    a_header_comes_back_exactly,
    batches_stay_in_the_order_of_the_calls,
    a_state_stays_until_it_is_changed,
    another_fence_is_refused_and_harms_nobody,
    a_run_that_is_over_takes_nothing,
    a_run_has_one_owner_at_a_time,
    an_unknown_run_is_refused_by_name,
    a_dropped_future_takes_nothing_back,
];

async fn every_kind_of_entry_comes_back_exactly(journal: &dyn Journal) {
    let header = header("all.ts");
    let lease = journal.create(header.clone()).await.unwrap();
    let entries = every_kind(header.run);
    let (first, second) = entries.split_at(5);
    journal.append(&lease, JournalBatch::new(first.to_vec())).await.unwrap();
    journal.append(&lease, JournalBatch::new(second.to_vec())).await.unwrap();
    let stored = journal.load(header.run).await.unwrap();
    assert_eq!(stored, StoredRun::new(header, RunState::Running, entries));
}

async fn a_header_comes_back_exactly(journal: &dyn Journal) {
    let mut header = header("");
    header.started = LATEST;
    header.created = LATEST;
    header.lock = None;
    header.resumed_from = Some(RunId::new());
    let _lease = journal.create(header.clone()).await.unwrap();
    assert_eq!(journal.load(header.run).await.unwrap().header, header);
}

async fn batches_stay_in_the_order_of_the_calls(journal: &dyn Journal) {
    let leases =
        [journal.create(header("a")).await.unwrap(), journal.create(header("b")).await.unwrap()];
    let appends: Vec<_> = (0..300)
        .map(|step| {
            journal.append(&leases[step as usize % 2], JournalBatch::new(vec![settled(step)]))
        })
        .collect();
    // The futures are awaited in reverse: the order is that of the calls.
    for append in appends.into_iter().rev() {
        append.await.unwrap();
    }
    for (index, lease) in leases.iter().enumerate() {
        let expected: Vec<_> = (0..300).skip(index).step_by(2).map(settled).collect();
        assert_eq!(journal.load(lease.run).await.unwrap().entries, expected);
    }
}

async fn a_state_stays_until_it_is_changed(journal: &dyn Journal) {
    let lease = journal.create(header("a")).await.unwrap();
    let waiting = JournalBatch { state: Some(RunState::Waiting), ..JournalBatch::default() };
    journal.append(&lease, waiting).await.unwrap();
    journal.append(&lease, JournalBatch::new(vec![settled(1)])).await.unwrap();
    assert_eq!(journal.load(lease.run).await.unwrap().state, RunState::Waiting);
}

async fn another_fence_is_refused_and_harms_nobody(journal: &dyn Journal) {
    let lease = journal.create(header("a")).await.unwrap();
    let old = Lease::new(lease.run, lease.fence + 1, || {});
    let refused = journal.append(&old, JournalBatch::new(vec![settled(1)]));
    let accepted = journal.append(&lease, JournalBatch::new(vec![settled(2)]));
    assert!(matches!(refused.await, Err(StoreError::Fenced(run)) if run == lease.run));
    accepted.await.unwrap();
    assert_eq!(journal.load(lease.run).await.unwrap().entries, [settled(2)]);
}

async fn a_run_that_is_over_takes_nothing(journal: &dyn Journal) {
    let lease = journal.create(header("a")).await.unwrap();
    let run = lease.run;
    journal.append(&lease, ending(RunState::Failed)).await.unwrap();
    let refused = journal.append(&lease, JournalBatch::new(vec![settled(1)])).await;
    assert!(matches!(refused, Err(StoreError::Ended { state: RunState::Failed, .. })));
    drop(lease);
    let refused = journal.claim(run).await;
    assert!(matches!(refused, Err(StoreError::Ended { state: RunState::Failed, .. })));
    assert_eq!(journal.load(run).await.unwrap().entries.len(), 1);
}

async fn a_run_has_one_owner_at_a_time(journal: &dyn Journal) {
    let first = journal.create(header("a")).await.unwrap();
    let run = first.run;
    let refused = journal.claim(run).await;
    assert!(
        matches!(&refused, Err(StoreError::Owned { owner, .. }) if owner == "another part of this process"),
        "{refused:?}"
    );
    let old = Lease::new(run, first.fence, || {});
    journal.append(&first, JournalBatch::new(vec![settled(1)])).await.unwrap();
    drop(first);
    let second = journal.claim(run).await.unwrap();
    assert!(second.fence > old.fence);
    assert!(matches!(
        journal.append(&old, JournalBatch::default()).await,
        Err(StoreError::Fenced(_))
    ));
    journal.append(&second, JournalBatch::new(vec![settled(2)])).await.unwrap();
    assert!(journal.claim(run).await.is_err());
    assert_eq!(journal.load(run).await.unwrap().entries, [settled(1), settled(2)]);
}

async fn an_unknown_run_is_refused_by_name(journal: &dyn Journal) {
    let run = RunId::new();
    let lease = Lease::new(run, 1, || {});
    assert!(matches!(journal.load(run).await, Err(StoreError::UnknownRun(id)) if id == run));
    assert!(matches!(journal.claim(run).await, Err(StoreError::UnknownRun(_))));
    assert!(matches!(journal.decisions(run).await, Err(StoreError::UnknownRun(_))));
    let appended = journal.append(&lease, JournalBatch::default()).await;
    assert!(matches!(appended, Err(StoreError::UnknownRun(_))));
}

async fn a_dropped_future_takes_nothing_back(journal: &dyn Journal) {
    let lease = journal.create(header("a")).await.unwrap();
    drop(journal.append(&lease, JournalBatch::new(vec![settled(1)])));
    assert_eq!(journal.load(lease.run).await.unwrap().entries, [settled(1)]);
    let run = lease.run;
    drop(lease);
    // The lease was dropped, so the run has no owner.
    drop(journal.claim(run));
    journal.load(run).await.unwrap();
    journal.claim(run).await.unwrap();
}

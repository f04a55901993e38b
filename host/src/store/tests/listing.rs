//! Tests of listing and removing runs.

use super::on_each_journal;
use super::sample::{asking, ending, header, meter, question, settled};
use crate::model::{RunId, Timestamp};
use crate::store::{Journal, JournalBatch, PruneRule, RunFilter, RunState, RunSummary, StoreError};
use std::time::Duration;

on_each_journal![
    a_summary_says_where_a_run_stands,
    filters_choose,
    what_is_over_is_forgotten_and_the_rest_kept,
    old_runs_are_forgotten,
    runs_that_were_cut_off_are_forgotten_when_that_is_asked_for,
];

const NOW: Timestamp = Timestamp(4_000);

async fn listed(journal: &dyn Journal, filter: RunFilter) -> Vec<RunSummary> {
    journal.runs(filter, NOW).await.unwrap()
}

fn ids(listed: Vec<RunSummary>) -> Vec<RunId> {
    listed.into_iter().map(|summary| summary.run).collect()
}

async fn a_summary_says_where_a_run_stands(journal: &dyn Journal) {
    let mut header = header("a.ts");
    header.resumed_from = Some(RunId::new());
    let lease = journal.create(header.clone()).await.unwrap();
    let found = listed(journal, RunFilter::default()).await.remove(0);
    assert_eq!((found.run, found.state), (header.run, RunState::Running));
    assert_eq!((found.created, found.updated), (header.created, header.created));
    assert_eq!((found.owner, found.questions), (Some(std::process::id()), 0));
    assert_eq!((&*found.script, found.resumed_from), ("a.ts", header.resumed_from));

    journal.append(&lease, JournalBatch::new(vec![settled(1), settled(7)])).await.unwrap();
    let found = listed(journal, RunFilter::default()).await.remove(0);
    assert_eq!((found.updated, found.meter), (Timestamp(2_007), meter(7)));
    let question = question(header.run, Some(4_001));
    journal.append(&lease, asking(&question)).await.unwrap();
    let found = listed(journal, RunFilter::default()).await.remove(0);
    assert_eq!((found.state, found.questions), (RunState::Waiting, 1));
    let later = journal.runs(RunFilter::default(), Timestamp(4_001)).await.unwrap().remove(0);
    assert_eq!(later.state, RunState::Expired);

    let running = JournalBatch { state: Some(RunState::Running), ..JournalBatch::default() };
    journal.append(&lease, running).await.unwrap();
    drop(lease);
    let found = listed(journal, RunFilter::default()).await.remove(0);
    assert_eq!((found.state, found.owner), (RunState::Interrupted, None));
    let lease = journal.claim(header.run).await.unwrap();
    let found = listed(journal, RunFilter::default()).await.remove(0);
    assert_eq!((found.state, found.owner), (RunState::Running, Some(std::process::id())));
    journal.append(&lease, ending(RunState::Finished)).await.unwrap();
    drop(lease);
    let found = listed(journal, RunFilter::default()).await.remove(0);
    assert_eq!((found.state, found.owner, found.questions), (RunState::Finished, None, 0));
}

async fn filters_choose(journal: &dyn Journal) {
    let mut leases = Vec::new();
    for script in ["one.ts", "two.ts", "three.js"] {
        leases.push(journal.create(header(script)).await.unwrap());
    }
    let [one, two, three] = [0, 1, 2].map(|index: usize| leases[index].run);
    journal.append(&leases[1], ending(RunState::Failed)).await.unwrap();
    assert_eq!(ids(listed(journal, RunFilter::default()).await), [three, two, one]);
    let limit = RunFilter { limit: Some(2), ..RunFilter::default() };
    assert_eq!(ids(listed(journal, limit).await), [three, two]);
    let nothing = RunFilter { limit: Some(0), ..RunFilter::default() };
    assert_eq!(ids(listed(journal, nothing).await), []);
    let script = RunFilter { script: Some(".ts".into()), ..RunFilter::default() };
    assert_eq!(ids(listed(journal, script).await), [two, one]);
    let states = RunFilter { states: vec![RunState::Failed], ..RunFilter::default() };
    assert_eq!(ids(listed(journal, states).await), [two]);
    let id = RunFilter { id_prefix: Some(three.to_string()), ..RunFilter::default() };
    assert_eq!(ids(listed(journal, id).await), [three]);
    let id = RunFilter { id_prefix: Some(format!("{three}0")), ..RunFilter::default() };
    assert_eq!(ids(listed(journal, id).await), []);
}

async fn what_is_over_is_forgotten_and_the_rest_kept(journal: &dyn Journal) {
    let mut over = Vec::new();
    for _ in 0..4 {
        let lease = journal.create(header("over")).await.unwrap();
        journal.append(&lease, asking(&question(lease.run, None))).await.unwrap();
        journal.append(&lease, ending(RunState::Finished)).await.unwrap();
        over.push(lease.run);
    }
    let running = journal.create(header("running")).await.unwrap();
    let interrupted = journal.create(header("interrupted")).await.unwrap().run;
    let waiting = journal.create(header("waiting")).await.unwrap();
    let open = question(waiting.run, Some(9_000));
    journal.append(&waiting, asking(&open)).await.unwrap();
    let asking_run = waiting.run;
    drop(waiting);
    let kept = PruneRule { keep: Some(1), ..PruneRule::default() };
    assert_eq!(journal.prune(kept, NOW).await.unwrap(), 3);
    let left = [asking_run, interrupted, running.run, over[3]];
    assert_eq!(ids(listed(journal, RunFilter::default()).await), left);
    assert!(matches!(journal.load(over[0]).await, Err(StoreError::UnknownRun(_))));
    assert!(journal.question(open.id, NOW).await.unwrap().unwrap().open);

    // A run whose question expired counts as ended here.
    let all = PruneRule { keep: Some(0), ..PruneRule::default() };
    assert_eq!(journal.prune(all, Timestamp(9_000)).await.unwrap(), 2);
    assert_eq!(ids(listed(journal, RunFilter::default()).await), [interrupted, running.run]);
    assert_eq!(journal.question(open.id, NOW).await.unwrap(), None);
    journal.append(&running, JournalBatch::new(vec![settled(1)])).await.unwrap();
    let next = journal.create(header("next")).await.unwrap();
    assert_eq!(journal.load(next.run).await.unwrap().entries, []);
}

async fn old_runs_are_forgotten(journal: &dyn Journal) {
    let lease = journal.create(header("a")).await.unwrap();
    journal.append(&lease, ending(RunState::Finished)).await.unwrap();
    drop(lease);
    // The last entry of the run is at 2009.
    let old = PruneRule { older_than: Some(Duration::from_micros(100)), ..PruneRule::default() };
    assert_eq!(journal.prune(old.clone(), Timestamp(2_109)).await.unwrap(), 0);
    assert_eq!(journal.prune(old, Timestamp(2_110)).await.unwrap(), 1);
    assert_eq!(journal.prune(PruneRule::default(), Timestamp(9_000)).await.unwrap(), 0);
}

async fn runs_that_were_cut_off_are_forgotten_when_that_is_asked_for(journal: &dyn Journal) {
    drop(journal.create(header("a")).await.unwrap());
    let held = journal.create(header("b")).await.unwrap();
    let all = PruneRule { keep: Some(0), ..PruneRule::default() };
    assert_eq!(journal.prune(all.clone(), NOW).await.unwrap(), 0);
    assert_eq!(journal.prune(PruneRule { interrupted: true, ..all }, NOW).await.unwrap(), 1);
    assert_eq!(ids(listed(journal, RunFilter::default()).await), [held.run]);
    assert!(PruneRule::by_default().interrupted);
}

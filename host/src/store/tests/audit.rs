//! Tests that questions and decisions are recorded in the audit trail.

use super::on_each_journal;
use super::sample::{asking, ending, entry, header, question};
use crate::model::{Answer, AskId, Decision, Question, QuestionId, RunId, Timestamp};
use crate::store::{
    AuditEvent, AuditFilter, AuditNote, Journal, JournalBatch, JournalEvent, Lease, PruneRule,
    RunState,
};

on_each_journal![
    a_question_and_each_decision_are_noted_once,
    what_becomes_of_a_question_otherwise_is_noted_once,
    others_write_there_too,
    entries_are_chosen_by_run_time_and_count,
    a_run_that_is_forgotten_leaves_its_trail,
];

const NOW: Timestamp = Timestamp(4_000);

async fn asked(journal: &dyn Journal, expires: Option<u64>) -> (Lease, Question) {
    let lease = journal.create(header("a")).await.unwrap();
    let question = question(lease.run, expires);
    journal.append(&lease, asking(&question)).await.unwrap();
    (lease, question)
}

async fn kinds(journal: &dyn Journal, filter: AuditFilter) -> Vec<String> {
    let trail = journal.audit_trail(filter).await.unwrap();
    assert_eq!(trail.defect, None);
    trail.entries.iter().map(|entry| entry.kind().into()).collect()
}

fn refused(at: u64, run: Option<RunId>) -> AuditNote {
    let (who, channel, reason) = ("model".into(), "mcp".into(), "its own call".into());
    let what = AuditEvent::Refused { question: Some(QuestionId::new()), who, channel, reason };
    AuditNote::new(Timestamp(at), run, what)
}

async fn a_question_and_each_decision_are_noted_once(journal: &dyn Journal) {
    let (lease, question) = asked(journal, None).await;
    let part = Answer::each(&question, [(AskId(2), Decision::Decline)], "ann", "terminal");
    for answer in
        [part.clone(), part, Answer::all(&question, Decision::Always, "bob", "command line")]
    {
        journal.answer(question.id, answer, NOW).await.unwrap();
    }
    journal
        .answer(question.id, Answer::all(&question, Decision::Abort, "eve", "late"), NOW)
        .await
        .unwrap();
    let trail = journal.audit_trail(AuditFilter::default()).await.unwrap();
    let rows = trail.entries.iter().map(|entry| {
        let text = |field: &str| entry.body[field].as_str().unwrap_or("-").to_owned();
        (entry.number, text("what"), text("decision"), text("who"), text("channel"))
    });
    let rows: Vec<_> = rows.collect();
    let row = |number, cells: [&str; 4]| {
        let [what, decision, who, channel] = cells.map(String::from);
        (number, what, decision, who, channel)
    };
    assert_eq!(
        rows,
        [
            row(1, ["asked", "-", "-", "-"]),
            row(2, ["decided", "decline", "ann", "terminal"]),
            row(3, ["decided", "always", "bob", "command line"]),
        ]
    );
    assert!(trail.entries.iter().all(|entry| entry.run == Some(lease.run)));
    assert_eq!(trail.entries[1].body["ask"], 2);
    assert_eq!(trail.entries[1].body["tool"], "a:b");
    assert_eq!((trail.count, &trail.hash), (3, &trail.entries[2].hash));
}

async fn what_becomes_of_a_question_otherwise_is_noted_once(journal: &dyn Journal) {
    let (lease, first) = asked(journal, Some(5_000)).await;
    assert!(!journal.expire(first.id, NOW).await.unwrap());
    for _ in 0..2 {
        assert!(journal.expire(first.id, Timestamp(5_000)).await.unwrap());
    }
    let second = question(lease.run, None);
    journal.append(&lease, asking(&second)).await.unwrap();
    for step in 0..2 {
        let withdrawn = JournalEvent::Withdrawn { question: second.id };
        journal.append(&lease, JournalBatch::new(vec![entry(step, withdrawn)])).await.unwrap();
    }
    let third = question(lease.run, None);
    journal.append(&lease, asking(&third)).await.unwrap();
    journal.append(&lease, ending(RunState::Aborted)).await.unwrap();
    let rows = kinds(journal, AuditFilter::default()).await;
    assert_eq!(rows, ["asked", "expired", "asked", "withdrawn", "asked", "withdrawn"]);
}

async fn others_write_there_too(journal: &dyn Journal) {
    journal.audit(refused(7_000_000, None)).await.unwrap();
    let trail = journal.audit_trail(AuditFilter::default()).await.unwrap();
    let [entry] = &trail.entries[..] else { panic!("{trail:?}") };
    assert_eq!((entry.at, entry.run), (Timestamp(7_000_000), None));
    assert_eq!((entry.kind(), &entry.body["reason"]), ("refused", &"its own call".into()));
}

async fn entries_are_chosen_by_run_time_and_count(journal: &dyn Journal) {
    let runs = [RunId::new(), RunId::new()];
    for (second, run) in [0, 1, 0, 1, 0].into_iter().zip(1..).map(|(run, at)| (at, runs[run])) {
        journal.audit(refused(second * 1_000_000, Some(run))).await.unwrap();
    }
    let numbers = async |filter: AuditFilter| {
        let trail = journal.audit_trail(filter).await.unwrap();
        assert_eq!(trail.count, 5);
        trail.entries.iter().map(|entry| entry.number).collect::<Vec<_>>()
    };
    let all = AuditFilter::default;
    assert_eq!(numbers(AuditFilter { run: Some(runs[0]), ..all() }).await, [1, 3, 5]);
    assert_eq!(
        numbers(AuditFilter { since: Some(Timestamp(3_000_000)), ..all() }).await,
        [3, 4, 5]
    );
    assert_eq!(numbers(AuditFilter { limit: Some(2), ..all() }).await, [4, 5]);
    assert_eq!(numbers(AuditFilter { run: Some(runs[0]), limit: Some(1), ..all() }).await, [5]);
    assert_eq!(numbers(AuditFilter { limit: Some(0), ..all() }).await, [0; 0]);
}

async fn a_run_that_is_forgotten_leaves_its_trail(journal: &dyn Journal) {
    let (lease, question) = asked(journal, None).await;
    journal
        .answer(question.id, Answer::all(&question, Decision::Abort, "ann", "x"), NOW)
        .await
        .unwrap();
    journal.append(&lease, ending(RunState::Aborted)).await.unwrap();
    drop(lease);
    let everything = PruneRule { keep: Some(0), ..PruneRule::default() };
    assert_eq!(journal.prune(everything, NOW).await.unwrap(), 1);
    assert_eq!(kinds(journal, AuditFilter::default()).await, ["asked", "decided", "decided"]);
}

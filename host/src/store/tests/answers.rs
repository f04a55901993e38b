//! Tests of asking and answering questions.

use super::on_each_journal;
use super::sample::{asking, ending, header, question, settled};
use crate::model::{Answer, AskId, Decision, Question, QuestionId, RunId, Timestamp};
use crate::store::{AnswerOutcome, Journal, JournalBatch, Lease, RunState};
use serde_json::json;
use std::time::Duration;

on_each_journal![
    a_whole_answer_closes_the_question,
    a_partial_answer_leaves_the_rest_open,
    an_answer_that_ends_the_run_closes_the_question,
    a_repeated_answer_changes_nothing_and_is_told_so,
    an_answer_to_nothing_is_gone,
    an_expired_question_takes_no_answer,
    an_expired_question_stays_expired,
    a_run_that_ends_closes_its_questions,
    a_watcher_is_told_of_answers_only,
    questions_are_listed_oldest_first,
    an_answer_to_another_question_than_the_one_shown_is_refused,
];

const NOW: Timestamp = Timestamp(4_000);

fn yes(question: &Question) -> Answer {
    Answer::all(question, Decision::Approve, "ann", "terminal")
}

async fn asked(journal: &dyn Journal, expires: Option<u64>) -> (Lease, Question) {
    let lease = journal.create(header("a")).await.unwrap();
    let question = question(lease.run, expires);
    journal.append(&lease, asking(&question)).await.unwrap();
    (lease, question)
}

async fn is_open(journal: &dyn Journal, id: QuestionId, now: Timestamp) -> bool {
    journal.question(id, now).await.unwrap().unwrap().open
}

async fn a_whole_answer_closes_the_question(journal: &dyn Journal) {
    let (lease, question) = asked(journal, Some(5_000)).await;
    assert!(is_open(journal, question.id, NOW).await);
    let answered = journal.answer(question.id, yes(&question), NOW).await.unwrap();
    assert_eq!(answered, AnswerOutcome::Recorded { question: question.clone(), open: 0 });
    let decided = journal.decisions(lease.run).await.unwrap();
    assert_eq!(decided.iter().map(|decided| decided.ask.0).collect::<Vec<_>>(), [1, 2]);
    for decided in &decided {
        assert_eq!((decided.question, decided.at), (question.id, NOW));
        assert_eq!((&*decided.who, &*decided.channel), ("ann", "terminal"));
        assert_eq!(decided.decision, Decision::Approve);
    }
    let found = journal.question(question.id, NOW).await.unwrap().unwrap();
    assert_eq!((found.open, found.decided, found.question), (false, decided, question));
}

async fn a_partial_answer_leaves_the_rest_open(journal: &dyn Journal) {
    let (lease, question) = asked(journal, None).await;
    let result = Decision::Result(json!({ "b": 0.1, "a": [null] }));
    let part = Answer::each(
        &question,
        [(AskId(2), result.clone()), (AskId(9), Decision::Abort)],
        "b",
        "x",
    );
    let answered = journal.answer(question.id, part, NOW).await.unwrap();
    assert_eq!(answered, AnswerOutcome::Recorded { question: question.clone(), open: 1 });
    assert!(is_open(journal, question.id, NOW).await);
    let answered = journal.answer(question.id, yes(&question), NOW).await.unwrap();
    assert_eq!(answered, AnswerOutcome::Recorded { question: question.clone(), open: 0 });
    assert!(!is_open(journal, question.id, NOW).await);
    let decided = journal.decisions(lease.run).await.unwrap();
    let decided: Vec<_> = decided.into_iter().map(|each| (each.ask, each.decision)).collect();
    assert_eq!(decided, [(AskId(2), result), (AskId(1), Decision::Approve)]);
}

async fn an_answer_that_ends_the_run_closes_the_question(journal: &dyn Journal) {
    let (_lease, question) = asked(journal, None).await;
    let abort = Answer::each(&question, [(AskId(1), Decision::Abort)], "ann", "x");
    let answered = journal.answer(question.id, abort, NOW).await.unwrap();
    assert!(matches!(answered, AnswerOutcome::Recorded { open: 1, .. }));
    let late = journal.answer(question.id, yes(&question), NOW).await.unwrap();
    assert!(matches!(late, AnswerOutcome::Late { decided, .. } if decided.len() == 1));
}

async fn a_repeated_answer_changes_nothing_and_is_told_so(journal: &dyn Journal) {
    let (lease, question) = asked(journal, Some(5_000)).await;
    let first = Answer::each(&question, [(AskId(1), Decision::Decline)], "ann", "x");
    journal.answer(question.id, first, NOW).await.unwrap();
    let again = Answer::each(&question, [(AskId(1), Decision::Approve)], "bob", "y");
    let before = journal.decisions(lease.run).await.unwrap();
    let late = AnswerOutcome::Late { question: question.clone(), decided: before.clone() };
    assert_eq!(journal.answer(question.id, again, NOW).await.unwrap(), late);
    assert_eq!(journal.decisions(lease.run).await.unwrap(), before);
    // This holds after the question has expired too, because somebody did decide.
    assert_eq!(journal.answer(question.id, yes(&question), Timestamp(5_000)).await.unwrap(), late);
    let nothing = Answer::each(&question, [(AskId(7), Decision::Approve)], "bob", "y");
    assert_eq!(journal.answer(question.id, nothing, NOW).await.unwrap(), late);
}

async fn an_answer_to_nothing_is_gone(journal: &dyn Journal) {
    assert_eq!(
        journal.answer(QuestionId::new(), yes(&question(RunId::new(), None)), NOW).await.unwrap(),
        AnswerOutcome::Gone
    );
    assert_eq!(journal.question(QuestionId::new(), NOW).await.unwrap(), None);
    assert!(!journal.expire(QuestionId::new(), NOW).await.unwrap());
}

async fn an_expired_question_takes_no_answer(journal: &dyn Journal) {
    let (lease, question) = asked(journal, Some(5_000)).await;
    let end = Timestamp(5_000);
    assert_eq!(
        journal.answer(question.id, yes(&question), end).await.unwrap(),
        AnswerOutcome::Gone
    );
    assert!(!is_open(journal, question.id, end).await);
    assert!(is_open(journal, question.id, Timestamp(4_999)).await);
    assert_eq!(journal.questions(None, end).await.unwrap(), []);
    assert_eq!(journal.decisions(lease.run).await.unwrap(), []);
}

async fn an_expired_question_stays_expired(journal: &dyn Journal) {
    let (_lease, question) = asked(journal, Some(5_000)).await;
    assert!(!journal.expire(question.id, Timestamp(4_999)).await.unwrap());
    assert!(journal.expire(question.id, Timestamp(5_000)).await.unwrap());
    // Repeated calls return the same: the run may have lost its owner in between.
    assert!(journal.expire(question.id, Timestamp(5_000)).await.unwrap());
    // The question is closed now, at any time.
    assert_eq!(
        journal.answer(question.id, yes(&question), NOW).await.unwrap(),
        AnswerOutcome::Gone
    );
}

async fn a_run_that_ends_closes_its_questions(journal: &dyn Journal) {
    let (lease, question) = asked(journal, None).await;
    let (_other, left) = asked(journal, None).await;
    journal.append(&lease, ending(RunState::Aborted)).await.unwrap();
    assert!(!is_open(journal, question.id, NOW).await);
    assert!(is_open(journal, left.id, NOW).await);
    assert_eq!(
        journal.answer(question.id, yes(&question), NOW).await.unwrap(),
        AnswerOutcome::Gone
    );
}

async fn a_watcher_is_told_of_answers_only(journal: &dyn Journal) {
    let (lease, question) = asked(journal, None).await;
    let watcher = journal.watch(lease.run);
    journal.append(&lease, JournalBatch::new(vec![settled(1)])).await.unwrap();
    let quiet = tokio::time::timeout(Duration::from_millis(100), watcher.notified()).await;
    assert!(quiet.is_err(), "told of nothing");
    journal.answer(question.id, yes(&question), NOW).await.unwrap();
    tokio::time::timeout(Duration::from_secs(10), watcher.notified()).await.expect("told");
}

async fn questions_are_listed_oldest_first(journal: &dyn Journal) {
    let (first, one) = asked(journal, None).await;
    let lease = journal.create(header("b")).await.unwrap();
    let mut older = question(lease.run, None);
    older.asked_at = Timestamp(2_999);
    journal.append(&lease, asking(&older)).await.unwrap();
    let ids = |listed: Vec<crate::store::StoredQuestion>| -> Vec<QuestionId> {
        listed.iter().map(|asked| asked.question.id).collect()
    };
    assert_eq!(ids(journal.questions(None, NOW).await.unwrap()), [older.id, one.id]);
    assert_eq!(ids(journal.questions(Some(first.run), NOW).await.unwrap()), [one.id]);
    let unknown = crate::model::RunId::new();
    assert_eq!(ids(journal.questions(Some(unknown), NOW).await.unwrap()), []);
    let part = Answer::each(&one, [(AskId(1), Decision::Approve)], "ann", "x");
    journal.answer(one.id, part, NOW).await.unwrap();
    let listed = journal.questions(Some(first.run), NOW).await.unwrap();
    assert_eq!(listed[0].decided.len(), 1);
}

async fn an_answer_to_another_question_than_the_one_shown_is_refused(journal: &dyn Journal) {
    let (lease, question) = asked(journal, None).await;
    let mut shown = question.clone();
    shown.asks[1].arguments = json!({ "harmless": true });
    for answer in [yes(&shown), Answer::each(&shown, [(AskId(2), Decision::Approve)], "eve", "x")] {
        let answered = journal.answer(question.id, answer, NOW).await.unwrap();
        assert_eq!(answered, AnswerOutcome::NotShown { question: question.clone() });
    }
    assert_eq!(journal.decisions(lease.run).await.unwrap(), []);
    assert!(is_open(journal, question.id, NOW).await);
    let trail = journal.audit_trail(crate::store::AuditFilter::default()).await.unwrap();
    let last = &trail.entries.last().unwrap().body;
    assert_eq!((&last["what"], &last["who"]), (&json!("refused"), &json!("eve")));
    assert_eq!(last["reason"], "the question is not the one that was shown");
    // A recorded decision names the digest of the ask, here and in the audit trail.
    journal.answer(question.id, yes(&question), NOW).await.unwrap();
    let decided = journal.decisions(lease.run).await.unwrap();
    assert!(decided.iter().zip(&question.asks).all(|(one, ask)| one.is_about(ask)));
    let trail = journal.audit_trail(crate::store::AuditFilter::default()).await.unwrap();
    assert_eq!(trail.entries.last().unwrap().body["digest"], question.asks[1].digest());
    let asked = trail.entries.iter().find(|entry| entry.kind() == "asked").unwrap();
    assert_eq!(asked.body["asks"][0]["digest"], question.asks[0].digest());
}

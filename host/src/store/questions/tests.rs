//! Tests of the rules on plain data, without a journal.

use super::{BatchEffect, QuestionUpdate, WithdrawalReason};
use super::{answer, batch_effects, expire, is_open, oldest_first, viewed_at, withdrawal_note};
use crate::model::{Answer, AskId, Decision, QuestionId, RunId, Timestamp};
use crate::store::tests::sample::question;
use crate::store::{
    AnswerOutcome, AuditEvent, JournalBatch, JournalEntry, JournalEvent, Meter, RunState,
    StoredQuestion,
};
use serde_json::json;

const NOW: Timestamp = Timestamp(4_000);
const END: Timestamp = Timestamp(5_000);

/// Returns an open question with two asks, which expires at `END`.
fn open() -> StoredQuestion {
    StoredQuestion::new(question(RunId::new(), Some(END.0)), true, Vec::new())
}

fn each(stored: &StoredQuestion, ask: u32, decision: Decision) -> Answer {
    Answer::each(&stored.question, [(AskId(ask), decision)], "ann", "terminal")
}

/// Applies an update as a journal does.
fn applied(mut stored: StoredQuestion, update: QuestionUpdate) -> StoredQuestion {
    stored.decided.extend(update.decisions);
    stored.open &= !update.closes;
    stored
}

fn kinds(update: &QuestionUpdate) -> Vec<&'static str> {
    update.notes.iter().map(|note| note.event.kind()).collect()
}

#[test]
fn a_question_closes_with_its_last_ask() {
    let stored = open();
    let (update, outcome) = answer(&stored, &each(&stored, 2, Decision::Decline), NOW);
    assert!(matches!(outcome, AnswerOutcome::Recorded { open: 1, .. }));
    assert_eq!((update.closes, kinds(&update)), (false, vec!["decided"]));
    let stored = applied(stored, update);
    let all = Answer::all(&stored.question, Decision::Approve, "bob", "terminal");
    let (update, outcome) = answer(&stored, &all, NOW);
    assert!(matches!(outcome, AnswerOutcome::Recorded { open: 0, .. }));
    assert_eq!(update.decisions.iter().map(|one| one.ask.0).collect::<Vec<_>>(), [1]);
    assert!(update.closes && !applied(stored, update).open);
}

#[test]
fn an_answer_that_ends_the_run_closes_the_question_at_once() {
    for decision in [Decision::Abort, Decision::Replan] {
        let stored = open();
        let (update, outcome) = answer(&stored, &each(&stored, 1, decision), NOW);
        assert!(matches!(outcome, AnswerOutcome::Recorded { open: 1, .. }));
        assert!(update.closes);
    }
}

#[test]
fn whoever_was_first_counts() {
    let stored = open();
    let (update, _) = answer(&stored, &each(&stored, 1, Decision::Decline), NOW);
    let stored = applied(stored, update);
    let late =
        AnswerOutcome::Late { question: stored.question.clone(), decided: stored.decided.clone() };
    let again = each(&stored, 1, Decision::Approve);
    for now in [NOW, END] {
        assert_eq!(answer(&stored, &again, now), (QuestionUpdate::default(), late.clone()));
    }
}

#[test]
fn a_closed_or_expired_question_without_a_decision_is_gone() {
    let mut stored = open();
    let yes = each(&stored, 1, Decision::Approve);
    let gone = (QuestionUpdate::default(), AnswerOutcome::Gone);
    assert_eq!(answer(&stored, &yes, END), gone);
    stored.open = false;
    assert_eq!(answer(&stored, &yes, NOW), gone);
}

#[test]
fn an_answer_to_something_else_than_was_shown_is_only_noted() {
    let stored = open();
    let mut shown = stored.clone();
    shown.question.asks[0].arguments = json!({ "harmless": true });
    let (update, outcome) = answer(&stored, &each(&shown, 1, Decision::Approve), NOW);
    assert_eq!(outcome, AnswerOutcome::NotShown { question: stored.question });
    assert!(update.decisions.is_empty() && !update.closes);
    assert_eq!(kinds(&update), ["refused"]);
}

#[test]
fn a_question_expires_once_and_stays_expired() {
    let stored = open();
    assert_eq!(expire(&stored, NOW), (QuestionUpdate::default(), false));
    assert!(is_open(&stored, NOW) && viewed_at(stored.clone(), NOW).open);
    assert!(!is_open(&stored, END) && !viewed_at(stored.clone(), END).open);
    let (update, expired) = expire(&stored, END);
    assert_eq!((expired, update.closes, kinds(&update)), (true, true, vec!["expired"]));
    assert_eq!(expire(&applied(stored, update), END), (QuestionUpdate::default(), true));
}

#[test]
fn a_question_that_was_answered_whole_has_not_expired() {
    let stored = open();
    let all = Answer::all(&stored.question, Decision::Approve, "ann", "terminal");
    let (update, _) = answer(&stored, &all, NOW);
    assert_eq!(expire(&applied(stored, update), END), (QuestionUpdate::default(), false));
}

#[test]
fn a_batch_opens_withdraws_and_closes_in_order() {
    let (first, second) = (open().question, QuestionId::new());
    let entry = |at, what| JournalEntry::new(Timestamp(at), Meter::default(), what);
    let mut batch = JournalBatch::new(vec![
        entry(1, JournalEvent::Asked { question: first.clone() }),
        entry(2, JournalEvent::Withdrawn { question: second }),
        entry(3, JournalEvent::Resumed { pml: "1".into() }),
    ]);
    let mut expected = vec![
        BatchEffect::Open(&first),
        BatchEffect::Withdraw { question: second, at: Timestamp(2) },
    ];
    assert_eq!(batch_effects(&batch).collect::<Vec<_>>(), expected);
    batch.state = Some(RunState::Waiting);
    assert_eq!(batch_effects(&batch).collect::<Vec<_>>(), expected);
    batch.state = Some(RunState::Failed);
    expected.push(BatchEffect::CloseAll { at: Timestamp(3) });
    assert_eq!(batch_effects(&batch).collect::<Vec<_>>(), expected);
}

#[test]
fn a_withdrawal_says_why() {
    let (run, id) = (RunId::new(), QuestionId::new());
    let note = withdrawal_note(run, id, WithdrawalReason::RunEnded, NOW);
    assert_eq!((note.at, note.run), (NOW, Some(run)));
    let AuditEvent::Withdrawn { question, reason } = note.event else { panic!("a withdrawal") };
    assert_eq!((question, reason.as_str()), (id, "the run is over"));
}

#[test]
fn the_oldest_question_comes_first() {
    let (mut late, early) = (open(), open());
    late.question.asked_at = Timestamp(early.question.asked_at.0 + 1);
    let mut questions = [late.clone(), early.clone()];
    oldest_first(&mut questions);
    assert_eq!(questions, [early, late]);
}

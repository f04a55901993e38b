//! The effects of an answer, an expiry and a withdrawal on one question.

use crate::model::{Answer, Question, QuestionId, RecordedDecision, RunId, Timestamp};
use crate::store::{AnswerOutcome, AuditEvent, AuditNote, StoredQuestion};

/// The changes to a question that a journal has to write, completely or not at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::store) struct QuestionUpdate {
    /// The new decisions, in order.
    pub(in crate::store) decisions: Vec<RecordedDecision>,
    /// True if this closes the question.
    pub(in crate::store) closes: bool,
    /// The notes for the audit trail, in order.
    pub(in crate::store) notes: Vec<AuditNote>,
}

/// The reason for withdrawing a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum WithdrawalReason {
    /// The program cancelled the calls that were asked about.
    NothingWaits,
    /// The run has ended.
    RunEnded,
}

/// Reports whether a question can be answered at `now`.
pub(in crate::store) fn is_open(stored: &StoredQuestion, now: Timestamp) -> bool {
    stored.open && !stored.question.is_expired(now)
}

/// Returns a question as it is shown at `now`.
pub(in crate::store) fn viewed_at(mut stored: StoredQuestion, now: Timestamp) -> StoredQuestion {
    stored.open = is_open(&stored, now);
    stored
}

/// Sorts questions by the time at which they were asked.
pub(in crate::store) fn oldest_first(questions: &mut [StoredQuestion]) {
    questions.sort_by_key(|stored| (stored.question.asked_at, stored.question.id));
}

/// Determines the effects of an answer. A journal that has no such question returns
/// [`AnswerOutcome::Gone`] itself.
pub(in crate::store) fn answer(
    stored: &StoredQuestion,
    answer: &Answer,
    now: Timestamp,
) -> (QuestionUpdate, AnswerOutcome) {
    let StoredQuestion { question, decided, .. } = stored;
    let note = |what| AuditNote::new(now, Some(question.run), what);
    let late = || AnswerOutcome::Late { question: question.clone(), decided: decided.clone() };
    if !is_open(stored, now) {
        let outcome = if decided.is_empty() { AnswerOutcome::Gone } else { late() };
        return (QuestionUpdate::default(), outcome);
    }
    let Some(decisions) = answer.decide(question, decided, now) else {
        let notes = vec![note(AuditEvent::not_shown(question.id, answer.clone()))];
        let update = QuestionUpdate { notes, ..QuestionUpdate::default() };
        return (update, AnswerOutcome::NotShown { question: question.clone() });
    };
    if decisions.is_empty() {
        return (QuestionUpdate::default(), late());
    }
    let open = question.asks.len() - decided.len() - decisions.len();
    let ends_run = decided.iter().chain(&decisions).any(|one| one.decision.ends_run());
    let notes = decisions.iter().filter_map(|one| {
        let ask = question.ask(one.ask)?;
        Some(note(AuditEvent::decided(ask, one.clone())))
    });
    let (closes, notes) = (open == 0 || ends_run, notes.collect());
    let outcome = AnswerOutcome::Recorded { question: question.clone(), open };
    (QuestionUpdate { decisions, closes, notes }, outcome)
}

/// Closes a question if it has expired at `now`. The second value is `true` if the question is
/// closed, now or before, and not every ask was decided.
pub(in crate::store) fn expire(stored: &StoredQuestion, now: Timestamp) -> (QuestionUpdate, bool) {
    let StoredQuestion { question, decided, .. } = stored;
    let closed = !is_open(stored, now);
    let mut update = QuestionUpdate::default();
    if stored.open && closed {
        update.closes = true;
        let what = AuditEvent::Expired { question: question.id };
        update.notes.push(AuditNote::new(now, Some(question.run), what));
    }
    (update, closed && decided.len() < question.asks.len())
}

/// Returns the audit note for a question that is asked.
pub(in crate::store) fn asked_note(question: &Question) -> AuditNote {
    AuditNote::new(question.asked_at, Some(question.run), AuditEvent::Asked(question.clone()))
}

/// Returns the audit note for an open question of `run` that is withdrawn at `at`.
pub(in crate::store) fn withdrawal_note(
    run: RunId,
    question: QuestionId,
    reason: WithdrawalReason,
    at: Timestamp,
) -> AuditNote {
    let reason = match reason {
        WithdrawalReason::NothingWaits => "nothing waits for it any more",
        WithdrawalReason::RunEnded => "the run is over",
    };
    AuditNote::new(at, Some(run), AuditEvent::Withdrawn { question, reason: reason.into() })
}

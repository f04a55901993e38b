//! The rules for questions: who may answer, which answer counts, and when a question is closed.
//!
//! Input: a stored question and an event. Output: a [`QuestionUpdate`], which the journal has to
//! write. Every journal applies these rules inside its own transaction.
//!
//! **Invariant:** the first decision about an ask counts. A later one changes nothing.
//! **Invariant:** a decision is recorded only if the ask is the one that was shown, and with its
//! digest. **Invariant:** every change of a question is noted in the audit trail. **Invariant:**
//! this code reads no clock and writes nothing.

mod batch;
mod rules;
#[cfg(test)]
mod tests;

pub(super) use batch::{BatchEffect, batch_effects};
pub(super) use rules::{
    QuestionUpdate, WithdrawalReason, answer, asked_note, expire, is_open, oldest_first, viewed_at,
    withdrawal_note,
};

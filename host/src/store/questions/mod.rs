//! The rules of questions: who may answer, which answer counts, and when a question is closed.
//!
//! In flow a question as a journal has it, and what happens to it. Out flows a [`QuestionUpdate`]:
//! what the journal has to write. Every journal applies these rules inside its own transaction.
//!
//! **Invariant:** the first decision about an ask counts. A later one changes nothing.
//! **Invariant:** a decision is recorded only about an ask that is what was shown, and with its
//! digest. **Invariant:** whatever becomes of a question is noted in the audit trail.
//! **Invariant:** nothing here reads a clock or writes anything.

mod batch;
mod rules;
#[cfg(test)]
mod tests;

pub(super) use batch::{BatchEffect, batch_effects};
pub(super) use rules::{
    QuestionUpdate, WithdrawalReason, answer, asked_note, expire, is_open, oldest_first, viewed_at,
    withdrawal_note,
};

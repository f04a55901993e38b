//! A question as a form in the client's own dialog, and the person's answer.
//!
//! Input: a question. Output: an elicitation and, from its result, decisions. Each ask has one
//! field, and all fields are optional: accepting without a choice approves what was shown.
//!
//! **Invariant:** only asks that were shown are decided: the first few of many, then the others.
//! **Invariant:** a value that is not one of the offered choices approves nothing.
//! **Invariant:** no field takes a secret.

mod message;
mod question_form;
#[cfg(test)]
mod tests;

pub(super) use question_form::{
    ChoiceFormat, FormAnswer, always_within, elicitation, read_answer, shown_asks, waiting_message,
};

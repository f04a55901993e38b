//! A question as an answer, for clients that cannot ask a person themselves.
//!
//! Everything is said once: `context` has the call of the first ask, `asks` has what a person can
//! answer, and the calls of the other asks. `approval_context` repeats what older clients read.

mod answer_fields;
mod next_step;

pub(super) use answer_fields::answer_fields;
pub(super) use next_step::{DecisionWay, asking_tool};

#[cfg(test)]
mod tests;

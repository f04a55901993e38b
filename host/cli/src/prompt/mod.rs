//! Asks a run's questions on the terminal while `pml run` waits. Takes a question, and returns an
//! answer.

mod keys;
mod open_questions;
mod terminal_prompt;
#[cfg(test)]
mod tests;

pub(super) use open_questions::{has_open_question, print_open_questions};
pub(super) use terminal_prompt::{TerminalPrompt, needed_answer};

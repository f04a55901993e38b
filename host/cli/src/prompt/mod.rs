//! Asks a run's questions on the terminal while `pml run` waits. Takes a question, and returns an
//! answer.

mod keys;
mod open_questions;
mod terminal_prompt;
#[cfg(test)]
mod tests;

pub(super) use open_questions::{say_what_waits, stands};
pub(super) use terminal_prompt::TerminalPrompt;

//! `pml approve`: answers a question from the command line.
//!
//! Takes a journal and the command's flags, and records the answer. `command.rs` then resumes the
//! run.

mod command;
mod confirm;
mod decide;
mod find;
mod record;
#[cfg(test)]
mod tests;

pub(super) use command::ApproveCommand;

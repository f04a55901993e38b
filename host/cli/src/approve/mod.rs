//! `pml approve`: an answer from the command line.
//!
//! In flows a journal and the command's flags, out flows what was recorded; going on with the run
//! is not its matter.

mod command;
mod confirm;
mod decide;
mod find;
mod record;
#[cfg(test)]
mod tests;

pub(super) use command::ApproveCommand;

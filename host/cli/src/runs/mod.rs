//! `pml runs`: what ran, what it did, and how it ended.
//!
//! In flow a journal and the command's flags, out flow lines or JSON, with secrets taken out.

mod adopt;
mod command;
mod draw;
#[cfg(test)]
pub(super) mod fixture;
mod fold;
mod list;
mod show;
mod view;

pub(super) use command::Runs;
pub(super) use list::script;
pub(super) use show::decided_line;
pub(super) use view::{open, question};

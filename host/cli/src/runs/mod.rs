//! `pml runs`: what ran, what it did, and how it ended.
//!
//! In flow a journal and the command's flags, out flow lines or JSON, with secrets taken out.

mod adopt;
mod command;
mod draw;
#[cfg(test)]
pub(super) mod fixture;
mod list;
mod show;
mod show_json;
#[cfg(test)]
mod timeline_tests;

pub(super) use command::RunsCommand;
pub(super) use list::script;
pub(super) use show::decided_line;
pub(super) use show_json::{open, question};

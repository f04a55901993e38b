//! `pml runs`: lists runs, shows what one did and how it ended, deletes old ones, and adopts the
//! journal of a moved project.
//!
//! Takes a journal and the command's flags, and prints lines or JSON in which secrets are hidden.

mod adopt;
mod command;
mod draw;
#[cfg(test)]
pub(super) mod fixture;
mod list;
mod phase;
mod show;
mod show_json;
#[cfg(test)]
mod timeline_tests;

pub(super) use command::RunsCommand;
pub(super) use list::script_name;
pub(super) use show::decision_line;
pub(super) use show_json::{question_json, stored_question_json};

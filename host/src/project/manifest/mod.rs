//! The parts of a project that trust covers beside the settings files: the files that launch lines
//! name, and the variables of `.env` that decide something.
//!
//! Input: launch lines and `.env`. Output: a digest for each part, by name (`part_names`). `words`
//! splits a launch line, and `shell` a shell command line. `implicit_files` knows which files are
//! run without being named. `word_target` finds and hashes the file that a word names,
//! `launch_files` does so for one server, and `roles` determines which variables decide.
//!
//! **Invariant:** nothing is started, and only the name of a file is shown.
//! **Invariant:** reading is bounded: a server that names too many files cannot be used.
//! **Invariant:** if a file appears, disappears, changes or is reached through a retargeted link,
//! the digests differ.
//!
//! Not covered, as the trust question says: files that a script imports, folders, and data that is
//! passed to a program.

mod implicit_files;
mod launch_files;
mod lists;
mod part_names;
mod roles;
mod shell;
mod word_target;
mod words;

pub(crate) use launch_files::LaunchFiles;
pub(super) use launch_files::{LaunchLine, launch_line};
pub(super) use part_names::{FILE, VARIABLE, is_settings, named};
pub(super) use roles::{VariableRole, deciding_variables};
pub(super) use word_target::ScanBudget;

//! What a person trusts beside the settings files: the files of the project that launch lines name,
//! and the variables of `.env` that decide something.
//!
//! In flow launch lines and `.env`; out flows a digest for each thing that decides, by its name
//! (`part_names`). `words` takes a launch line apart and `shell` a line of a shell.
//! `implicit_files` knows what is run without being named. `word_target` finds and hashes what a
//! word names, `launch_files` does so for one server, and `roles` says which variables decide.
//!
//! **Invariant:** nothing is started, and nothing of a file is shown but its name. **Invariant:**
//! what is read is bounded: a server that names more cannot be used. **Invariant:** a file that
//! comes, goes, changes or is reached through a link that was turned gives other digests.
//!
//! Not covered, and said so where a person decides: what a script imports, folders, and data that a
//! program is given.

mod implicit_files;
mod launch_files;
mod lists;
mod part_names;
mod roles;
mod shell;
mod word_target;
mod words;

pub(crate) use launch_files::LaunchFiles;
pub(super) use launch_files::{LaunchLine, launch_of};
pub(super) use part_names::{FILE, VARIABLE, is_settings, named};
pub(super) use roles::{VariableRole, deciding};
pub(super) use word_target::ScanBudget;

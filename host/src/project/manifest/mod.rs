//! What a person trusts beside the settings files: the files of the project that launch lines name, and the variables of `.env`
//! that decide something.
//!
//! In flow launch lines and `.env`, out flows a digest for each thing that decides, by its name. `words` takes a launch line
//! apart, `shell` does for a shell's, `beside` knows what is run without being named, `look` finds and hashes what a word names, `scripts` does it for one server, `roles` says which variables decide.
//!
//! **Invariant:** nothing is started, and nothing of a file is shown but its name. **Invariant:** what is read is bounded: a
//! server that names more cannot be used. **Invariant:** a file that comes, goes, changes or is reached through a link that was
//! turned gives other digests.
//!
//! Not covered, and said so where a person decides: what a script imports, folders, and data that a program is given.

mod implicit_files;
mod launch_files;
mod lists;
mod roles;
mod shell;
mod word_target;
mod words;

pub(crate) use launch_files::LaunchFiles;
pub(super) use launch_files::{LaunchLine, launch_of};
pub(super) use roles::{VariableRole, deciding};
pub(super) use word_target::ScanBudget;

/// What every name of a file begins with.
pub(super) const FILE: &str = "./";

/// What every name of a variable begins with.
pub(super) const VARIABLE: &str = ".env:";

/// Returns whether a part of the manifest is a settings file: it decides by being gone too.
pub(super) fn is_settings(part: &str) -> bool {
    !part.starts_with(FILE) && !part.starts_with(VARIABLE)
}

/// Returns what a part of the manifest is called where a person reads it.
pub(super) fn named(part: &str) -> String {
    match part.strip_prefix(VARIABLE) {
        Some(variable) => format!("`{}` in `.env`", crate::model::escape(variable)),
        None => format!("`{}`", crate::model::escape(part).replace('\n', "\\n")),
    }
}

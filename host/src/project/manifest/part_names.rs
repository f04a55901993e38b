//! The names of the parts of a manifest.

use crate::model::escape;

/// The prefix of every file's name.
pub(in crate::project) const FILE: &str = "./";

/// The prefix of every variable's name.
pub(in crate::project) const VARIABLE: &str = ".env:";

/// Reports whether a part of the manifest is a settings file: its removal counts as a change too.
pub(in crate::project) fn is_settings(part: &str) -> bool {
    !part.starts_with(FILE) && !part.starts_with(VARIABLE)
}

/// Returns the name of a part of the manifest for people.
pub(in crate::project) fn named(part: &str) -> String {
    match part.strip_prefix(VARIABLE) {
        Some(variable) => format!("`{}` in `.env`", escape(variable)),
        None => format!("`{}`", escape(part).replace('\n', "\\n")),
    }
}

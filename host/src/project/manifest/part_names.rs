//! How the parts of a manifest are named.

use crate::model::escape;

/// What the name of every file begins with.
pub(in crate::project) const FILE: &str = "./";

/// What the name of every variable begins with.
pub(in crate::project) const VARIABLE: &str = ".env:";

/// Returns whether a part of the manifest is a settings file: it decides by being gone too.
pub(in crate::project) fn is_settings(part: &str) -> bool {
    !part.starts_with(FILE) && !part.starts_with(VARIABLE)
}

/// Returns what a part of the manifest is called where a person reads it.
pub(in crate::project) fn named(part: &str) -> String {
    match part.strip_prefix(VARIABLE) {
        Some(variable) => format!("`{}` in `.env`", escape(variable)),
        None => format!("`{}`", escape(part).replace('\n', "\\n")),
    }
}

//! The reasons why a lock cannot be used.

use crate::disk::user_files::display_path;
use crate::error::Error;
use crate::model::{Code, in_one_line};
use std::path::PathBuf;

/// The reason why a lock cannot be used. The file is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// It has the marks of a merge that git could not finish.
    #[error("the lock has conflicts of a merge, which are not settled")]
    Conflict,
    /// It is of a newer format, or has entries that this pml does not know.
    #[error("the lock was written by a newer pml: it has `{what}`")]
    Newer {
        /// The part that is not known.
        what: String,
    },
    /// It is no TOML, or has other fields.
    #[error("the lock cannot be read: {reason}")]
    Invalid {
        /// The reason, with its line.
        reason: String,
    },
    /// It can be read, and is not as pml writes it.
    #[error("the lock was changed by hand, or is cut off, at line {line}")]
    Edited {
        /// The first line that differs, counted from 1.
        line: usize,
    },
}

impl LockError {
    /// Returns the error for people, with the file and the command that helps.
    pub(super) fn at(self, path: PathBuf) -> Error {
        let hint = match &self {
            LockError::Conflict => {
                "`pml lock` settles it: it asks about what differs between both sides"
            }
            LockError::Newer { .. } => "update pml",
            LockError::Invalid { .. } | LockError::Edited { .. } => {
                "`git checkout .pml/mcp.lock` brings it back; or remove it, and `pml lock` writes a new one"
            }
        };
        let message = format!("{}: {}", in_one_line(&self.to_string()), display_path(&path));
        Error::new(Code::LockInvalid, message).with_hint(hint).with_source(self)
    }
}

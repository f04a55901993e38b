//! The errors of a journal.

use super::RunState;
use crate::error::Error;
use crate::model::{Code, RunId};
use std::path::PathBuf;

/// An error of a journal.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file or folder cannot be used.
    #[error("cannot {action}: {}", path.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the OS.
        #[source]
        source: std::sync::Arc<std::io::Error>,
    },
    /// The file is not a journal, or is damaged.
    #[error("the journal is damaged ({detail}) and was left as it is: {}", path.display())]
    Damaged {
        /// The journal's file.
        path: PathBuf,
        /// The damage that was found.
        detail: String,
    },
    /// Something other than pml has changed the journal's schema.
    #[error("the journal was changed by something other than pml ({detail}) and was left as it is: {}", path.display())]
    Altered {
        /// The journal's file.
        path: PathBuf,
        /// The difference that was found.
        detail: String,
    },
    /// A newer pml wrote the journal.
    #[error(
        "the journal was written by a newer pml (format {found}; this one reads up to {known}): {}", path.display()
    )]
    Newer {
        /// The journal's file.
        path: PathBuf,
        /// The journal's format.
        found: u32,
        /// The newest format that this version can read.
        known: u32,
    },
    /// The disk is full.
    #[error("the journal cannot be written, because the disk is full: {}", path.display())]
    Full {
        /// The journal's file.
        path: PathBuf,
    },
    /// The journal is read-only.
    #[error("the journal cannot be written, because it is read-only: {}", path.display())]
    ReadOnly {
        /// The journal's file.
        path: PathBuf,
    },
    /// SQLite reported an error.
    #[error("the journal cannot be used ({detail}): {}", path.display())]
    Database {
        /// The journal's file.
        path: PathBuf,
        /// The message of SQLite.
        detail: String,
    },
    /// The journal was closed.
    #[error("the journal is closed")]
    Closed,
    /// There is no such run.
    #[error("there is no run `{0}`")]
    UnknownRun(RunId),
    /// Another process, or another part of this one, owns the run.
    #[error("run `{run}` is being run by {owner}")]
    Owned {
        /// The run.
        run: RunId,
        /// The owner: `process 123`, or `another part of this process`.
        owner: String,
    },
    /// Another process has taken over the run.
    #[error("run `{0}` was taken over by another process")]
    Fenced(RunId),
    /// The run has ended.
    #[error("run `{run}` has ended: it is {state}")]
    Ended {
        /// The run.
        run: RunId,
        /// The state that it ended in.
        state: RunState,
    },
}

impl StoreError {
    /// Returns the stable code.
    pub fn code(&self) -> Code {
        match self {
            StoreError::UnknownRun(_) => Code::RunUnknown,
            StoreError::Owned { .. } | StoreError::Fenced(_) => Code::RunOwned,
            StoreError::Ended { .. } => Code::RunEnded,
            _ => Code::Journal,
        }
    }

    fn hint(&self) -> Option<&'static str> {
        match self {
            StoreError::Damaged { .. } => Some("to begin a new journal, move the file away"),
            StoreError::Altered { .. } => Some("to begin a new journal, move the file away"),
            StoreError::Newer { .. } => Some("update pml, or move the file away"),
            StoreError::Full { .. } => {
                Some("free some space, then go on: everything that was written before is safe")
            }
            StoreError::Io { source, .. }
                if matches!(
                    source.kind(),
                    std::io::ErrorKind::AlreadyExists | std::io::ErrorKind::NotADirectory
                ) =>
            {
                Some("a file has the name of this folder: move it away")
            }
            StoreError::Io { .. } | StoreError::ReadOnly { .. } => {
                Some("make the folder writable, or run without a journal: `--no-journal`")
            }
            StoreError::UnknownRun(_) => Some("`pml runs` lists the runs"),
            StoreError::Owned { .. } => Some("it goes on there; `pml runs` shows its state"),
            StoreError::Ended { .. } => Some(
                "`pml run --resume RUN FILE` runs a mended program, and reuses what the run has done",
            ),
            _ => None,
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        let made = Error::new(error.code(), error.to_string());
        let made = match error.hint() {
            Some(hint) => made.with_hint(hint),
            None => made,
        };
        match std::error::Error::source(&error) {
            Some(source) => made.with_source(source.to_string()),
            None => made,
        }
    }
}

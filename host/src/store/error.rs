//! What can go wrong with a journal.

use super::RunState;
use crate::error::Error;
use crate::model::{Code, RunId};
use std::path::PathBuf;

/// Why a journal does not do what it was asked to.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file or folder cannot be used.
    #[error("cannot {action}: {}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the OS said.
        #[source]
        source: std::sync::Arc<std::io::Error>,
    },
    /// The file is not a journal, or a damaged one.
    #[error("the journal is damaged ({detail}) and was left as it is: {}", path.display())]
    Damaged {
        /// Where.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// Somebody else than pml put something into it.
    #[error("the journal is not as pml made it ({detail}) and was left as it is: {}", path.display())]
    Altered {
        /// Where.
        path: PathBuf,
        /// What is in it, or is not.
        detail: String,
    },
    /// A newer pml wrote it.
    #[error(
        "the journal has format {found}, and this pml reads up to {known}: {}", path.display()
    )]
    Newer {
        /// Where.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest this version knows.
        known: u32,
    },
    /// No room is left.
    #[error("the disk is full: {}", path.display())]
    Full {
        /// Where.
        path: PathBuf,
    },
    /// It may only be read.
    #[error("the journal cannot be written, it is read-only: {}", path.display())]
    ReadOnly {
        /// Where.
        path: PathBuf,
    },
    /// SQLite says no.
    #[error("the journal does not work ({detail}): {}", path.display())]
    Database {
        /// Where.
        path: PathBuf,
        /// What SQLite said.
        detail: String,
    },
    /// The journal was closed.
    #[error("the journal is closed")]
    Closed,
    /// There is no such run.
    #[error("there is no run `{0}`")]
    UnknownRun(RunId),
    /// Another has it.
    #[error("run `{run}` belongs to {owner}")]
    Owned {
        /// Which run.
        run: RunId,
        /// Who has it: `process 123`, or `another part of this process`.
        owner: String,
    },
    /// Another took it over.
    #[error("run `{0}` was taken over by another process")]
    Fenced(RunId),
    /// It is over.
    #[error("run `{run}` is over: it is {state}")]
    Ended {
        /// Which run.
        run: RunId,
        /// How it ended.
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
            StoreError::Damaged { .. } => Some("move the file away to begin a new journal"),
            StoreError::Altered { .. } => {
                Some("somebody else has changed it: move the file away to begin a new journal")
            }
            StoreError::Newer { .. } => Some("update pml, or move the file away"),
            StoreError::Full { .. } => {
                Some("make room and go on: what was journalled before is safe")
            }
            StoreError::Io { source, .. }
                if matches!(
                    source.kind(),
                    std::io::ErrorKind::AlreadyExists | std::io::ErrorKind::NotADirectory
                ) =>
            {
                Some("a file stands where a folder should: move it away")
            }
            StoreError::Io { .. } | StoreError::ReadOnly { .. } => {
                Some("make the folder writable, or run without a journal: `--no-journal`")
            }
            StoreError::UnknownRun(_) => Some("`pml runs` lists those there are"),
            StoreError::Owned { .. } => Some("it goes on there; `pml runs` shows where it stands"),
            StoreError::Ended { .. } => {
                Some("`pml run --resume RUN FILE` runs a mended program on what it has done")
            }
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

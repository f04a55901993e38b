//! What SQLite says, in the words of the journal.

use super::super::StoreError;
use rusqlite::ErrorCode;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Less than this is no room: SQLite grows its index of the WAL by half of it.
#[cfg(unix)]
const NO_ROOM: u64 = 64 << 10;

/// Why an operation did not happen.
#[derive(Debug)]
pub(super) enum OperationError {
    /// It was not allowed to. Nothing was written for it, and what happens beside it may go on.
    Refused(StoreError),
    /// SQLite failed, and with it everything in the same transaction.
    Failed(rusqlite::Error),
}

impl From<StoreError> for OperationError {
    fn from(error: StoreError) -> OperationError {
        OperationError::Refused(error)
    }
}

impl From<rusqlite::Error> for OperationError {
    fn from(error: rusqlite::Error) -> OperationError {
        OperationError::Failed(error)
    }
}

impl OperationError {
    /// Returns the error for the journal at `path`.
    pub(super) fn at(self, path: &Path) -> StoreError {
        match self {
            OperationError::Refused(error) => error,
            OperationError::Failed(error) => failure(path, &error),
        }
    }
}

/// Returns what a failure of SQLite means for the journal at `path`.
pub(super) fn failure(path: &Path, error: &rusqlite::Error) -> StoreError {
    let detail = error.to_string();
    let path = path.to_path_buf();
    let Some(code) = error.sqlite_error_code() else {
        // What is left are values of another type than the schema says.
        return StoreError::Damaged { path, detail };
    };
    match code {
        ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => {
            StoreError::Damaged { path, detail }
        }
        ErrorCode::DiskFull => StoreError::Full { path },
        ErrorCode::ReadOnly => StoreError::ReadOnly { path },
        // The index of the WAL is mapped memory: SQLite reports a full disk there as any other
        // failure.
        ErrorCode::SystemIoFailure | ErrorCode::CannotOpen if is_full(&path) => {
            StoreError::Full { path }
        }
        ErrorCode::CannotOpen => io_failure("open the journal", &path, io::Error::other(detail)),
        ErrorCode::SystemIoFailure => {
            io_failure("read or write the journal", &path, io::Error::other(detail))
        }
        _ => StoreError::Database { path, detail },
    }
}

/// Returns what a failure of the OS means.
pub(super) fn io_failure(action: &'static str, path: &Path, source: io::Error) -> StoreError {
    let path = path.to_path_buf();
    match source.kind() {
        io::ErrorKind::StorageFull => StoreError::Full { path },
        io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { path },
        _ => StoreError::Io { action, path, source: Arc::new(source) },
    }
}

#[cfg(unix)]
fn is_full(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(path);
    rustix::fs::statvfs(folder).is_ok_and(|room| room.f_bavail * room.f_frsize < NO_ROOM)
}

#[cfg(not(unix))]
fn is_full(_: &Path) -> bool {
    false
}

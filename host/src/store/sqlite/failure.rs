//! Maps errors of SQLite and the OS to errors of the journal.

use super::super::StoreError;
use rusqlite::ErrorCode;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// With less free space than this, the disk counts as full: SQLite extends its index of the WAL by
/// half of it.
#[cfg(unix)]
const FULL_BELOW: u64 = 64 << 10;

/// The error of an operation.
#[derive(Debug)]
pub(super) enum OperationError {
    /// The operation was refused. Nothing was written for it, and other operations in the same
    /// transaction may succeed.
    Refused(StoreError),
    /// SQLite failed, and with it every operation in the same transaction.
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
    pub(super) fn into_store_error(self, path: &Path) -> StoreError {
        match self {
            OperationError::Refused(error) => error,
            OperationError::Failed(error) => failure(path, &error),
        }
    }
}

/// Maps an error of SQLite for the journal at `path`.
pub(super) fn failure(path: &Path, error: &rusqlite::Error) -> StoreError {
    let detail = error.to_string();
    let path = path.to_path_buf();
    let Some(code) = error.sqlite_error_code() else {
        // The remaining errors are values of another type than the schema has.
        return StoreError::Damaged { path, detail };
    };
    match code {
        ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => {
            StoreError::Damaged { path, detail }
        }
        ErrorCode::DiskFull => StoreError::Full { path },
        ErrorCode::ReadOnly => StoreError::ReadOnly { path },
        // The index of the WAL is mapped memory, where SQLite reports a full disk like any other
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

/// Maps an error of the OS.
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
    rustix::fs::statvfs(folder)
        .is_ok_and(|statistics| statistics.f_bavail * statistics.f_frsize < FULL_BELOW)
}

#[cfg(not(unix))]
fn is_full(_: &Path) -> bool {
    false
}

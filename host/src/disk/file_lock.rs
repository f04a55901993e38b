//! Locks between processes.

use super::private_open::private_options;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// A lock on a file. It excludes others until it is dropped.
#[derive(Debug)]
pub struct FileLock {
    // Closing the file frees the lock. So does the end of the process, even by a crash.
    _file: File,
}

/// Locks a file, and waits while another process holds the lock. The file is never removed:
/// removing it would let two processes in.
pub(crate) fn lock(path: &Path) -> io::Result<FileLock> {
    let file = private_options().write(true).create(true).truncate(false).open(path)?;
    file.lock()?;
    Ok(FileLock { _file: file })
}

/// Locks a file together with others that do the same, and waits while a process holds it alone.
pub(crate) fn lock_shared(path: &Path) -> io::Result<FileLock> {
    let file = private_options().write(true).create(true).truncate(false).open(path)?;
    file.lock_shared()?;
    Ok(FileLock { _file: file })
}

/// Locks a file. Returns `None` if anybody else holds the lock.
pub(crate) fn try_lock(path: &Path) -> io::Result<Option<FileLock>> {
    let file = private_options().write(true).create(true).truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(FileLock { _file: file })),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

//! Files of ours, with errors that name them.

use super::file::shown;
use crate::disk::{self, Lock, Safe};
use crate::error::Error;
use crate::model::Code;
use std::io;
use std::path::Path;

/// Waits for other processes, and keeps them out from here on.
pub(super) fn lock(path: &Path) -> Result<Lock, Error> {
    disk::lock(path).map_err(|error| failed("lock", path, error))
}

/// Makes a folder for this user only, with those above it.
pub(super) fn make_private_folder(path: &Path) -> Result<(), Error> {
    disk::make_private_folder(path).map_err(|error| failed("make the folder", path, error))
}

/// Puts a file in place of what is there.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    disk::replace(path, bytes, Safe::Disk).map_err(|error| failed("write", path, error))
}

/// Returns an error about a file of ours.
pub(super) fn failed(action: &str, path: &Path, error: io::Error) -> Error {
    Error::new(Code::SourceRead, format!("cannot {action}: {}", shown(path))).with_source(error)
}

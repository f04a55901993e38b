//! Files of ours, written whole or not at all, by one process at a time.

use super::file::shown;
use crate::error::Error;
use crate::model::Code;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Keeps other processes out while it lives.
#[derive(Debug)]
pub(super) struct Lock {
    // Closing it frees the lock, as does the end of the process, however it comes.
    _file: File,
}

/// Waits for other processes, and keeps them out from here on. The file stays: removing it would let two in.
pub(super) fn lock(path: &Path) -> Result<Lock, Error> {
    let open = || {
        let file = private().write(true).create(true).truncate(false).open(path)?;
        file.lock()?;
        Ok(Lock { _file: file })
    };
    open().map_err(|error| failed("lock", path, error))
}

/// Makes a folder for this user only, with those above it.
pub(super) fn make_private_folder(path: &Path) -> Result<(), Error> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| failed("make the folder", path, error))
}

/// Puts a file in place of what is there, with the mode of that; a new one is for this user only.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!("{name}.{}.tmp", uuid::Uuid::new_v4().simple()));
    let written = write_new(&temporary, bytes, path).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|error| {
        // What was written is of no use to anybody, and may not even be there.
        let _ = fs::remove_file(&temporary);
        failed("write", path, error)
    })
}

fn write_new(temporary: &Path, bytes: &[u8], like: &Path) -> io::Result<()> {
    let mut file = private().write(true).create_new(true).open(temporary)?;
    if let Ok(found) = like.metadata() {
        file.set_permissions(found.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Returns an error about a file of ours.
pub(super) fn failed(action: &str, path: &Path, error: io::Error) -> Error {
    Error::new(Code::SourceRead, format!("cannot {action}: {}", shown(path))).with_source(error)
}

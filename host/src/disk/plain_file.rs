//! Plain files: read up to a limit, replaced whole.

use super::private_open::{NewFileMode, options, private_options};
use crate::model::WriteDurability;
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

/// Reads a plain file of at most `limit` bytes. A larger file, or one that is not plain, is an
/// error.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = private_options().read(true).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > limit {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

/// Replaces a file and keeps its mode; a new file is for this user only. A reader sees the old file
/// or the new one, never a mixture.
pub fn replace(path: &Path, bytes: &[u8], durability: WriteDurability) -> io::Result<()> {
    replace_with_mode(path, bytes, durability, NewFileMode::Private)
}

/// Does the same; a new file gets this mode.
pub(crate) fn replace_with_mode(
    path: &Path,
    bytes: &[u8],
    durability: WriteDurability,
    mode: NewFileMode,
) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!("{name}.{}.tmp", uuid::Uuid::new_v4().simple()));
    let written = options(mode)
        .write(true)
        .create_new(true)
        .open(&temporary)
        .and_then(|file| write_new(file, bytes, path, durability))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The partial file is of no use, and may not even exist.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_new(
    mut file: fs::File,
    bytes: &[u8],
    original: &Path,
    durability: WriteDurability,
) -> io::Result<()> {
    if let Ok(found) = original.symlink_metadata()
        && found.is_file()
    {
        file.set_permissions(found.permissions())?;
    }
    file.write_all(bytes)?;
    match durability {
        WriteDurability::Disk => file.sync_all(),
        WriteDurability::Process => Ok(()),
    }
}

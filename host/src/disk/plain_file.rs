//! Plain files: read up to a limit, replaced whole.

use super::private_open::private;
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

/// How durable a file must be before it counts as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileDurability {
    /// It may be lost in a power failure, because it can be made again.
    Process,
    /// It is on disk.
    Disk,
}

/// Reads a plain file of at most `most` bytes. A larger file, or one that is not plain, is an
/// error.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = private().read(true).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

/// Replaces a file and keeps its mode; a new file is for this user only. A reader sees the old file
/// or the new one, never a mixture.
pub fn replace(path: &Path, bytes: &[u8], safe: FileDurability) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = path.with_file_name(format!("{name}.{}.tmp", uuid::Uuid::new_v4().simple()));
    let written = write_new(&fresh, bytes, path, safe).and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        // The partial file is of no use, and may not even exist.
        let _ = fs::remove_file(&fresh);
    }
    written
}

fn write_new(fresh: &Path, bytes: &[u8], like: &Path, safe: FileDurability) -> io::Result<()> {
    let mut file = private().write(true).create_new(true).open(fresh)?;
    if let Ok(found) = like.symlink_metadata()
        && found.is_file()
    {
        file.set_permissions(found.permissions())?;
    }
    file.write_all(bytes)?;
    match safe {
        FileDurability::Disk => file.sync_all(),
        FileDurability::Process => Ok(()),
    }
}

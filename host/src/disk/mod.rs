//! Files of ours: read bounded, written whole or not at all, by one process at a time.
//!
//! In flow paths and bytes, out flow bytes and errors of the OS, which those who know what the file
//! is for turn into their own.
//!
//! **Invariant:** no link is followed where something is read, locked or made: a folder may have
//! come with a clone.

pub(crate) mod user_files;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

/// Keeps other processes out while it lives.
#[derive(Debug)]
pub struct FileLock {
    // Closing it frees the lock, as does the end of the process, however it comes.
    _file: File,
}

/// How safe a file must be before it counts as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileDurability {
    /// It may be lost with the power: it can be made again.
    Process,
    /// It is on disk.
    Disk,
}

/// Waits for other processes, and keeps them out from here on. The file stays: removing it would
/// let two in.
pub(crate) fn lock(path: &Path) -> io::Result<FileLock> {
    let file = private().write(true).create(true).truncate(false).open(path)?;
    file.lock()?;
    Ok(FileLock { _file: file })
}

/// Keeps other processes out from here on, unless one of them was first.
pub(crate) fn try_lock(path: &Path) -> io::Result<Option<FileLock>> {
    let file = private().write(true).create(true).truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(FileLock { _file: file })),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Makes a folder for this user only, with those above it.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Returns whether a folder is there that is no link, and this user's: only then something is
/// written into it that may as well not be.
pub fn is_own_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| {
        #[cfg(unix)]
        let own =
            std::os::unix::fs::MetadataExt::uid(&found) == rustix::process::geteuid().as_raw();
        #[cfg(not(unix))]
        let own = true;
        found.is_dir() && own
    })
}

/// Closes a folder to others that was there before: a checkout leaves it open.
pub(crate) fn close_to_others(folder: &Path, found: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if found.permissions().mode() & 0o077 != 0 {
            return fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
        }
    }
    #[cfg(not(unix))]
    let _ = (folder, found);
    Ok(())
}

/// Reads a plain file of at most `most` bytes; what is larger, or no plain file, is an error.
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

/// Puts a file in place of what is there, with the mode of that; a new one is for this user only. A
/// reader sees the old one or the new one, whole.
pub fn replace(path: &Path, bytes: &[u8], safe: FileDurability) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = path.with_file_name(format!("{name}.{}.tmp", uuid::Uuid::new_v4().simple()));
    let written = write_new(&fresh, bytes, path, safe).and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        // What was written is of no use to anybody, and may not even be there.
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

/// Opens files for this user only, and never what a link leads to, nor waits for the other end of a
/// pipe.
fn private() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only unix has modes"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options
}

#[cfg(all(test, unix))]
mod tests {
    use super::{FileDurability, lock, read, replace, try_lock};
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_file_is_replaced_whole_and_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        replace(&path, b"one", FileDurability::Process).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        replace(&path, b"two", FileDurability::Disk).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o644);
        assert_eq!(read(&path, 3).unwrap(), b"two");
        assert!(read(&path, 2).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_lock_that_somebody_has_is_not_waited_for_unless_asked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = lock(&path).unwrap();
        assert!(try_lock(&path).unwrap().is_none());
        drop(held);
        assert!(try_lock(&path).unwrap().is_some());
    }

    #[test]
    fn no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        std::fs::write(&target, "theirs").unwrap();
        symlink(&target, &link).unwrap();
        assert!(read(&link, 100).is_err());
        assert!(lock(&link).is_err());
        // The link is replaced, not what it leads to.
        replace(&link, b"ours", FileDurability::Process).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"theirs");
        assert_eq!(read(&link, 100).unwrap(), b"ours");
    }
}

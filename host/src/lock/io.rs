//! The file of a lock: read whole, written whole or not at all, by one process at a time.

use super::conflict;
use super::error::LockError;
use super::model::Lock;
use super::schema;
use crate::disk::user_files::{display_path, lock, read_own, replace_ordinary};
use crate::disk::{FileLock, is_own_folder};
use crate::error::Error;
use crate::model::Code;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Maximum size: a hundred servers with the closures of the largest packages.
const MAX_SIZE: u64 = 16 << 20;

/// The file of a project's lock.
#[derive(Clone, Debug)]
pub struct LockFile {
    /// The project's `.pml`.
    folder: PathBuf,
}

/// Tells one state of the file from another, without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    modified: Option<SystemTime>,
    size: u64,
    #[cfg(unix)]
    inode: u64,
}

impl FileStamp {
    fn of(found: &Metadata) -> FileStamp {
        FileStamp {
            modified: found.modified().ok(),
            size: found.len(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(found),
        }
    }
}

impl LockFile {
    /// The name of the file in the project's `.pml`.
    pub const NAME: &'static str = "mcp.lock";

    /// Returns the lock of the project whose `.pml` is `folder`. Reads nothing.
    pub fn in_folder(folder: impl Into<PathBuf>) -> LockFile {
        LockFile { folder: folder.into() }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        self.folder.join(LockFile::NAME)
    }

    /// Returns the stamp of the file, or `None` if there is none.
    pub(crate) fn stamp(&self) -> Option<FileStamp> {
        self.path().symlink_metadata().ok().map(|found| FileStamp::of(&found))
    }

    /// Reads the lock. Returns `None` if there is no file.
    ///
    /// # Errors
    /// If it is a link, belongs to another user, is too large, is no lock, or is not as pml writes
    /// it.
    pub fn read(&self) -> Result<Option<Lock>, Error> {
        let Some(text) = self.read_text()? else { return Ok(None) };
        schema::parse(&text).map(Some).map_err(|error| error.at(self.path()))
    }

    /// Reads both sides of a lock that git could not merge. Returns `None` if there is no conflict.
    ///
    /// # Errors
    /// As [`LockFile::read`], and if one of the sides is no lock.
    pub fn read_sides(&self) -> Result<Option<(Lock, Lock)>, Error> {
        let Some(text) = self.read_text()? else { return Ok(None) };
        let Some((ours, theirs)) = conflict::sides(&text) else { return Ok(None) };
        let side = |text: &str| schema::parse(text).map_err(|error| error.at(self.path()));
        Ok(Some((side(&ours)?, side(&theirs)?)))
    }

    fn read_text(&self) -> Result<Option<String>, Error> {
        let path = self.path();
        for part in [&self.folder, &path] {
            if part.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
                let message = format!("the lock is reached by a link: {}", display_path(part));
                return Err(Error::new(Code::LockInvalid, message)
                    .with_hint("replace the link by a file of the project"));
            }
        }
        let Some(file) = read_own(&path, MAX_SIZE)? else { return Ok(None) };
        let text = String::from_utf8(file.bytes).map_err(|_| {
            LockError::Invalid { reason: "it is not UTF-8".into() }.at(path.clone())
        })?;
        // A checkout on Windows may have changed the ends of lines.
        Ok(Some(text.replace("\r\n", "\n")))
    }

    /// Changes the lock under a lock against other processes, and reports whether the file was
    /// written. `change` gets the lock as it is now, or an empty one.
    ///
    /// # Errors
    /// If the lock is refused, cannot be written, or `change` fails. Then the file is as before.
    pub fn update(
        &self,
        change: impl FnOnce(&mut Lock) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let _held = self.hold()?;
        let before = self.read()?;
        let mut now = before.clone().unwrap_or_default();
        change(&mut now)?;
        self.write_changed(before.as_ref(), &now)
    }

    /// Returns the text of the file, whatever it says, for [`LockFile::replace`].
    ///
    /// # Errors
    /// If it cannot be read, or is no file of the project.
    pub fn text(&self) -> Result<Option<String>, Error> {
        self.read_text()
    }

    /// Replaces the whole lock, if the file still has the text `before`. Reports whether it was
    /// written.
    ///
    /// # Errors
    /// If the file has changed meanwhile, or cannot be written. Then it is as before.
    pub fn replace(&self, before: Option<&str>, now: &Lock) -> Result<bool, Error> {
        let _held = self.hold()?;
        let found = self.read_text()?;
        if found.as_deref() != before {
            let path = display_path(&self.path());
            let message = format!("the lock has changed meanwhile, and nothing is written: {path}");
            return Err(Error::new(Code::LockInvalid, message).with_hint("run the command again"));
        }
        let known = found.as_deref().and_then(|text| schema::parse(text).ok());
        self.write_changed(known.as_ref(), now)
    }

    fn write_changed(&self, before: Option<&Lock>, now: &Lock) -> Result<bool, Error> {
        if before == Some(now) || before.is_none() && now.servers.is_empty() {
            return Ok(false);
        }
        let text = schema::write(now);
        if text.len() as u64 > MAX_SIZE {
            let message = format!(
                "the lock would be larger than {} MiB, which is the most: {}",
                MAX_SIZE >> 20,
                display_path(&self.path())
            );
            return Err(Error::new(Code::LockInvalid, message)
                .with_hint("remove servers that the project does not use"));
        }
        replace_ordinary(&self.path(), text.as_bytes())?;
        Ok(true)
    }

    /// Waits until no other process writes.
    fn hold(&self) -> Result<FileLock, Error> {
        if !is_own_folder(&self.folder) {
            let message = format!(
                "the project has no folder of your own for its lock: {}",
                display_path(&self.folder)
            );
            return Err(Error::new(Code::Config, message).with_hint("run `pml init`"));
        }
        lock(&self.folder.join("lock"))
    }

    /// Returns the text that a lock has on the disk.
    pub fn text_of(lock: &Lock) -> String {
        schema::write(lock)
    }

    /// Reads a lock from a text, as git has it in another revision.
    ///
    /// # Errors
    /// If the text is no lock, or not as pml writes it.
    pub fn parse(text: &str, path: &Path) -> Result<Lock, Error> {
        schema::parse(&text.replace("\r\n", "\n")).map_err(|error| error.at(path.into()))
    }
}

//! Detects which processes are alive.
//!
//! An owner is a token, and a file of that name which its process keeps locked. The OS releases the
//! lock when the process dies, in whatever way. If the lock can be taken, the owner is dead.

use super::failure::io_failure;
use crate::store::StoreError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// Maximum files checked when a journal is opened: cleaning up must not make opening slow.
const MAX_CHECKED_FILES: usize = 64;

/// Maximum attempts to create the file, if other processes remove it before it is locked.
const ATTEMPTS: usize = 8;

/// The folder of all owners.
#[derive(Clone, Debug)]
pub(super) struct OwnerFolder {
    folder: PathBuf,
}

impl OwnerFolder {
    /// Returns the owners of the journal in `folder`.
    pub(super) fn of(folder: &Path) -> OwnerFolder {
        OwnerFolder { folder: folder.join("owners") }
    }

    /// Returns the process id of an owner. Returns `None` if the owner is dead, and 0 if its id
    /// cannot be read.
    pub(super) fn living_process(&self, token: &str) -> Option<u32> {
        let path = self.folder.join(token);
        match File::open(&path) {
            Ok(file) => is_locked(&file).then(|| {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                text.trim().parse().unwrap_or_default()
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            // Taking over a run from a living owner is worse than leaving one that has no owner.
            Err(_) => Some(0),
        }
    }

    /// Reports whether any owner is alive.
    pub(super) fn any_alive(&self) -> bool {
        let Ok(files) = std::fs::read_dir(&self.folder) else { return false };
        files.flatten().any(|file| File::open(file.path()).is_ok_and(|file| is_locked(&file)))
    }

    /// Removes files of dead owners.
    pub(super) fn remove_dead(&self) {
        let Ok(files) = std::fs::read_dir(&self.folder) else { return };
        for file in files.flatten().take(MAX_CHECKED_FILES) {
            let Ok(opened) = File::open(file.path()) else { continue };
            if !is_locked(&opened) {
                // The lock is held until the name is removed: no owner can take a file that is
                // about to be removed.
                let _ = std::fs::remove_file(file.path());
            }
        }
    }
}

/// Reports whether another process holds the lock. A shared lock is tried, so that two processes
/// that check do not see each other.
fn is_locked(file: &File) -> bool {
    file.try_lock_shared().is_err()
}

/// The owner of this store's runs. Its file is created and locked with its first run.
#[derive(Debug)]
pub(super) struct OwnerLock {
    owners: OwnerFolder,
    token: String,
    locked: Option<File>,
}

impl OwnerLock {
    /// Returns an owner that has no file yet.
    pub(super) fn new(owners: OwnerFolder) -> OwnerLock {
        OwnerLock { owners, token: Uuid::new_v4().to_string(), locked: None }
    }

    /// Returns the folder of all owners.
    pub(super) fn owners(&self) -> &OwnerFolder {
        &self.owners
    }

    /// Reports whether its file is locked already.
    pub(super) fn is_locked(&self) -> bool {
        self.locked.is_some()
    }

    /// Returns the token. Its file is locked from here on.
    pub(super) fn token(&mut self) -> Result<&str, StoreError> {
        if self.locked.is_none() {
            let failed = |error| io_failure("lock the owner's file", &self.owners.folder, error);
            self.locked = Some(self.lock().map_err(failed)?);
        }
        Ok(&self.token)
    }

    /// Creates the file under another name and renames it once it is locked: other processes never
    /// see it unlocked.
    fn lock(&self) -> io::Result<File> {
        make_private_folder(&self.owners.folder)?;
        let mut last_error = io::ErrorKind::WouldBlock.into();
        for attempt in 0..ATTEMPTS {
            let temporary = self.owners.folder.join(format!("{}.{attempt}", self.token));
            let mut file = private_options().write(true).create_new(true).open(&temporary)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => return Err(error),
            }
            file.write_all(std::process::id().to_string().as_bytes())?;
            match std::fs::rename(&temporary, self.owners.folder.join(&self.token)) {
                Ok(()) => return Ok(file),
                Err(error) => last_error = error,
            }
        }
        Err(last_error)
    }
}

impl Drop for OwnerLock {
    fn drop(&mut self) {
        if self.locked.is_some() {
            // A file that cannot be removed is unlocked when it is closed, and is cleaned up later.
            let _ = std::fs::remove_file(self.owners.folder.join(&self.token));
        }
    }
}

/// Returns options that create a file for this user only.
pub(super) fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates a folder and its parents, for this user only.
pub(super) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::{OwnerFolder, OwnerLock};

    #[test]
    fn an_owner_lives_from_its_first_run_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let owners = OwnerFolder::of(folder.path());
        let mut owner = OwnerLock::new(owners.clone());
        assert_eq!(owners.living_process(&owner.token), None);
        let token = owner.token().unwrap().to_owned();
        assert_eq!(owners.living_process(&token), Some(std::process::id()));
        owners.remove_dead();
        assert_eq!(owners.living_process(&token), Some(std::process::id()));
        drop(owner);
        assert_eq!(owners.living_process(&token), None);
        assert_eq!(std::fs::read_dir(folder.path().join("owners")).unwrap().count(), 0);
    }

    #[test]
    fn files_of_the_dead_are_tidied_away() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("owners")).unwrap();
        let stale = folder.path().join("owners/left");
        std::fs::write(&stale, "1").unwrap();
        let owners = OwnerFolder::of(folder.path());
        assert_eq!(owners.living_process("left"), None);
        owners.remove_dead();
        assert!(!stale.exists());
    }
}

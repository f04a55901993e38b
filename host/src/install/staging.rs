//! Makes a package in a staging folder and moves it to its final folder.
//!
//! A package is made in the `.work` of the package cache under a unique name, and renamed when it is complete. A
//! file lock shows that a process works on the final folder. The OS releases the lock when the
//! process ends. So an unlocked folder in `.work` is abandoned, and the next installation removes
//! it.
//!
//! **Invariant:** the lock is held until all unfinished files are removed.

use super::error::InstallError;
use crate::disk::{self, FileLock};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use uuid::Uuid;

/// Maximum number of attempts to remove a folder. A killed process may still be writing its last
/// file.
const ATTEMPTS: u32 = 50;

/// Pause between these attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// The exclusive right to install into one folder.
pub(super) struct InstallLock {
    work: PathBuf,
    /// Identifies the final folder in file names of `work`.
    key: String,
    file_lock: FileLock,
}

/// A folder that a package is being installed into.
pub(super) struct StagingFolder {
    path: PathBuf,
    /// Released after the folder is removed.
    lock: Option<InstallLock>,
}

impl InstallLock {
    /// Waits until no other task or process works on the same folder, then removes what ended
    /// processes left behind.
    pub(super) fn acquire(work: &Path, folder: &str) -> Result<InstallLock, InstallError> {
        let key = folder.replace('/', "-");
        let path = work.join(format!("{key}.lock"));
        let file_lock =
            disk::lock(&path).map_err(|error| InstallError::io("lock", &path, error))?;
        let lock = InstallLock { work: work.into(), key, file_lock };
        lock.remove_abandoned();
        Ok(lock)
    }

    /// Does the same if nobody works on the folder; returns `None` if somebody does.
    pub(super) fn try_acquire(
        work: &Path,
        folder: &str,
    ) -> Result<Option<InstallLock>, InstallError> {
        let key = folder.replace('/', "-");
        let path = work.join(format!("{key}.lock"));
        let found =
            disk::try_lock(&path).map_err(|error| InstallError::io("lock", &path, error))?;
        let lock = found.map(|file_lock| InstallLock { work: work.into(), key, file_lock });
        Ok(lock.inspect(InstallLock::remove_abandoned))
    }

    /// Removes a finished folder. Once it has begun, the folder is not found any more.
    pub(super) fn remove(&self, target: &Path) -> Result<(), InstallError> {
        let old = self.unique_path();
        fs::rename(target, &old).map_err(|error| InstallError::io("remove", target, error))?;
        remove(&old);
        Ok(())
    }

    /// Removes abandoned folders. If that fails, the next installation tries again.
    fn remove_abandoned(&self) {
        let Ok(entries) = fs::read_dir(&self.work) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some((key, _)) = name.rsplit_once('#') else { continue };
            let held = match key == self.key {
                true => None,
                false => match disk::try_lock(&self.work.join(format!("{key}.lock"))) {
                    Ok(Some(lock)) => Some(lock),
                    _ => continue,
                },
            };
            let _ = disk::remove_tree(&entry.path());
            drop(held);
        }
    }

    /// Makes an empty staging folder.
    pub(super) fn stage(self) -> Result<StagingFolder, InstallError> {
        let path = self.unique_path();
        disk::make_private_folder(&path)
            .map_err(|error| InstallError::io("make the folder", &path, error))?;
        Ok(StagingFolder { path, lock: Some(self) })
    }

    fn unique_path(&self) -> PathBuf {
        self.work.join(format!("{}#{}", self.key, Uuid::new_v4().simple()))
    }
}

impl StagingFolder {
    /// Returns the path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the folder, and returns when it is gone.
    pub(super) fn discard(mut self) {
        if let Some(lock) = self.lock.take() {
            remove(&self.path);
            drop(lock.file_lock);
        }
    }

    /// Renames the folder to `target`. An existing folder is replaced.
    pub(super) fn finish(mut self, target: &Path) -> Result<InstallLock, InstallError> {
        let Some(lock) = self.lock.take() else {
            return Err(InstallError::io("rename", target, io::ErrorKind::NotFound.into()));
        };
        let old = lock.unique_path();
        let moved = match fs::rename(target, &old) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        };
        let renamed = moved.and_then(|moved| fs::rename(&self.path, target).map(|()| moved));
        match renamed {
            Ok(moved) => {
                if moved {
                    remove(&old);
                }
                Ok(lock)
            }
            Err(error) => {
                self.lock = Some(lock);
                Err(InstallError::io("put the package into", target, error))
            }
        }
    }
}

/// Removes the folder on its own thread, since the current one may not block.
impl Drop for StagingFolder {
    fn drop(&mut self) {
        if let Some(lock) = self.lock.take() {
            let path = std::mem::take(&mut self.path);
            std::thread::spawn(move || {
                remove(&path);
                drop(lock.file_lock);
            });
        }
    }
}

fn remove(path: &Path) {
    for _ in 0..ATTEMPTS {
        match disk::remove_tree(path) {
            Err(_) => std::thread::sleep(PAUSE),
            Ok(()) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::InstallLock;
    use std::fs;
    use std::path::Path;

    fn entries(work: &Path) -> Vec<String> {
        let names = fs::read_dir(work).unwrap().map(|entry| entry.unwrap().file_name());
        let names = names.map(|name| name.into_string().unwrap());
        names.filter(|name| name.contains('#')).collect()
    }

    #[test]
    fn what_is_finished_is_in_its_place_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let (work, target) = (folder.path().join("w"), folder.path().join("x"));
        fs::create_dir_all(&work).unwrap();
        for text in ["one", "two"] {
            let stage = InstallLock::acquire(&work, "npm/x").unwrap().stage().unwrap();
            fs::write(stage.path().join("file"), text).unwrap();
            stage.finish(&target).unwrap();
            assert_eq!(fs::read_to_string(target.join("file")).unwrap(), text);
            assert!(entries(&work).is_empty());
        }
    }

    #[test]
    fn what_is_dropped_is_gone_before_the_next_one_begins() {
        let folder = tempfile::tempdir().unwrap();
        let stage = InstallLock::acquire(folder.path(), "npm/x").unwrap().stage().unwrap();
        fs::write(stage.path().join("file"), "half").unwrap();
        drop(stage);
        // It waits for the lock, which is held until everything is removed.
        let _next = InstallLock::acquire(folder.path(), "npm/x").unwrap();
        assert!(entries(folder.path()).is_empty());
    }

    #[test]
    fn what_the_dead_left_is_swept_and_what_the_living_do_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let alive = InstallLock::acquire(folder.path(), "npm/alive").unwrap().stage().unwrap();
        fs::create_dir_all(folder.path().join("npm-dead#1/deep")).unwrap();
        fs::create_dir_all(folder.path().join("npm-x#1/deep")).unwrap();
        let _lock = InstallLock::acquire(folder.path(), "npm/x").unwrap();
        assert_eq!(entries(folder.path()).len(), 1);
        assert!(alive.path().is_dir());
    }
}

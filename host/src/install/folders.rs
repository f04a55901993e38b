//! Folders of the user, and one that the tools run in.
//!
//! **Invariant:** an existing folder may be prepared by others. It must be a folder, not a link, and
//! belong to this user.

use super::error::InstallError;
use crate::config::Environment;
use crate::disk;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// Makes a folder for this user only, or checks that it is one.
pub(super) fn make_folder(folder: &Path) -> Result<(), InstallError> {
    let refused = |why: &str| {
        let source = io::Error::other(why.to_owned());
        Err(InstallError::io("use the folder", folder, source))
    };
    match folder.symlink_metadata() {
        Ok(found) if !found.is_dir() => refused("it is not a folder: move it away"),
        Ok(found) if !is_own(&found) => refused("it belongs to another user: move it away"),
        Ok(found) => disk::make_private(folder, &found)
            .map_err(|error| InstallError::io("close the folder to others", folder, error)),
        Err(_) => disk::make_private_folder(folder)
            .map_err(|error| InstallError::io("make the folder", folder, error)),
    }
}

#[cfg(unix)]
fn is_own(found: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(found) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

/// Returns the user's state folder for the project in `project`, and an empty folder in it. Tools search the folder that they run in and its parents, and from there they find no file
/// of a project.
pub(super) fn user_folders(
    environment: &Environment,
    project: &Path,
) -> Result<(PathBuf, PathBuf), InstallError> {
    let home = environment.state_folder(project).map_err(InstallError::State)?;
    let home = home.ok_or(InstallError::NoHome)?;
    let tools = home.join("tools");
    make_folder(&tools)?;
    Ok((home, tools))
}

/// A temporary folder, removed when it is dropped.
pub(super) struct ScratchFolder(PathBuf);

impl ScratchFolder {
    /// Makes a folder in `home`.
    pub(super) fn new(home: &Path) -> Result<ScratchFolder, InstallError> {
        let path = home.join(format!("scratch-{}", Uuid::new_v4().simple()));
        make_folder(&path)?;
        Ok(ScratchFolder(path))
    }

    /// Returns the path of the folder.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Makes a home folder for code of packages. It contains nothing of the user except a link to
    /// their cache, since what such code fetches is later searched there.
    pub(super) fn make_home(&self, environment: &Environment) -> Result<PathBuf, InstallError> {
        let path = self.0.join("home");
        make_folder(&path)?;
        let variable = |wanted: &str| {
            let found = environment.pick(|name| name == wanted).into_iter().next();
            found.map(|(_, value)| PathBuf::from(value.reveal())).filter(|it| it.is_absolute())
        };
        let default_cache = || variable("HOME").map(|home| home.join(".cache"));
        let cache =
            variable("XDG_CACHE_HOME").or_else(default_cache).filter(|cache| cache.is_dir());
        #[cfg(unix)]
        if let Some(cache) = cache {
            let link = path.join(".cache");
            std::os::unix::fs::symlink(cache, &link)
                .map_err(|error| InstallError::io("make the link", &link, error))?;
        }
        #[cfg(not(unix))]
        drop(cache);
        Ok(path)
    }

    /// Writes a file into the folder.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<PathBuf, InstallError> {
        let path = self.0.join(name);
        fs::write(&path, text).map_err(|error| InstallError::io("write", &path, error))?;
        Ok(path)
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

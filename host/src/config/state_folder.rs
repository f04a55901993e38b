//! The user's own state folder: finds it and checks that it may be used for a project. The cache
//! folder is checked in the same way.
//!
//! Input: the variables of the process and a project's folder. Output: a folder, or a refusal
//! that names a remedy. The folder holds the user's trust, their key, the ends of audit trails and
//! all journals.
//!
//! **Invariant:** nothing is read from it or written to it before it was checked. A clone may have
//! set variables (through a client's settings or a shell's hook), and a folder that comes with a
//! clone would bring trust, keys and approvals with it.

use super::environment::Environment;
use crate::disk::user_files::display_path;
use crate::error::Error;
use crate::model::Code;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// Entries that mark the root of a repository.
const REPOSITORIES: &[&str] = &[".git", ".hg", ".jj"];

/// The hint for a folder that is refused.
const CHOOSE_ANOTHER: &str =
    "name a folder of your own elsewhere: `--state-dir DIR`, or `PML_STATE_DIR`";

/// A folder of the user that pml keeps files in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UserFolderKind {
    /// What must not be lost: trust, keys, journals.
    State,
    /// What can be made again: installed packages.
    Cache,
}

impl UserFolderKind {
    fn name(self) -> &'static str {
        match self {
            UserFolderKind::State => "state",
            UserFolderKind::Cache => "cache",
        }
    }

    fn choose_another(self) -> &'static str {
        match self {
            UserFolderKind::State => CHOOSE_ANOTHER,
            UserFolderKind::Cache => CHOOSE_ANOTHER_CACHE,
        }
    }
}

/// The setting that named the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UserFolderSource {
    Flag,
    Variable,
    Xdg,
    XdgCache,
    Home,
}

impl fmt::Display for UserFolderSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UserFolderSource::Flag => "--state-dir",
            UserFolderSource::Variable => "PML_STATE_DIR",
            UserFolderSource::Xdg if cfg!(windows) => "LOCALAPPDATA",
            UserFolderSource::XdgCache if cfg!(windows) => "LOCALAPPDATA",
            UserFolderSource::Xdg => "XDG_STATE_HOME",
            UserFolderSource::XdgCache => "XDG_CACHE_HOME",
            UserFolderSource::Home => "HOME",
        })
    }
}

/// The same for the cache folder, which has no setting of pml.
const CHOOSE_ANOTHER_CACHE: &str = "name a folder of your own elsewhere: `XDG_CACHE_HOME`";

/// A folder that a setting names, not yet checked.
pub(super) struct UserFolderCandidate {
    pub(super) kind: UserFolderKind,
    pub(super) source: UserFolderSource,
    pub(super) folder: PathBuf,
}

impl Environment {
    /// Returns the folder of this user's own state, which no project may change, or `None` if the
    /// user has none. The first of these counts: the folder of [`Environment::with_state_folder`],
    /// `PML_STATE_DIR`, `$XDG_STATE_HOME/pml`, `$HOME/.local/state/pml`.
    ///
    /// # Errors
    /// If it may not be used for the project in `project`: it lies in the project or in a
    /// repository around it, belongs to another user, or is open to others.
    pub fn state_folder(&self, project: &Path) -> Result<Option<PathBuf>, Error> {
        match self.state_folder_candidate()? {
            Some(candidate) => candidate.checked(project).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the folder of this user's own state; `needed_for` completes the error message.
    ///
    /// # Errors
    /// As [`Environment::state_folder`], and if the user has none.
    pub(crate) fn required_state_folder(
        &self,
        project: &Path,
        needed_for: &str,
    ) -> Result<PathBuf, Error> {
        self.state_folder(project)?.ok_or_else(|| {
            Error::new(Code::Config, format!("there is no folder {needed_for}"))
                .with_hint("set `HOME`, or name one with `--state-dir DIR` or `PML_STATE_DIR`")
        })
    }

    fn state_folder_candidate(&self) -> Result<Option<UserFolderCandidate>, Error> {
        let kind = UserFolderKind::State;
        let candidate =
            |source| move |folder: PathBuf| UserFolderCandidate { kind, source, folder };
        if let Some(folder) = self.chosen_state_folder() {
            return Ok(Some(candidate(UserFolderSource::Flag)(folder)));
        }
        if let Some(value) = self.variable("PML_STATE_DIR").filter(|value| !value.is_empty()) {
            let folder = PathBuf::from(value);
            if !folder.is_absolute() {
                // A relative path would start at the current folder and lie in the project.
                let message =
                    format!("`PML_STATE_DIR` is no absolute path: {}", display_path(&folder));
                return Err(Error::new(Code::Config, message)
                    .with_hint("name the folder from the root on, as in `/home/ann/pml-state`"));
            }
            return Ok(Some(candidate(UserFolderSource::Variable)(folder)));
        }
        let xdg = if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_STATE_HOME" };
        let xdg = self.folder(xdg).map(|base| candidate(UserFolderSource::Xdg)(base.join("pml")));
        let home = || match cfg!(windows) {
            true => None,
            false => self
                .home()
                .map(|home| candidate(UserFolderSource::Home)(home.join(".local/state/pml"))),
        };
        Ok(xdg.or_else(home))
    }
}

impl UserFolderCandidate {
    /// Returns the folder with its links resolved, if it may be used for a project.
    pub(super) fn checked(&self, project: &Path) -> Result<PathBuf, Error> {
        let folder = resolved(&self.folder).map_err(|link| {
            self.refusal(&link, "leads through a link to nowhere", self.kind.choose_another())
        })?;
        let project = project.canonicalize().unwrap_or_else(|_| project.into());
        self.check_place(&folder, &project)?;
        #[cfg(unix)]
        self.check_owner(&folder)?;
        Ok(folder)
    }

    fn check_place(&self, folder: &Path, project: &Path) -> Result<(), Error> {
        if project != folder && project.starts_with(folder) {
            // A clone with the name of one of our folders would fill it.
            return Err(self.refusal(folder, "has the project in it", self.kind.choose_another()));
        }
        // The root of the file system cannot come with a clone; a container may well run there.
        let within = |root: &Path| {
            root.parent().is_some() && folder.starts_with(root) && !self.may_lie_in(folder, root)
        };
        if within(project) {
            return Err(self.refusal(folder, "lies in the project", self.kind.choose_another()));
        }
        // All ancestors count: a submodule lies in a repository too.
        let ancestors = project.ancestors().skip(1);
        let marked = |root: &&Path| {
            REPOSITORIES.iter().any(|mark| root.join(mark).symlink_metadata().is_ok())
        };
        match ancestors.filter(|root| within(root)).find(marked) {
            Some(root) => {
                let why =
                    format!("lies in the repository around the project, {}", display_path(root));
                Err(self.refusal(folder, &why, self.kind.choose_another()))
            }
            None => Ok(()),
        }
    }

    /// Reports whether a folder may lie in `root` because it follows from the user's home. People
    /// put their home under version control, and run pml there or above it. The home of the account
    /// counts, not the one that a variable names: that may be a clone.
    fn may_lie_in(&self, folder: &Path, root: &Path) -> bool {
        let counts = |home: PathBuf| folder.starts_with(&home) && home.starts_with(root);
        let follows = !matches!(self.source, UserFolderSource::Flag | UserFolderSource::Variable);
        follows && super::account::home().is_some_and(counts)
    }

    /// Checks that no other user can change the folder. For a folder that does not exist yet, its
    /// nearest existing parent is checked.
    #[cfg(unix)]
    fn check_owner(&self, folder: &Path) -> Result<(), Error> {
        use rustix::fs::{Access, access};
        use std::os::unix::fs::MetadataExt as _;
        const STICKY: u32 = 0o1000;
        const BY_EVERYBODY: u32 = 0o002;
        let user = rustix::process::geteuid().as_raw();
        let mut nearest = true;
        for place in folder.ancestors() {
            // A folder whose metadata cannot be read cannot be used either; using it reports the
            // error.
            let Ok(metadata) = place.symlink_metadata() else { continue };
            let (mode, owner) = (metadata.mode(), metadata.uid());
            let shared = mode & BY_EVERYBODY != 0;
            let own = owner == user;
            if place == folder {
                if !metadata.is_dir() {
                    return Err(self.refusal(folder, "is no folder", self.kind.choose_another()));
                }
                if !own {
                    let why = format!("belongs to another user (uid {owner}, not {user})");
                    return Err(self.refusal(folder, &why, self.kind.choose_another()));
                }
                if mode & 0o077 != 0 {
                    let why = format!("is open to others (mode {:o})", mode & 0o777);
                    let hint = format!(
                        "`chmod 700 {}` closes it; or {}",
                        display_path(folder),
                        self.kind.choose_another()
                    );
                    return Err(self.refusal(folder, &why, &hint));
                }
            } else if shared && mode & STICKY == 0 {
                let why = format!(
                    "lies in a folder that everybody may write to, {}",
                    display_path(place)
                );
                return Err(self.refusal(folder, &why, self.kind.choose_another()));
            } else if nearest && !own && !shared && access(place, Access::WRITE_OK).is_ok() {
                // If we may not write there, creating the folder fails with its own error.
                let why = format!("would lie in a folder of another user, {}", display_path(place));
                return Err(self.refusal(folder, &why, self.kind.choose_another()));
            } else if !own && owner != 0 {
                // The owner of a folder can replace everything in it.
                let why = format!("lies in a folder of another user, {}", display_path(place));
                return Err(self.refusal(folder, &why, self.kind.choose_another()));
            }
            nearest = false;
        }
        Ok(())
    }

    fn refusal(&self, folder: &Path, why: &str, hint: &str) -> Error {
        let message = format!(
            "the {} folder that `{}` names {why}: {}",
            self.kind.name(),
            self.source,
            display_path(folder)
        );
        Error::new(Code::Security, message).with_hint(hint)
    }
}

/// Returns a path with its links resolved, as far as it exists.
///
/// # Errors
/// Returns the path of a link that leads nowhere.
pub(crate) fn resolved(path: &Path) -> Result<PathBuf, PathBuf> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let mut result = PathBuf::new();
    let mut exists = true;
    for component in path.components() {
        match component {
            Component::ParentDir => drop(result.pop()),
            component => result.push(component),
        }
        if exists {
            match result.canonicalize() {
                Ok(canonical) => result = canonical,
                Err(_) if result.symlink_metadata().is_ok_and(|found| found.is_symlink()) => {
                    return Err(result);
                }
                Err(_) => exists = false,
            }
        }
    }
    Ok(result)
}

//! The user's own cache folder, for what can be made again: packages that were installed.
//!
//! **Invariant:** as for the state folder, nothing is read from it or written to it before it was
//! checked: a folder that comes with a clone would bring packages with it.

use super::environment::Environment;
use super::state_folder::{UserFolderCandidate, UserFolderKind, UserFolderSource};
use crate::error::Error;
use crate::model::Code;
use std::path::{Path, PathBuf};

impl Environment {
    /// Returns the folder of this user's caches, or `None` if the user has none:
    /// `$XDG_CACHE_HOME/pml`, else `$HOME/.cache/pml`.
    ///
    /// # Errors
    /// If it may not be used for the project in `project`: it lies in the project or in a
    /// repository around it, belongs to another user, or is open to others.
    pub fn cache_folder(&self, project: &Path) -> Result<Option<PathBuf>, Error> {
        let candidate = |source| {
            move |folder: PathBuf| UserFolderCandidate {
                kind: UserFolderKind::Cache,
                source,
                folder,
            }
        };
        let (variable, name) = match cfg!(windows) {
            true => ("LOCALAPPDATA", "pml/cache"),
            false => ("XDG_CACHE_HOME", "pml"),
        };
        let named = self.folder(variable).map(|base| base.join(name));
        let named = named.map(candidate(UserFolderSource::XdgCache));
        let home = || self.home().filter(|_| !cfg!(windows)).map(|home| home.join(".cache/pml"));
        let found = named.or_else(|| home().map(candidate(UserFolderSource::Home)));
        found.map(|candidate| candidate.checked(project)).transpose()
    }

    /// Returns the folder of this user's caches.
    ///
    /// # Errors
    /// As [`Environment::cache_folder`], and if the user has none.
    pub(crate) fn required_cache_folder(&self, project: &Path) -> Result<PathBuf, Error> {
        self.cache_folder(project)?.ok_or_else(|| {
            Error::new(Code::Config, "there is no folder to keep packages in")
                .with_hint("set `HOME`, or name one with `XDG_CACHE_HOME`")
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::Environment;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    fn of(variables: &[(&str, &Path)], project: &Path) -> Result<String, String> {
        let variables = variables.iter().map(|(name, at)| (*name, at.to_str().expect("UTF-8")));
        let environment: Environment = variables.collect();
        match environment.cache_folder(project) {
            Ok(folder) => Ok(folder.map_or_else(String::new, |it| it.display().to_string())),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_variable_comes_before_the_home_folder() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().canonicalize().unwrap();
        let project = at.join("project");
        let (home, xdg) = (("HOME", &*at.join("home")), ("XDG_CACHE_HOME", &*at.join("c")));
        let shown = |path: &str| Ok(at.join(path).display().to_string());
        assert_eq!(of(&[home, xdg], &project), shown("c/pml"));
        assert_eq!(of(&[home], &project), shown("home/.cache/pml"));
        assert_eq!(
            of(&[home, ("XDG_CACHE_HOME", Path::new("c"))], &project),
            shown("home/.cache/pml")
        );
        assert_eq!(of(&[], &project), Ok(String::new()));
    }

    #[test]
    fn a_folder_in_the_project_or_open_to_others_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().canonicalize().unwrap();
        let project = at.join("project");
        fs::create_dir_all(project.join("c/pml")).unwrap();
        let inside = of(&[("XDG_CACHE_HOME", &project.join("c"))], &project).unwrap_err();
        let expected = "the cache folder that `XDG_CACHE_HOME` names lies in the project: ";
        assert!(inside.starts_with(expected), "{inside}");
        symlink(project.join("c"), at.join("link")).unwrap();
        assert!(of(&[("XDG_CACHE_HOME", &at.join("link"))], &project).is_err());
        fs::create_dir_all(at.join("open/pml")).unwrap();
        fs::set_permissions(at.join("open/pml"), PermissionsExt::from_mode(0o755)).unwrap();
        let open = of(&[("XDG_CACHE_HOME", &at.join("open"))], &project).unwrap_err();
        assert!(open.contains("is open to others (mode 755)"), "{open}");
        fs::set_permissions(at.join("open/pml"), PermissionsExt::from_mode(0o700)).unwrap();
        assert!(of(&[("XDG_CACHE_HOME", &at.join("open"))], &project).is_ok());
    }
}

//! A project for tests.

use crate::error::Error;
use crate::{config::Environment, project::Project};
use std::fs;
use std::path::PathBuf;

/// A project in a repository, and a home folder beside it.
pub(super) struct ProjectFixture {
    folder: tempfile::TempDir,
    pub(super) root: PathBuf,
    pub(super) environment: Environment,
}

/// Makes an empty project, with variables in addition to `HOME`.
pub(super) fn project_fixture(variables: &[(&str, &str)]) -> ProjectFixture {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap().join("home");
    let root = home.join("project");
    fs::create_dir_all(root.join(".git")).unwrap();
    let own = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let own = (own, home.to_str().unwrap());
    let environment = variables.iter().copied().chain([own]).collect();
    ProjectFixture { folder, root, environment }
}

impl ProjectFixture {
    /// Writes a file of the project.
    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a file in the home folder.
    pub(super) fn write_home(&self, name: &str, text: &str) {
        let path = self.folder.path().join("home").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(super) fn load(&self) -> Result<Project, Error> {
        Project::load_with_environment(&self.root, &self.environment)
    }

    pub(super) fn project(&self) -> Project {
        self.load().unwrap()
    }

    /// Trusts the project as it is, and loads it.
    pub(super) fn trusted(&self) -> Project {
        self.project().grant_trust(&self.environment).unwrap();
        self.project()
    }
}

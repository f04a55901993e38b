//! What every run of a package manager needs: its folders and its variables.

use super::environment::{self, PackageToolVariables};
use super::error::InstallError;
use super::installation_store::InstallationStore;
use crate::install::folders::user_folders;
use crate::install::package_tool::{Fetching, PackageTool};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folders and variables of package managers.
pub(super) struct PackageToolSetup {
    /// The user's state folder.
    pub(super) home: PathBuf,
    /// The folder that tools run in, which is empty.
    pub(super) tools: PathBuf,
    variables: PackageToolVariables,
    keyless: PackageToolVariables,
    fetching: Fetching,
}

impl PackageToolSetup {
    /// Returns the setup for a project.
    pub(super) fn of(
        store: &InstallationStore,
        fetching: Fetching,
    ) -> Result<PackageToolSetup, InstallError> {
        let (home, tools) = user_folders(&store.environment, &store.project)?;
        Ok(PackageToolSetup {
            home,
            tools,
            variables: environment::for_fetching(&store.environment),
            keyless: environment::keyless(&store.environment),
            fetching,
        })
    }

    /// Returns a tool. `doing` and `package` say in messages what it does for which package.
    pub(super) fn tool<'a>(
        &'a self,
        (name, program): (&'a str, &'a Path),
        doing: &'static str,
        package: &'a str,
        timeout: Duration,
    ) -> PackageTool<'a> {
        PackageTool {
            name,
            program,
            variables: &self.variables,
            keyless: &self.keyless,
            folder: &self.tools,
            doing,
            package,
            fetching: self.fetching,
            timeout,
        }
    }
}

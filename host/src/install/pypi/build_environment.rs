//! Where code of packages may run while they are installed: another home, and no key.
//!
//! Building is no step of its own: to know what a package depends on that has no wheel, its code is
//! run. So what builds fetches as well, and does that without keys: an index that needs one has to
//! have wheels.

use super::super::environment::{PackageToolVariables, for_scripts};
use super::super::error::InstallError;
use super::super::spec::{InstallScripts, PackageSpec};
use crate::config::Environment;
use crate::install::folders::ScratchFolder;
use crate::install::package_tool::PackageTool;
use std::path::Path;

/// The variables of what builds packages. They hold while it lives.
pub(super) struct BuildEnvironment {
    _scratch: ScratchFolder,
    variables: PackageToolVariables,
}

impl BuildEnvironment {
    /// Returns what building needs, where it is allowed. `home` is the user's own folder.
    pub(super) fn of(
        spec: &PackageSpec,
        environment: &Environment,
        home: &Path,
    ) -> Result<Option<BuildEnvironment>, InstallError> {
        if spec.scripts() == InstallScripts::Refused {
            return Ok(None);
        }
        let scratch = ScratchFolder::new(home)?;
        let elsewhere = scratch.home(environment)?;
        let variables = for_scripts(environment, &elsewhere.to_string_lossy());
        Ok(Some(BuildEnvironment { _scratch: scratch, variables }))
    }

    /// Returns the tool with the variables of `building`, if there is any.
    pub(super) fn over<'a>(
        building: Option<&'a BuildEnvironment>,
        tool: PackageTool<'a>,
    ) -> PackageTool<'a> {
        match building {
            Some(building) => tool.with(&building.variables),
            None => tool,
        }
    }
}

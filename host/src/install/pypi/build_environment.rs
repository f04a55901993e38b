//! The environment in which code of packages may run while they are installed: another home folder,
//! and no key.
//!
//! Building is not a separate step: the code of a package without a wheel must run to find out its
//! dependencies. So the step that builds also fetches, and does that without keys. An index that
//! needs a key must have wheels.

use super::super::environment::{PackageToolVariables, for_scripts};
use super::super::error::InstallError;
use super::super::spec::{InstallScripts, PackageSpec};
use crate::config::Environment;
use crate::install::folders::ScratchFolder;
use crate::install::package_tool::PackageTool;
use std::path::Path;

/// The variables for building packages. They are valid as long as this value lives.
pub(super) struct BuildEnvironment {
    _scratch: ScratchFolder,
    variables: PackageToolVariables,
}

impl BuildEnvironment {
    /// Returns the environment for building, or `None` if building is refused. `home` is the user's
    /// state folder.
    pub(super) fn of(
        spec: &PackageSpec,
        environment: &Environment,
        home: &Path,
    ) -> Result<Option<BuildEnvironment>, InstallError> {
        if spec.scripts() == InstallScripts::Refused {
            return Ok(None);
        }
        let scratch = ScratchFolder::new(home)?;
        let build_home = scratch.make_home(environment)?;
        let variables = for_scripts(environment, &build_home.to_string_lossy());
        Ok(Some(BuildEnvironment { _scratch: scratch, variables }))
    }

    /// Returns the tool with the variables of `building`, if there are any.
    pub(super) fn apply_to<'a>(
        building: Option<&'a BuildEnvironment>,
        tool: PackageTool<'a>,
    ) -> PackageTool<'a> {
        match building {
            Some(building) => tool.with_variables(&building.variables),
            None => tool,
        }
    }
}

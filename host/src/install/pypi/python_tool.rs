//! Chooses between `uv` and `pip`.

use super::super::error::InstallError;
use super::super::spec::PackageSpec;
use super::{pip, uv};
use crate::config::Environment;
use crate::install::folders::ScratchFolder;
use crate::install::package_tool::PackageTool;
use crate::install::pypi::build_environment::BuildEnvironment;
use crate::install::resolved_version::ResolvedVersion;
use crate::model::Package;
use std::path::{Path, PathBuf};

/// The tool that installs Python packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum PythonTool {
    Uv(PathBuf),
    Pip(PathBuf),
}

impl PythonTool {
    /// Returns the tool for a launch line: `uv` if it is installed, else the Python version that
    /// the line asks for.
    pub(in super::super) fn of(
        environment: &Environment,
        spec: &PackageSpec,
    ) -> Result<PythonTool, InstallError> {
        let find = |name: &str| environment.program(name, Path::new("/"), None);
        if let Some(program) = find("uv") {
            return Ok(PythonTool::Uv(program));
        }
        let python = spec.python().map_or("python3".into(), |version| format!("python{version}"));
        match find(&python) {
            Some(program) => Ok(PythonTool::Pip(program)),
            None => Err(InstallError::NoTool { tool: python, package: spec.written() }),
        }
    }

    /// Returns its name in messages.
    pub(in super::super) fn name(&self) -> &'static str {
        match self {
            PythonTool::Uv(_) => "uv",
            PythonTool::Pip(_) => "pip",
        }
    }

    /// Returns the program to start.
    pub(in super::super) fn program(&self) -> &Path {
        match self {
            PythonTool::Uv(program) | PythonTool::Pip(program) => program,
        }
    }

    /// Asks the index which version a launch line means. `home` is the user's state folder.
    pub(in super::super) async fn resolve(
        &self,
        tool: &PackageTool<'_>,
        environment: &Environment,
        spec: &PackageSpec,
        home: &Path,
    ) -> Result<ResolvedVersion, InstallError> {
        let scratch = ScratchFolder::new(home)?;
        let building = BuildEnvironment::of(spec, environment, home)?;
        let building = building.as_ref();
        match self {
            PythonTool::Uv(_) => {
                uv::resolve(&BuildEnvironment::apply_to(building, *tool), spec, &scratch).await
            }
            PythonTool::Pip(_) => pip::resolve(tool, building, spec, &scratch).await,
        }
    }

    /// Installs into the first folder of `folders`, which is empty. The second one is the user's
    /// state folder.
    pub(in super::super) async fn install(
        &self,
        tool: &PackageTool<'_>,
        environment: &Environment,
        spec: &PackageSpec,
        package: &Package,
        folders: (&Path, &Path),
    ) -> Result<(), InstallError> {
        let (folder, home) = folders;
        let scratch = ScratchFolder::new(home)?;
        let building = BuildEnvironment::of(spec, environment, home)?;
        let job = PythonInstallJob {
            spec,
            package,
            folder,
            scratch: &scratch,
            building: building.as_ref(),
        };
        match self {
            PythonTool::Uv(_) => uv::install(tool, job).await,
            PythonTool::Pip(_) => pip::install(tool, job).await,
        }
    }
}

/// A package to install, and the folders for it.
#[derive(Clone, Copy)]
pub(super) struct PythonInstallJob<'a> {
    pub(super) spec: &'a PackageSpec,
    pub(super) package: &'a Package,
    /// The folder to install into.
    pub(super) folder: &'a Path,
    /// A folder for files that no package may overwrite.
    pub(super) scratch: &'a ScratchFolder,
    pub(super) building: Option<&'a BuildEnvironment>,
}

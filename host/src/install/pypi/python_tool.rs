//! Which tool does the work.

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

/// The tool that does the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum PythonTool {
    Uv(PathBuf),
    Pip(PathBuf),
}

impl PythonTool {
    /// Returns the tool for a launch line: `uv`, else the Python that it asks for.
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

    /// Returns what it is called, for people.
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

    /// Asks the index which version is meant. `home` is the user's own folder.
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
                uv::resolve(&BuildEnvironment::over(building, *tool), spec, &scratch).await
            }
            PythonTool::Pip(_) => pip::resolve(tool, building, spec, &scratch).await,
        }
    }

    /// Fills `folder`, which is empty.
    pub(in super::super) async fn install(
        &self,
        tool: &PackageTool<'_>,
        environment: &Environment,
        spec: &PackageSpec,
        package: &Package,
        place: (&Path, &Path),
    ) -> Result<(), InstallError> {
        let (folder, home) = place;
        let scratch = ScratchFolder::new(home)?;
        let building = BuildEnvironment::of(spec, environment, home)?;
        let work = PythonInstallJob {
            spec,
            package,
            folder,
            scratch: &scratch,
            building: building.as_ref(),
        };
        match self {
            PythonTool::Uv(_) => uv::install(tool, work).await,
            PythonTool::Pip(_) => pip::install(tool, work).await,
        }
    }
}

/// What is to be installed, and where.
#[derive(Clone, Copy)]
pub(super) struct PythonInstallJob<'a> {
    pub(super) spec: &'a PackageSpec,
    pub(super) package: &'a Package,
    /// The folder to fill.
    pub(super) folder: &'a Path,
    /// For what no package may write over.
    pub(super) scratch: &'a ScratchFolder,
    pub(super) building: Option<&'a BuildEnvironment>,
}

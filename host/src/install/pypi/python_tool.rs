//! Chooses between `uv` and `pip`.

use super::super::error::InstallError;
use super::super::spec::PackageSpec;
use super::{pip, uv};
use crate::config::Environment;
use crate::install::folders::ScratchFolder;
use crate::install::package_tool::PackageTool;
use crate::install::pypi::build_environment::BuildEnvironment;
use crate::install::pypi::platform::PythonPlatform;
use crate::install::resolved_version::{PinnedVersions, ResolvedVersion};
use crate::model::{Package, PackageClosure};
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

    /// Returns the Python that packages of a launch line are installed for. `home` is the user's
    /// state folder.
    pub(in super::super) async fn platform(
        &self,
        tool: &PackageTool<'_>,
        spec: &PackageSpec,
        home: &Path,
    ) -> Result<PythonPlatform, InstallError> {
        match self {
            PythonTool::Uv(_) => uv::platform(tool, spec, &ScratchFolder::new(home)?).await,
            PythonTool::Pip(_) => pip::platform(tool).await,
        }
    }

    /// Asks the index which version a launch line means, and what belongs to it. With `pinned`, it
    /// is that version. `home` is the user's state folder.
    pub(in super::super) async fn resolve(
        &self,
        tool: &PackageTool<'_>,
        environment: &Environment,
        spec: &PackageSpec,
        pinned: Option<&PinnedVersions>,
        home: &Path,
    ) -> Result<ResolvedVersion, InstallError> {
        let platform = self.platform(tool, spec, home).await?;
        let scratch = ScratchFolder::new(home)?;
        let building = BuildEnvironment::of(spec, environment, home)?;
        let building = building.as_ref();
        let job =
            PythonResolveJob { spec, pinned, platform: &platform, scratch: &scratch, building };
        match self {
            PythonTool::Uv(_) => {
                uv::resolve(&BuildEnvironment::apply_to(building, *tool), job).await
            }
            PythonTool::Pip(_) => pip::resolve(tool, job).await,
        }
    }

    /// Installs a closure into the first folder of `folders`, which is empty. The second one is the
    /// user's state folder.
    pub(in super::super) async fn install(
        &self,
        tool: &PackageTool<'_>,
        environment: &Environment,
        spec: &PackageSpec,
        agreed: (&Package, &PackageClosure),
        folders: (&Path, &Path),
    ) -> Result<(), InstallError> {
        let (folder, home) = folders;
        let (package, closure) = agreed;
        let scratch = ScratchFolder::new(home)?;
        let building = BuildEnvironment::of(spec, environment, home)?;
        let job = PythonInstallJob {
            spec,
            package,
            closure,
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

/// A package to resolve.
#[derive(Clone, Copy)]
pub(super) struct PythonResolveJob<'a> {
    pub(super) spec: &'a PackageSpec,
    /// The versions that are decided already.
    pub(super) pinned: Option<&'a PinnedVersions>,
    pub(super) platform: &'a PythonPlatform,
    pub(super) scratch: &'a ScratchFolder,
    pub(super) building: Option<&'a BuildEnvironment>,
}

impl PythonResolveJob<'_> {
    /// Returns the package as a tool is asked for it.
    pub(super) fn requested(&self) -> String {
        match self.pinned {
            Some(pinned) => self.spec.package().pinned(&pinned.version),
            None => self.spec.package().to_string(),
        }
    }
}

/// A package to install, and the folders for it.
#[derive(Clone, Copy)]
pub(super) struct PythonInstallJob<'a> {
    pub(super) spec: &'a PackageSpec,
    pub(super) package: &'a Package,
    pub(super) closure: &'a PackageClosure,
    /// The folder to install into.
    pub(super) folder: &'a Path,
    /// A folder for files that no package may overwrite.
    pub(super) scratch: &'a ScratchFolder,
    pub(super) building: Option<&'a BuildEnvironment>,
}

//! Which tool does the work.

use super::super::error::InstallError;
use super::super::place::Scratch;
use super::super::resolved::Resolved;
use super::super::spec::Spec;
use super::super::tool::Tool;
use super::building::Building;
use super::{pip, uv};
use crate::config::Environment;
use crate::model::Package;
use std::path::{Path, PathBuf};

/// The tool that does the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Backend {
    Uv(PathBuf),
    Pip(PathBuf),
}

impl Backend {
    /// Returns the tool for a launch line: `uv`, else the Python that it asks for.
    pub(in super::super) fn of(
        environment: &Environment,
        spec: &Spec,
    ) -> Result<Backend, InstallError> {
        let find = |name: &str| environment.program(name, Path::new("/"), None);
        if let Some(program) = find("uv") {
            return Ok(Backend::Uv(program));
        }
        let python = spec.python().map_or("python3".into(), |version| format!("python{version}"));
        match find(&python) {
            Some(program) => Ok(Backend::Pip(program)),
            None => Err(InstallError::NoTool { tool: python, package: spec.written() }),
        }
    }

    /// Returns what it is called, for people.
    pub(in super::super) fn name(&self) -> &'static str {
        match self {
            Backend::Uv(_) => "uv",
            Backend::Pip(_) => "pip",
        }
    }

    /// Returns the program to start.
    pub(in super::super) fn program(&self) -> &Path {
        match self {
            Backend::Uv(program) | Backend::Pip(program) => program,
        }
    }

    /// Asks the index which version is meant. `home` is the user's own folder.
    pub(in super::super) async fn resolve(
        &self,
        tool: &Tool<'_>,
        environment: &Environment,
        spec: &Spec,
        home: &Path,
    ) -> Result<Resolved, InstallError> {
        let scratch = Scratch::new(home)?;
        let building = Building::of(spec, environment, home)?;
        let building = building.as_ref();
        match self {
            Backend::Uv(_) => uv::resolve(&Building::over(building, *tool), spec, &scratch).await,
            Backend::Pip(_) => pip::resolve(tool, building, spec, &scratch).await,
        }
    }

    /// Fills `folder`, which is empty.
    pub(in super::super) async fn install(
        &self,
        tool: &Tool<'_>,
        environment: &Environment,
        spec: &Spec,
        package: &Package,
        place: (&Path, &Path),
    ) -> Result<(), InstallError> {
        let (folder, home) = place;
        let scratch = Scratch::new(home)?;
        let building = Building::of(spec, environment, home)?;
        let work = Work { spec, package, folder, scratch: &scratch, building: building.as_ref() };
        match self {
            Backend::Uv(_) => uv::install(tool, work).await,
            Backend::Pip(_) => pip::install(tool, work).await,
        }
    }
}

/// What is to be installed, and where.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) spec: &'a Spec,
    pub(super) package: &'a Package,
    /// The folder to fill.
    pub(super) folder: &'a Path,
    /// For what no package may write over.
    pub(super) scratch: &'a Scratch,
    pub(super) building: Option<&'a Building>,
}

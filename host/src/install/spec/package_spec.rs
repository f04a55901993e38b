//! A package that a server is started from.

use super::requirement::Requirement;
use super::runner::PackageRunner;
use crate::error::Error;
use crate::install::spec::runner_line::parse;
use crate::model::{Ecosystem, digest};
use serde_json::{Value, json};
use std::fmt;

/// Controls whether code of a package may run while it is installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum InstallScripts {
    /// No code runs. Packages that need it are refused, or lack the files that it would have made.
    #[default]
    Refused,
    /// Code may run.
    Allowed,
}

/// A package to install, the program of it to start, and its arguments, as parsed from a launch
/// line.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PackageSpec {
    /// The runner that the line starts with.
    pub(super) runner: PackageRunner,
    /// The package.
    pub(super) package: Requirement,
    /// Packages to install together with it.
    pub(super) beside: Vec<Requirement>,
    /// The program of the package, if the line names one.
    pub(super) program: Option<String>,
    /// The version of Python to use, if the line names one.
    pub(super) python: Option<String>,
    /// The server's own arguments.
    pub(super) arguments: Vec<String>,
    /// Whether code of packages may run while they are installed.
    pub(super) scripts: InstallScripts,
}

impl PackageSpec {
    /// Parses a launch line. Returns `None` if it is a plain command.
    ///
    /// # Errors
    /// If the line starts a package runner and cannot be parsed, or names a package whose version
    /// cannot be pinned.
    pub(crate) fn parse(command: &str, arguments: &[String]) -> Result<Option<PackageSpec>, Error> {
        match PackageRunner::of(command, arguments) {
            Some((runner, rest)) => parse(runner, rest).map(Some),
            None => Ok(None),
        }
    }

    /// Sets whether code of the package may run while it is installed. This is part of the
    /// identity.
    pub(crate) fn with_scripts(mut self, scripts: InstallScripts) -> PackageSpec {
        self.scripts = scripts;
        self
    }

    /// Returns the ecosystem of the package.
    pub(crate) fn ecosystem(&self) -> Ecosystem {
        self.runner.ecosystem()
    }

    /// Returns the package as written in the launch line: its name and, if there is one, its
    /// version.
    pub(crate) fn written(&self) -> String {
        self.package.to_string()
    }

    /// Reports whether the launch line accepts one version only.
    pub(crate) fn is_exact(&self) -> bool {
        self.package.is_exact()
    }

    /// Returns the digest of everything that determines what is installed and started. The server's
    /// own arguments are not part of it.
    pub(crate) fn identity(&self) -> String {
        let mut all = self.identity_parts();
        all["package"] = json!(self.package.to_string());
        all["program"] = json!(self.program);
        digest(&all)
    }

    /// Returns a suffix that distinguishes its folder from others of the same version. Usually
    /// there is none.
    pub(in super::super) fn variant(&self) -> Option<String> {
        let plain = self.beside.is_empty()
            && self.package.extras.is_empty()
            && self.python.is_none()
            && self.scripts == InstallScripts::Refused;
        (!plain).then(|| digest(&self.identity_parts())[..12].to_owned())
    }

    fn identity_parts(&self) -> Value {
        let beside: Vec<_> = self.beside.iter().map(ToString::to_string).collect();
        json!({
            "ecosystem": self.ecosystem(), "extras": self.package.extras, "beside": beside,
            "python": self.python, "scripts": self.scripts == InstallScripts::Allowed,
        })
    }

    /// Returns the package.
    pub(in super::super) fn package(&self) -> &Requirement {
        &self.package
    }

    /// Returns the packages to install together with it.
    pub(in super::super) fn beside(&self) -> &[Requirement] {
        &self.beside
    }

    /// Returns the program to start, if the line names one.
    pub(in super::super) fn program(&self) -> Option<&str> {
        self.program.as_deref()
    }

    /// Returns the version of Python to use, if the line names one.
    pub(in super::super) fn python(&self) -> Option<&str> {
        self.python.as_deref()
    }

    /// Returns the server's own arguments.
    pub(in super::super) fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// Returns whether code of packages may run while they are installed.
    pub(in super::super) fn scripts(&self) -> InstallScripts {
        self.scripts
    }
}

/// Arguments may contain values of variables, so only their number is shown.
impl fmt::Debug for PackageSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spec")
            .field("runner", &self.runner)
            .field("package", &self.package.to_string())
            .field("beside", &self.beside.iter().map(ToString::to_string).collect::<Vec<_>>())
            .field("program", &self.program)
            .field("python", &self.python)
            .field("arguments", &self.arguments.len())
            .field("scripts", &self.scripts)
            .finish()
    }
}

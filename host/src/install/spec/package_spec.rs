//! A package that a server is started from.

use super::requirement::Requirement;
use super::runner::PackageRunner;
use crate::error::Error;
use crate::install::spec::runner_line::parse;
use crate::model::{Ecosystem, digest};
use serde_json::{Value, json};
use std::fmt;

/// Whether code of a package may run while it is installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum InstallScripts {
    /// It may not: packages that need it are refused, or lack what they would have made.
    #[default]
    Refused,
    /// It may.
    Allowed,
}

/// What a launch line asks for: a package, what of it is started, and with which arguments.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PackageSpec {
    /// What the line begins with.
    pub(super) runner: PackageRunner,
    /// The package.
    pub(super) package: Requirement,
    /// Packages that are to be there as well.
    pub(super) beside: Vec<Requirement>,
    /// The program of the package, if the line names one.
    pub(super) program: Option<String>,
    /// The version of Python that it is to run on.
    pub(super) python: Option<String>,
    /// The server's own arguments.
    pub(super) arguments: Vec<String>,
    /// Whether code of it may run while it is installed.
    pub(super) scripts: InstallScripts,
}

impl PackageSpec {
    /// Returns what a launch line asks for; `None` if it is a plain command.
    ///
    /// # Errors
    /// If the line starts a package runner and cannot be understood, or names something whose
    /// version cannot be pinned.
    pub(crate) fn of(command: &str, arguments: &[String]) -> Result<Option<PackageSpec>, Error> {
        match PackageRunner::of(command, arguments) {
            Some((runner, rest)) => parse(runner, rest).map(Some),
            None => Ok(None),
        }
    }

    /// Says whether code of the package may run while it is installed. That makes another
    /// installation.
    pub(crate) fn with_scripts(mut self, scripts: InstallScripts) -> PackageSpec {
        self.scripts = scripts;
        self
    }

    /// Returns where the package comes from.
    pub(crate) fn ecosystem(&self) -> Ecosystem {
        self.runner.ecosystem()
    }

    /// Returns the package as it is written: name and, if there is one, version.
    pub(crate) fn written(&self) -> String {
        self.package.to_string()
    }

    /// Returns the digest of everything that decides what is installed and started, without the
    /// server's own arguments.
    pub(crate) fn identity(&self) -> String {
        let mut all = self.ingredients();
        all["package"] = json!(self.package.to_string());
        all["program"] = json!(self.program);
        digest(&all)
    }

    /// Returns what tells its folder from others of the same version: nothing, most of the time.
    pub(in super::super) fn variant(&self) -> Option<String> {
        let plain = self.beside.is_empty()
            && self.package.extras.is_empty()
            && self.python.is_none()
            && self.scripts == InstallScripts::Refused;
        (!plain).then(|| digest(&self.ingredients())[..12].to_owned())
    }

    fn ingredients(&self) -> Value {
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

    /// Returns the packages that are to be there as well.
    pub(in super::super) fn beside(&self) -> &[Requirement] {
        &self.beside
    }

    /// Returns the program that is started, if the line names one.
    pub(in super::super) fn program(&self) -> Option<&str> {
        self.program.as_deref()
    }

    /// Returns the version of Python that it is to run on, if the line names one.
    pub(in super::super) fn python(&self) -> Option<&str> {
        self.python.as_deref()
    }

    /// Returns the server's own arguments.
    pub(in super::super) fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// Returns whether code of it may run while it is installed.
    pub(in super::super) fn scripts(&self) -> InstallScripts {
        self.scripts
    }
}

/// Variables were put into the arguments: only their number is shown.
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

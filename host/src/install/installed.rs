//! What is there.

use super::spec::Spec;
use crate::model::Package;
use crate::store::{Installation, StartedBy};
use std::path::Path;

/// A package that is there, and how its server is started.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Installed {
    /// What was agreed to and installed.
    pub(crate) package: Package,
    /// What its folder hashes to.
    pub(crate) digest: String,
    /// The program to start.
    pub(crate) command: String,
    /// Its arguments, with the server's own behind.
    pub(crate) arguments: Vec<String>,
}

/// Whether a package is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It is not.
    Missing,
    /// It is, as it was installed.
    Ready(Installed),
    /// Something is there that is not what was installed: the package that it was, `changed`.
    Changed(Package),
}

impl Installed {
    /// Returns how to start what is in `deps` for a launch line.
    pub(super) fn of(installation: &Installation, spec: &Spec, deps: &Path) -> Installed {
        let folder = deps.join(&installation.folder);
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let entry = text(&folder.join(&installation.entry));
        let (command, mut arguments) = match installation.started_by {
            StartedBy::Itself => (entry, Vec::new()),
            StartedBy::Node => ("node".into(), vec![entry]),
            // What Python would compile on the way would be a change.
            StartedBy::Python => (text(&folder.join("bin/python")), vec!["-B".into(), entry]),
        };
        arguments.extend_from_slice(spec.arguments());
        let (package, digest) = (installation.package.clone(), installation.digest.clone());
        Installed { package, digest, command, arguments }
    }
}

/// Variables were put into the arguments: only their number is shown.
impl std::fmt::Debug for Installed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Installed")
            .field("package", &self.package)
            .field("digest", &self.digest)
            .field("command", &self.command)
            .field("arguments", &self.arguments.len())
            .finish()
    }
}

//! What is there.

use super::spec::PackageSpec;
use crate::model::Package;
use crate::store::{InstallationRecord, StartedBy};
use std::path::Path;

/// A package that is there, and how its server is started.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct InstalledPackage {
    /// What was agreed to and installed.
    pub(crate) package: Package,
    /// What its folder hashes to.
    pub(crate) digest: String,
    /// The program to start.
    pub(crate) command: String,
    /// Its arguments, with the server's own behind.
    pub(crate) arguments: Vec<String>,
}

/// Whether a package is there. `T` is what is known of one that is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "it is matched where it is made, and never kept")]
pub(crate) enum InstallationState<T = InstalledPackage> {
    /// It is not installed.
    Missing,
    /// It is there, as it was installed.
    Ready(T),
    /// Something else is there than what was installed. This is the package that was installed,
    /// with `changed` set.
    Changed(Package),
}

impl InstalledPackage {
    /// Returns how to start what is in `deps` for a launch line.
    pub(super) fn of(
        installation: &InstallationRecord,
        spec: &PackageSpec,
        deps: &Path,
    ) -> InstalledPackage {
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
        InstalledPackage { package, digest, command, arguments }
    }
}

/// Variables were put into the arguments: only their number is shown.
impl std::fmt::Debug for InstalledPackage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Installed")
            .field("package", &self.package)
            .field("digest", &self.digest)
            .field("command", &self.command)
            .field("arguments", &self.arguments.len())
            .finish()
    }
}

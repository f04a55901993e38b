//! A package that is installed, and the state of an installation.

use super::spec::PackageSpec;
use crate::model::Package;
use crate::store::{InstallationRecord, StartedBy};
use std::path::Path;

/// An installed package, and how its server is started.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct InstalledPackage {
    /// The package that was agreed to and installed.
    pub(crate) package: Package,
    /// The digest of its folder.
    pub(crate) digest: String,
    /// The program to start.
    pub(crate) command: String,
    /// Its arguments, followed by the server's own.
    pub(crate) arguments: Vec<String>,
}

/// The state of an installation. `T` describes an installed package.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "it is matched where it is made, and never kept")]
pub(crate) enum InstallationState<T = InstalledPackage> {
    /// It is not installed.
    Missing,
    /// It is installed and unchanged.
    Ready(T),
    /// The files differ from those that were installed. Holds the package that was installed, with
    /// `changed` set.
    Changed(Package),
}

impl InstalledPackage {
    /// Returns how to start an installation in `deps` for a launch line.
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
            // Without `-B`, Python would write compiled files, which would change the digest.
            StartedBy::Python => (text(&folder.join("bin/python")), vec!["-B".into(), entry]),
        };
        arguments.extend_from_slice(spec.arguments());
        let (package, digest) = (installation.package.clone(), installation.digest.clone());
        InstalledPackage { package, digest, command, arguments }
    }
}

/// Arguments may contain values of variables, so only their number is shown.
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

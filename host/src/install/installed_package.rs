//! A package that is installed, and the state of an installation.

use super::agreed_packages::AgreedPackage;
use super::installation_record::{InstallationRecord, StartedBy};
use super::spec::PackageSpec;
use crate::disk::FileLock;
use crate::model::Package;
use std::path::Path;

/// An installed package, and how its server is started.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct InstalledPackage {
    /// The package that was agreed to and installed.
    pub(crate) package: Package,
    /// The digest of all packages that were installed for it, which is the same on all machines.
    pub(crate) closure: String,
    /// The platform of that closure.
    pub(crate) platform: String,
    /// The size of all files, in bytes.
    pub(crate) size: u64,
    /// The number of packages.
    pub(crate) packages: u64,
    /// The program to start.
    pub(crate) command: String,
    /// Its arguments, followed by the server's own.
    pub(crate) arguments: Vec<String>,
}

/// An installation that was agreed to for a server, and that is unchanged. It is not removed as
/// long as this value lives.
#[derive(Debug)]
pub(super) struct Installation {
    pub(super) record: InstallationRecord,
    pub(super) agreed: AgreedPackage,
    pub(super) _hold: FileLock,
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
    /// Returns how to start an installation, whose files are in `tree`, for a launch line.
    pub(super) fn of(
        installation: &Installation,
        spec: &PackageSpec,
        tree: &Path,
    ) -> InstalledPackage {
        let Installation { record, agreed, .. } = installation;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let entry = text(&tree.join(&record.entry));
        let (command, mut arguments) = match record.started_by {
            StartedBy::Itself => (entry, Vec::new()),
            StartedBy::Node => ("node".into(), vec![entry]),
            // Without `-B`, Python would write compiled files, which would change the digest.
            StartedBy::Python => (text(&tree.join("bin/python")), vec!["-B".into(), entry]),
        };
        arguments.extend_from_slice(spec.arguments());
        InstalledPackage {
            package: agreed.package.clone(),
            closure: record.closure.clone(),
            platform: record.platform.clone(),
            size: record.size,
            packages: record.packages,
            command,
            arguments,
        }
    }
}

/// Arguments may contain values of variables, so only their number is shown.
impl std::fmt::Debug for InstalledPackage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Installed")
            .field("package", &self.package)
            .field("closure", &self.closure)
            .field("command", &self.command)
            .field("arguments", &self.arguments.len())
            .finish()
    }
}

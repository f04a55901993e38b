//! The installations of a project, as recorded in `deps.json` and compared with the files. All
//! methods block on the disk.
//!
//! **Invariant:** an installation counts only if this user made it.

use super::digest::digest;
use super::error::InstallError;
use super::seal::InstallationKey;
use super::spec::PackageSpec;
use super::{npm, pypi};
use crate::install::folders::user_folders;
use crate::install::installed_package::InstallationState;
use crate::install::package_program::PackageProgram;
use crate::model::{Clock, Ecosystem, Package, SystemClock};
use crate::{
    config::Environment,
    store::{InstallationRecord, ProjectState},
};
use std::path::{Path, PathBuf};

/// The installations of a project.
#[derive(Clone)]
pub(super) struct InstallationStore {
    /// The project's `.pml`.
    pub(super) state: PathBuf,
    pub(super) environment: Environment,
}

impl InstallationStore {
    /// Returns the folder that packages are installed into.
    pub(super) fn deps_folder(&self) -> PathBuf {
        self.state.join("deps")
    }

    /// Returns the state of the installation for a server whose spec has this `identity`.
    pub(super) fn check(
        &self,
        server: &str,
        identity: &str,
    ) -> Result<InstallationState<InstallationRecord>, InstallError> {
        let record = self.project().packages().map_err(InstallError::State)?.remove(server);
        let record =
            record.filter(|record| record.spec == identity && record.package.server == server);
        let Some(record) = record else { return Ok(InstallationState::Missing) };
        let target = self.deps_folder().join(&record.folder);
        let is_folder = target.symlink_metadata().is_ok_and(|found| found.is_dir());
        if !is_folder || !self.key()?.verify(&record) {
            return Ok(InstallationState::Missing);
        }
        match digest(&target, &record.package.name) {
            Ok(digest) if digest == record.digest => Ok(InstallationState::Ready(record)),
            // Files that cannot be read, or links that lead out, were not there when it was
            // installed.
            _ => Ok(InstallationState::Changed(Package { changed: true, ..record.package })),
        }
    }

    /// Returns a record for an existing installation of the same package in the same folder.
    /// Returns `None` if there is none, if its files changed, or if the package is marked as
    /// changed.
    pub(super) fn reuse(
        &self,
        folder: &str,
        spec: &PackageSpec,
        package: &Package,
    ) -> Result<Option<InstallationRecord>, InstallError> {
        if package.changed {
            return Ok(None);
        }
        let key = self.key()?;
        let records = self.project().packages().map_err(InstallError::State)?;
        let same = |record: &&InstallationRecord| {
            record.folder == folder
                && record.package.integrity == package.integrity
                && key.verify(record)
        };
        let Some(record) = records.values().find(same) else { return Ok(None) };
        let target = self.deps_folder().join(folder);
        let unchanged = target.is_dir()
            && digest(&target, &package.name).is_ok_and(|digest| digest == record.digest);
        match unchanged {
            true => describe(spec, package, folder, record.digest.clone(), &target).map(Some),
            false => Ok(None),
        }
    }

    /// Records an installation, under a seal.
    pub(super) fn record(
        &self,
        installed: InstallationRecord,
    ) -> Result<InstallationRecord, InstallError> {
        let sealed = self.key()?.seal(installed);
        let written = self.project().record_installation(&sealed.package.server, sealed.clone());
        written.map_err(InstallError::State)?;
        Ok(sealed)
    }

    fn key(&self) -> Result<InstallationKey, InstallError> {
        let (home, _) = user_folders(&self.environment, &self.state)?;
        InstallationKey::load(&home)
    }

    fn project(&self) -> ProjectState {
        ProjectState::at(&self.state)
    }
}

/// Makes the record of a completely installed package, whose files are in `current_folder` at
/// present.
pub(super) fn describe(
    spec: &PackageSpec,
    package: &Package,
    folder: &str,
    digest: String,
    current_folder: &Path,
) -> Result<InstallationRecord, InstallError> {
    let PackageProgram { entry, started_by } = match package.ecosystem {
        Ecosystem::Npm => npm::program(current_folder, spec, package)?,
        _ => pypi::program(current_folder, spec, package)?,
    };
    Ok(InstallationRecord {
        spec: spec.identity(),
        package: Package { changed: false, ..package.clone() },
        folder: folder.into(),
        digest,
        entry,
        started_by,
        installed_at: SystemClock.now(),
        seal: String::new(),
    })
}

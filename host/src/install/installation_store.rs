//! The installations of a project, as recorded in `deps.json` and compared with the files. All
//! methods block on the disk.
//!
//! **Invariant:** an installation counts only if this user made it.

use super::digest::digest;
use super::error::InstallError;
use super::seal::InstallationKey;
use super::spec::PackageSpec;
use super::{npm, pypi};
use crate::install::folders::home;
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
    pub(super) fn deps(&self) -> PathBuf {
        self.state.join("deps")
    }

    /// Returns the state of the installation for a server whose spec has this `identity`.
    pub(super) fn look(
        &self,
        server: &str,
        identity: &str,
    ) -> Result<InstallationState<InstallationRecord>, InstallError> {
        let known = self.project().packages().map_err(InstallError::State)?.remove(server);
        let known = known.filter(|known| known.spec == identity && known.package.server == server);
        let Some(known) = known else { return Ok(InstallationState::Missing) };
        let place = self.deps().join(&known.folder);
        let is_folder = place.symlink_metadata().is_ok_and(|found| found.is_dir());
        if !is_folder || !self.key()?.fits(&known) {
            return Ok(InstallationState::Missing);
        }
        match digest(&place, &known.package.name) {
            Ok(digest) if digest == known.digest => Ok(InstallationState::Ready(known)),
            // Files that cannot be read, or links that lead out, were not there when it was
            // installed.
            _ => Ok(InstallationState::Changed(Package { changed: true, ..known.package })),
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
        let known = self.project().packages().map_err(InstallError::State)?;
        let same = |known: &&InstallationRecord| {
            known.folder == folder
                && known.package.integrity == package.integrity
                && key.fits(known)
        };
        let Some(known) = known.values().find(same) else { return Ok(None) };
        let place = self.deps().join(folder);
        let whole = place.is_dir()
            && digest(&place, &package.name).is_ok_and(|digest| digest == known.digest);
        match whole {
            true => describe(spec, package, folder, known.digest.clone(), &place).map(Some),
            false => Ok(None),
        }
    }

    /// Records an installation, under a seal.
    pub(super) fn remember(
        &self,
        installed: InstallationRecord,
    ) -> Result<InstallationRecord, InstallError> {
        let sealed = self.key()?.seal(installed);
        let kept = self.project().package_installed(&sealed.package.server, sealed.clone());
        kept.map_err(InstallError::State)?;
        Ok(sealed)
    }

    fn key(&self) -> Result<InstallationKey, InstallError> {
        let (home, _) = home(&self.environment, &self.state)?;
        InstallationKey::of(&home)
    }

    fn project(&self) -> ProjectState {
        ProjectState::at(&self.state)
    }
}

/// Makes the record of a completely installed package, whose files are in `now_at` at present.
pub(super) fn describe(
    spec: &PackageSpec,
    package: &Package,
    folder: &str,
    digest: String,
    now_at: &Path,
) -> Result<InstallationRecord, InstallError> {
    let PackageProgram { entry, started_by } = match package.ecosystem {
        Ecosystem::Npm => npm::program(now_at, spec, package)?,
        _ => pypi::program(now_at, spec, package)?,
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

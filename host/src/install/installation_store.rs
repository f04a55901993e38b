//! The installations of a project: what was agreed to for its servers, compared with what is in the
//! package cache. All methods block on the disk.
//!
//! **Invariant:** an installation counts only if it was agreed to for this server of this project,
//! if this user made it, and if its files are still those that were installed.

use super::agreed_packages::{AgreedPackage, AgreedPackages};
use super::digest::digest;
use super::error::InstallError;
use super::installation_record::InstallationRecord;
use super::installed_package::{Installation, InstallationState};
use super::package_cache::{CacheEntry, PackageCache};
use super::spec::PackageSpec;
use crate::config::Environment;
use crate::model::{Clock, Ecosystem, Package, PackageClosure, SystemClock};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

/// The installations of a project.
#[derive(Clone)]
pub(super) struct InstallationStore {
    /// The project's folder.
    pub(super) project: PathBuf,
    pub(super) environment: Environment,
    /// The platforms of the machine's Pythons, by the version that a launch line asks for.
    platforms: Arc<Mutex<KnownPlatforms>>,
}

/// Labels of platforms, and when each was determined.
type KnownPlatforms = HashMap<String, (Instant, String)>;

impl InstallationStore {
    /// Returns the installations of the project in `project`.
    pub(super) fn new(project: PathBuf, environment: Environment) -> InstallationStore {
        InstallationStore { project, environment, platforms: Arc::default() }
    }

    /// Locks the platforms that are known.
    pub(super) fn known_platforms(&self) -> MutexGuard<'_, KnownPlatforms> {
        self.platforms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the user's package cache.
    pub(super) fn cache(&self) -> Result<PackageCache, InstallError> {
        PackageCache::of(&self.environment, &self.project).map_err(InstallError::State)
    }

    /// Returns what was agreed to for a server whose spec has this `identity`.
    pub(super) fn agreed(
        &self,
        server: &str,
        identity: &str,
    ) -> Result<Option<AgreedPackage>, InstallError> {
        // Without a folder, nothing was ever agreed to.
        let state = self.environment.state_folder(&self.project).map_err(InstallError::State)?;
        let Some(state) = state else { return Ok(None) };
        let agreed = AgreedPackages::in_state(&state).of_server(&self.project, server)?;
        Ok(agreed.filter(|agreed| agreed.spec == identity && agreed.package.server == server))
    }

    /// Returns the state of the installation for a server whose spec has this `identity`.
    pub(super) fn check(
        &self,
        server: &str,
        identity: &str,
    ) -> Result<InstallationState<Installation>, InstallError> {
        let Some(agreed) = self.agreed(server, identity)? else {
            return Ok(InstallationState::Missing);
        };
        let cache = self.cache()?;
        if cache.entry_folder(&agreed.entry).symlink_metadata().is_err() {
            return Ok(InstallationState::Missing);
        }
        // From here on no other process removes it.
        let hold = cache.hold(&agreed.entry)?;
        let record = match cache.entry(&agreed.entry, &cache.key()?) {
            CacheEntry::Missing => return Ok(InstallationState::Missing),
            CacheEntry::Unusable => None,
            CacheEntry::Sealed(record) => Some(record),
        };
        let record = record.filter(|record| record.closure == agreed.closure);
        Ok(match record.filter(|record| is_unchanged(&cache, record)) {
            Some(record) => InstallationState::Ready(Installation { record, agreed, _hold: hold }),
            None => InstallationState::Changed(Package { changed: true, ..agreed.package }),
        })
    }

    /// Returns the record of an entry with exactly this closure, if its files are unchanged.
    pub(super) fn reuse(
        &self,
        name: &str,
        closure: &str,
    ) -> Result<Option<InstallationRecord>, InstallError> {
        let cache = self.cache()?;
        let CacheEntry::Sealed(record) = cache.entry(name, &cache.key()?) else { return Ok(None) };
        let usable = record.closure == closure && is_unchanged(&cache, &record);
        Ok(usable.then_some(record))
    }

    /// Records that a package was agreed to for its server, and holds its installation.
    pub(super) fn agree(
        &self,
        spec: &PackageSpec,
        package: &Package,
        record: InstallationRecord,
    ) -> Result<Installation, InstallError> {
        let cache = self.cache()?;
        let hold = cache.hold(&record.name)?;
        let agreed = AgreedPackage {
            spec: spec.identity(),
            // A question of an older pml did not name the packages that come with it.
            package: Package {
                changed: false,
                closure: Some(record.closure.clone()),
                packages: package.packages.or(Some(record.packages)),
                ..package.clone()
            },
            closure: record.closure.clone(),
            platform: record.platform.clone(),
            entry: record.name.clone(),
            agreed_at: SystemClock.now(),
        };
        AgreedPackages::in_state(&cache.state).record(&self.project, agreed.clone())?;
        Ok(Installation { record, agreed, _hold: hold })
    }

    /// Returns the newest package in the cache that was installed for the same request, with its
    /// closure, if that is kept.
    pub(super) fn cached_package(
        &self,
        identity: &str,
    ) -> Result<Option<(Package, PackageClosure)>, InstallError> {
        let cache = self.cache()?;
        let key = cache.key()?;
        let records = cache.names().into_iter().filter_map(|name| match cache.entry(&name, &key) {
            CacheEntry::Sealed(record) if record.spec == identity => Some(record),
            _ => None,
        });
        let newest = records.max_by_key(|record| record.installed_at);
        let closure = newest.as_ref().and_then(|record| cache.closures().load(&record.closure));
        Ok(newest.map(|record| record.package).zip(closure))
    }

    /// Keeps a closure, and returns its digest.
    pub(super) fn keep(&self, closure: &PackageClosure) -> Result<String, InstallError> {
        let cache = self.cache()?;
        super::folders::make_folder(&cache.folder)?;
        cache.closures().keep(closure)
    }

    /// Returns the closure that was agreed to with a package, if it is kept.
    pub(super) fn closure_of(
        &self,
        package: &Package,
    ) -> Result<Option<PackageClosure>, InstallError> {
        let Some(digest) = &package.closure else { return Ok(None) };
        Ok(self.cache()?.closures().load(digest))
    }
}

/// Reports whether the files of an installation are those that were installed. Files that cannot be
/// read, or links that lead out, were not there then.
fn is_unchanged(cache: &PackageCache, record: &InstallationRecord) -> bool {
    let found = digest(&cache.tree(&record.name), &record.package.name);
    found.is_ok_and(|found| found.digest == record.digest)
}

/// A completely installed package, before it is recorded.
pub(super) struct FinishedInstall<'a> {
    pub(super) spec: &'a PackageSpec,
    pub(super) package: &'a Package,
    /// The digest of the closure.
    pub(super) closure: &'a str,
    /// The platform of the closure.
    pub(super) platform: &'a str,
    /// The number of packages that were installed.
    pub(super) packages: u64,
    /// The name of the entry.
    pub(super) name: &'a str,
    /// The folder of the files at present.
    pub(super) tree: &'a Path,
}

impl FinishedInstall<'_> {
    /// Finds the program, hashes all files, and returns the record, without a seal.
    pub(super) fn record(&self) -> Result<InstallationRecord, InstallError> {
        let FinishedInstall { spec, package, tree, .. } = self;
        let found = digest(tree, &package.name)?;
        let program = match package.ecosystem {
            Ecosystem::Npm => super::npm::program(tree, spec, package)?,
            _ => super::pypi::program(tree, spec, package)?,
        };
        let shared = Package {
            server: String::new(),
            install: String::new(),
            changed: false,
            ..(*package).clone()
        };
        Ok(InstallationRecord {
            name: self.name.into(),
            spec: spec.identity(),
            package: shared,
            closure: self.closure.into(),
            platform: self.platform.into(),
            digest: found.digest,
            entry: program.entry,
            started_by: program.started_by,
            size: found.bytes,
            packages: self.packages,
            installed_at: SystemClock.now(),
            seal: String::new(),
        })
    }
}

//! Lists what is in the package cache, and removes what nobody needs any more.
//!
//! **Invariant:** nothing is removed that a process may be started from, or that is being
//! installed.

use super::agreed_packages::AgreedPackages;
use super::error::InstallError;
use super::package_cache::{CacheEntry, PackageCache};
use super::seal::InstallationKey;
use super::staging::InstallLock;
use crate::error::Error;
use crate::model::{Clock, Ecosystem, SystemClock, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A package in the package cache.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CachedPackage {
    /// The name of its entry, relative to the cache's folder.
    pub entry: String,
    /// The registry that it comes from.
    pub ecosystem: Ecosystem,
    /// The package, as far as its record says.
    pub package: Option<CachedVersion>,
    /// The size of its files, in bytes.
    pub size: u64,
    /// Whether a process of pml uses it at the moment.
    pub in_use: bool,
    /// How many projects have agreed to it. Projects that no longer exist do not count.
    pub projects: usize,
}

/// What the record of a [`CachedPackage`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CachedVersion {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How many packages are installed, itself included.
    pub packages: u64,
    /// When it was installed.
    pub installed_at: Timestamp,
}

/// Which packages are removed from the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PruneScope {
    /// Those that no project has agreed to.
    Unneeded,
    /// All of them.
    All,
}

/// Whether packages are removed, or only listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PruneMode {
    /// They are listed.
    DryRun,
    /// They are removed.
    Remove,
}

/// What was removed from the cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PruneOutcome {
    /// The packages that were removed, or would be.
    pub removed: Vec<CachedPackage>,
    /// Those that would have been, but are in use.
    pub in_use: Vec<CachedPackage>,
}

impl PruneOutcome {
    /// Returns the size of everything that was removed, in bytes.
    pub fn freed(&self) -> u64 {
        self.removed.iter().map(|one| one.size).sum()
    }
}

impl PackageCache {
    /// Returns the names of all entries, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let children = |folder: &Path| -> Vec<(String, PathBuf)> {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let named =
                entries.filter_map(|it| Some((it.file_name().into_string().ok()?, it.path())));
            named.filter(|(name, _)| !name.starts_with('.')).collect()
        };
        let ecosystems = children(&self.folder());
        let entries = ecosystems.into_iter().flat_map(|(ecosystem, folder)| {
            let names = children(&folder).into_iter();
            names.map(move |(name, _)| format!("{ecosystem}/{name}"))
        });
        let names: BTreeSet<String> = entries.collect();
        names.into_iter().collect()
    }

    /// Returns all packages in the cache, sorted by name.
    ///
    /// # Errors
    /// If the user's key, or the list of what they agreed to, cannot be read.
    pub fn packages(&self) -> Result<Vec<CachedPackage>, Error> {
        let (key, projects) = (self.key()?, self.projects_by_entry()?);
        let one = |name: String| self.cached_package(name, &key, &projects);
        self.names().into_iter().map(one).collect::<Result<_, _>>().map_err(Error::from)
    }

    /// Removes packages, and the closures that nothing refers to any more. Packages that a process
    /// uses stay.
    ///
    /// # Errors
    /// If a package cannot be removed, or if it is not known what is needed.
    pub fn prune(&self, scope: PruneScope, mode: PruneMode) -> Result<PruneOutcome, Error> {
        let mut outcome = PruneOutcome::default();
        for package in self.packages()? {
            if scope == PruneScope::Unneeded && package.projects > 0 {
                continue;
            }
            match self.remove(&package, mode)? {
                true => outcome.removed.push(package),
                false => outcome.in_use.push(CachedPackage { in_use: true, ..package }),
            }
        }
        if mode == PruneMode::Remove {
            self.remove_closures()?;
        }
        Ok(outcome)
    }

    /// Removes a package. Returns `false` if it is in use.
    fn remove(&self, package: &CachedPackage, mode: PruneMode) -> Result<bool, InstallError> {
        let name = &package.entry;
        self.prepare(name)?;
        let Some(lock) = InstallLock::try_acquire(&self.work(), name)? else { return Ok(false) };
        let Some(_alone) = self.try_lock(name)? else { return Ok(false) };
        if mode == PruneMode::Remove {
            lock.remove(&self.entry_folder(name))?;
        }
        Ok(true)
    }

    fn remove_closures(&self) -> Result<(), InstallError> {
        let key = self.key()?;
        let agreed = AgreedPackages::in_state(&self.state).of_existing_projects()?;
        let mut kept: BTreeSet<String> = agreed.into_iter().map(|agreed| agreed.closure).collect();
        kept.extend(self.names().into_iter().filter_map(|name| match self.entry(&name, &key) {
            CacheEntry::Sealed(record) => Some(record.closure),
            _ => None,
        }));
        self.closures().retain(&kept, SystemClock.now());
        Ok(())
    }

    /// Returns how many projects have agreed to each entry.
    fn projects_by_entry(&self) -> Result<BTreeMap<String, usize>, InstallError> {
        let mut counts = BTreeMap::new();
        for agreed in AgreedPackages::in_state(&self.state).of_existing_projects()? {
            *counts.entry(agreed.entry).or_default() += 1;
        }
        Ok(counts)
    }

    fn cached_package(
        &self,
        entry: String,
        key: &InstallationKey,
        projects: &BTreeMap<String, usize>,
    ) -> Result<CachedPackage, InstallError> {
        let ecosystem = match entry.starts_with("npm/") {
            true => Ecosystem::Npm,
            false => Ecosystem::Pypi,
        };
        let (package, size) = match self.entry(&entry, key) {
            CacheEntry::Sealed(record) => {
                let version = CachedVersion {
                    name: record.package.name,
                    version: record.package.version,
                    packages: record.packages,
                    installed_at: record.installed_at,
                };
                (Some(version), record.size)
            }
            _ => (None, size_of(&self.entry_folder(&entry))),
        };
        let in_use = self.try_lock(&entry)?.is_none();
        let projects = projects.get(&entry).copied().unwrap_or_default();
        Ok(CachedPackage { entry, ecosystem, package, size, in_use, projects })
    }
}

/// Returns the size of all files in a folder, as far as they can be read. No link is followed.
pub(super) fn size_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => size_of(&entry.path()),
        Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |found| found.len()),
        _ => 0,
    });
    sizes.sum()
}

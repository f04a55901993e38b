//! The user's package cache: each package is installed once, for all projects.
//!
//! ```text
//! CACHE/packages/npm/NAME@VERSION~KEY/tree/        what is installed, read-only
//! CACHE/packages/npm/NAME@VERSION~KEY/record.json  its record, under a seal
//! CACHE/packages/.locks/                           a process that uses an entry shares its lock
//! CACHE/packages/.work/                            unfinished installations
//! CACHE/closures/                                  closures, by their digest
//! ```
//!
//! KEY is a digest of everything that decides the tree, and of who made it.
//!
//! **Invariant:** an entry counts only if its record has a seal of this user for exactly this name.
//! **Invariant:** presence in the cache is no approval: see `agreed_packages`.

use super::closure_store::ClosureStore;
use super::error::InstallError;
use super::installation_record::InstallationRecord;
use super::seal::InstallationKey;
use super::spec::PackageSpec;
use crate::config::Environment;
use crate::disk::{self, FileLock, is_own_folder};
use crate::install::folders::make_folder;
use crate::model::{Ecosystem, Package, WriteDurability, digest};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The folder of an entry's files.
pub(super) const TREE: &str = "tree";

/// The file of an entry's record.
const RECORD: &str = "record.json";

/// Maximum size of a record. All real ones are smaller.
const MAX_RECORD: u64 = 1 << 20;

/// Characters of a package's name in the name of its entry. The key tells entries apart.
const MAX_NAME: usize = 80;

/// Characters of a key.
const MAX_KEY: usize = 20;

/// The package cache of a user.
#[derive(Clone, Debug)]
pub struct PackageCache {
    /// The user's cache folder.
    pub(super) folder: PathBuf,
    /// The user's state folder.
    pub(super) state: PathBuf,
}

/// An entry of the cache, as far as its record says.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "it is matched where it is made, and never kept")]
pub(super) enum CacheEntry {
    /// There is none.
    Missing,
    /// It has no record of this user, or is not complete.
    Unusable,
    /// It has a record of this user. Whether its files are still those is not checked.
    Sealed(InstallationRecord),
}

impl PackageCache {
    /// Returns the cache of this user. Creates nothing.
    ///
    /// # Errors
    /// If the user has no cache folder or no state folder, or one that may not be used for the
    /// project in `project`.
    pub fn of(environment: &Environment, project: &Path) -> Result<PackageCache, crate::Error> {
        let folder = environment.required_cache_folder(project)?;
        let state = environment.required_state_folder(project, "to remember packages in")?;
        Ok(PackageCache { folder, state })
    }

    /// Returns the folder of the packages.
    pub fn folder(&self) -> PathBuf {
        self.folder.join("packages")
    }

    /// Returns the closures that are kept.
    pub(super) fn closures(&self) -> ClosureStore {
        ClosureStore::in_cache(&self.folder)
    }

    /// Returns the key that seals the records.
    pub(super) fn key(&self) -> Result<InstallationKey, InstallError> {
        InstallationKey::load(&self.state)
    }

    /// Returns the name of the entry for a package: of everything that decides what its tree is,
    /// and which program of it is started.
    pub(super) fn entry_name(
        spec: &PackageSpec,
        package: &Package,
        closure: &str,
        platform: &str,
        key: &InstallationKey,
    ) -> String {
        let ecosystem = match package.ecosystem {
            Ecosystem::Npm => "npm",
            _ => "pypi",
        };
        let decides = json!({
            "closure": closure,
            "platform": platform,
            "package": [&package.name, &package.version],
            "variant": spec.variant(),
            "program": [spec.program(), package.program_of.as_deref()],
            // Users, or state folders, that share a cache have entries of their own.
            "key": key.id(),
        });
        let name: String = package.name.replace('/', "+").chars().take(MAX_NAME).collect();
        format!("{ecosystem}/{name}@{}~{}", package.version, &digest(&decides)[..MAX_KEY])
    }

    /// Returns the folder of an entry.
    pub(super) fn entry_folder(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Returns the folder of an entry's files.
    pub(super) fn tree(&self, name: &str) -> PathBuf {
        self.entry_folder(name).join(TREE)
    }

    /// Returns the folder of unfinished installations.
    pub(super) fn work(&self) -> PathBuf {
        self.folder().join(".work")
    }

    /// Makes the folders that an installation of an entry needs.
    pub(super) fn prepare(&self, name: &str) -> Result<(), InstallError> {
        let entry = self.entry_folder(name);
        let (packages, work) = (self.folder(), self.work());
        for folder in [&*self.folder, &packages, &work, entry.parent().unwrap_or(&packages)] {
            make_folder(folder)?;
        }
        Ok(())
    }

    /// Holds an entry, so that no other process removes it, as long as the lock lives.
    pub(super) fn hold(&self, name: &str) -> Result<FileLock, InstallError> {
        let path = self.lock_path(name)?;
        disk::lock_shared(&path).map_err(|error| InstallError::io("lock", &path, error))
    }

    /// Locks an entry that no process uses. Returns `None` if one does.
    pub(super) fn try_lock(&self, name: &str) -> Result<Option<FileLock>, InstallError> {
        let path = self.lock_path(name)?;
        disk::try_lock(&path).map_err(|error| InstallError::io("lock", &path, error))
    }

    fn lock_path(&self, name: &str) -> Result<PathBuf, InstallError> {
        let locks = self.folder().join(".locks");
        make_folder(&locks)?;
        Ok(locks.join(format!("{}.lock", name.replace('/', "-"))))
    }

    /// Reads the record of an entry.
    pub(super) fn entry(&self, name: &str, key: &InstallationKey) -> CacheEntry {
        let folder = self.entry_folder(name);
        if folder.symlink_metadata().is_err() {
            return CacheEntry::Missing;
        }
        let parents = [self.folder(), folder.clone(), folder.join(TREE)];
        if !parents.iter().all(|folder| is_own_folder(folder)) {
            return CacheEntry::Unusable;
        }
        let record = disk::read(&folder.join(RECORD), MAX_RECORD).ok();
        let record = record.and_then(|text| serde_json::from_slice(&text).ok());
        let own = |record: &InstallationRecord| record.name == name && key.verify(record);
        match record.filter(own) {
            Some(record) => CacheEntry::Sealed(record),
            None => CacheEntry::Unusable,
        }
    }

    /// Writes a record into the folder of an unfinished entry.
    pub(super) fn write_record(
        folder: &Path,
        record: &InstallationRecord,
    ) -> Result<(), InstallError> {
        let path = folder.join(RECORD);
        let text = serde_json::to_vec_pretty(record)
            .map_err(|error| InstallError::io("write", &path, error.into()))?;
        disk::replace(&path, &text, WriteDurability::Disk)
            .map_err(|error| InstallError::io("write", &path, error))
    }
}

//! One installation to make: what exactly, and where.
//!
//! **Invariant:** the package is the one that the launch line asks for, and its closure is the one
//! that was agreed to.

use super::error::InstallError;
use super::installation_record::InstallationRecord;
use super::installation_store::{FinishedInstall, InstallationStore};
use super::package_cache::{PackageCache, TREE};
use super::package_tool::Fetching;
use super::pypi;
use super::resolved_version::is_version;
use super::resolver::{check_closure, closure_of, platform};
use super::spec::{InstallScripts, PackageSpec};
use crate::disk;
use crate::model::{Ecosystem, Package, PackageClosure, escape};
use std::path::Path;

/// An installation to make.
#[derive(Clone)]
pub(super) struct InstallJob {
    pub(super) spec: PackageSpec,
    pub(super) package: Package,
    pub(super) closure: PackageClosure,
    /// The digest of the closure.
    pub(super) digest: String,
    pub(super) platform: String,
    /// The name of the entry in the cache.
    pub(super) name: String,
}

impl InstallJob {
    /// Returns what has to be installed for a package that was agreed to.
    ///
    /// # Errors
    /// If the launch line asks for another package, or if the closure is not the one that was agreed
    /// to.
    pub(super) async fn of(
        store: &InstallationStore,
        spec: &PackageSpec,
        package: &Package,
        fetching: Fetching,
    ) -> Result<InstallJob, InstallError> {
        check_agreement(spec, package)?;
        let closure = closure_of(store, spec, package, fetching).await?;
        check_closure(spec, package, &closure)?;
        let platform = platform(store, spec, fetching).await?;
        let (digest, key) = (closure.digest(), store.cache()?.key()?);
        let name = PackageCache::entry_name(spec, package, &digest, &platform, &key);
        let (spec, package) = (spec.clone(), package.clone());
        Ok(InstallJob { spec, package, closure, digest, platform, name })
    }

    /// Checks the files in `stage`, makes them read-only, and writes their record beside them.
    pub(super) fn finish_staged(
        &self,
        store: &InstallationStore,
        packages: u64,
        stage: &Path,
    ) -> Result<InstallationRecord, InstallError> {
        let InstallJob { spec, package, closure, digest, platform, name } = self;
        let (cache, tree) = (store.cache()?, stage.join(TREE));
        if package.ecosystem == Ecosystem::Pypi {
            pypi::finish(&tree, &cache.tree(name), package, closure)?;
        }
        let finished = FinishedInstall {
            spec,
            package,
            closure: digest,
            platform,
            packages,
            name,
            tree: &tree,
        };
        let record = cache.key()?.seal(finished.record()?);
        disk::make_read_only(&tree)
            .map_err(|error| InstallError::io("make the folder read-only", &tree, error))?;
        PackageCache::write_record(stage, &record)?;
        Ok(record)
    }
}

/// Checks that a package is still the one that the launch line asks for, and that its version is
/// safe in a path. The package may have been read from a journal.
fn check_agreement(spec: &PackageSpec, package: &Package) -> Result<(), InstallError> {
    let mismatch = |what, agreed: &str, found: &str| InstallError::Mismatch {
        package: escape(&package.name).into_owned(),
        what,
        agreed: escape(agreed).into_owned(),
        found: escape(found).into_owned(),
    };
    if package.ecosystem != spec.ecosystem() || package.name != spec.package().name {
        return Err(mismatch("the name", &package.name, &spec.package().name));
    }
    let beside: Vec<String> = spec.beside().iter().map(ToString::to_string).collect();
    if package.beside != beside {
        return Err(mismatch("what comes beside it", &package.beside.join(" "), &beside.join(" ")));
    }
    let named = |name: &str| package.program_of.as_deref().is_none_or(|of| of == name);
    if !named(&package.name) && !spec.beside().iter().any(|one| named(&one.name)) {
        let of = package.program_of.as_deref().unwrap_or_default();
        return Err(mismatch("the package whose program is started", of, &package.name));
    }
    if spec.scripts() == InstallScripts::Allowed && !package.scripts {
        return Err(mismatch("whether code of it may run", "no", "yes"));
    }
    match is_version(&package.version) {
        true => Ok(()),
        false => Err(mismatch("the version", &package.version, "none")),
    }
}

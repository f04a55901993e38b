//! Installs one exact version, and checks that it is the one that was agreed to.
//!
//! npm first writes a lock file of everything that it would install, at all depths. That is checked
//! and then installed exactly so, without scripts.

use super::super::error::InstallError;
use super::super::spec::{InstallScripts, PackageSpec};
use super::guard::{NpmSpawnGuard, check_success};
use super::resolve::QUIET_FLAGS;
use super::scripts;
use crate::config::Environment;
use crate::disk;
use crate::install::folders::ScratchFolder;
use crate::install::npm::package_lock::{PackageLock, authority};
use crate::install::package_tool::PackageTool;
use crate::model::{Package, WriteDurability, cut};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// npm requires a package at its root. This one is private and is never published.
const ROOT_PACKAGE: &str = "{ \"name\": \"pml-deps\", \"private\": true }\n";

/// The public registry. npm replaces it with the user's own wherever a lock file names it.
const PUBLIC_HOST: &str = "registry.npmjs.org";

/// Flags of both steps. They leave npm without a `git` program.
const COMMON_FLAGS: &[&str] = &[
    "--package-lock",
    "--lockfile-version=3",
    "--install-strategy=hoisted",
    "--omit=dev",
    "--ignore-scripts",
    "--no-install-links",
    "--no-omit-lockfile-registry-resolved",
    "--git=/dev/null/git",
    "--allow-git=none",
    // The version is exact, so the cached copy is as good as that of the registry.
    "--prefer-offline",
];

/// Installs into `folder`, which is empty. `home` is the user's state folder.
pub(in super::super) async fn install(
    tool: &PackageTool<'_>,
    environment: &Environment,
    spec: &PackageSpec,
    package: &Package,
    folder: &Path,
    home: &Path,
) -> Result<(), InstallError> {
    let root = folder.join("package.json");
    disk::replace(&root, ROOT_PACKAGE.as_bytes(), WriteDurability::Process)
        .map_err(|error| InstallError::io("write", &root, error))?;
    let guard = NpmSpawnGuard::new(tool, home)?;
    let npm = guard.guarded(*tool);
    let prefix = format!("--prefix={}", folder.display());
    let mut arguments = vec!["install", &prefix, "--package-lock-only", "--save", "--save-exact"];
    arguments.extend(COMMON_FLAGS.iter().chain(QUIET_FLAGS));
    let mut packages = vec![spec.package().pinned(&package.version)];
    packages.extend(spec.beside().iter().map(ToString::to_string));
    arguments.push("--");
    arguments.extend(packages.iter().map(String::as_str));
    check_success(&npm, &package.name, npm.run(arguments).await?)?;
    let lock = PackageLock::read(tool, &folder.join("package-lock.json"))?;
    let hosts = hosts(&npm, package, &lock, &prefix).await?;
    lock.check(&package.name, &hosts)?;
    check_agreement(&lock, package)?;
    let arguments =
        ["ci", &prefix].into_iter().chain(COMMON_FLAGS.iter().chain(QUIET_FLAGS).copied());
    check_success(&npm, &package.name, npm.run(arguments).await?)?;
    // A package can contain a lock file of its own, which npm reads after unpacking it.
    let installed = PackageLock::read(tool, &folder.join("node_modules/.package-lock.json"))?;
    installed.check(&package.name, &hosts)?;
    check_agreement(&installed, package)?;
    match spec.scripts() {
        InstallScripts::Refused => Ok(()),
        InstallScripts::Allowed => {
            scripts::run(tool, environment, &ScratchFolder::new(home)?, folder).await
        }
    }
}

/// Returns the hosts that packages may come from: that of the registry which resolved the package
/// and the public one. If the lock file names any other, those of all registries in the user's
/// settings are added.
async fn hosts(
    npm: &PackageTool<'_>,
    package: &Package,
    lock: &PackageLock,
    prefix: &str,
) -> Result<BTreeSet<String>, InstallError> {
    let mut hosts: BTreeSet<String> =
        [package.source.to_ascii_lowercase(), PUBLIC_HOST.into()].into();
    if lock.hosts().is_subset(&hosts) {
        return Ok(hosts);
    }
    let arguments =
        ["config", "ls", "--json", prefix].into_iter().chain(QUIET_FLAGS.iter().copied());
    let output = npm.check_success(npm.run(arguments).await?)?;
    let settings: Value = serde_json::from_slice(&output)
        .map_err(|_| npm.unreadable("what it lists of its settings is no JSON"))?;
    let settings = settings.as_object().into_iter().flatten();
    let registries =
        settings.filter(|(name, _)| *name == "registry" || name.ends_with(":registry"));
    hosts.extend(registries.filter_map(|(_, url)| {
        let url = url.as_str()?;
        authority(&format!("{}/", url.trim_end_matches('/')))
    }));
    Ok(hosts)
}

/// Checks that npm's lock file has the package that was agreed to.
fn check_agreement(lock: &PackageLock, package: &Package) -> Result<(), InstallError> {
    let found = lock.package(&package.name);
    let mismatch = |what, agreed: &str, found: &Value| InstallError::Mismatch {
        package: package.name.clone(),
        what,
        agreed: agreed.into(),
        found: cut(&crate::model::escape(found.as_str().unwrap_or("nothing")), 200),
    };
    if found["version"].as_str() != Some(&package.version) {
        return Err(mismatch("the version", &package.version, &found["version"]));
    }
    match &package.integrity {
        Some(agreed) if found["integrity"].as_str() != Some(agreed) => {
            Err(mismatch("the integrity", agreed, &found["integrity"]))
        }
        _ => Ok(()),
    }
}

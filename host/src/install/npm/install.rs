//! Installs one exact version, and checks that it is the one that was agreed to.
//!
//! npm first writes a lock file of everything that it would install, at all depths. That is checked
//! and then installed exactly so, without scripts.

use super::super::error::InstallError;
use super::super::spec::{InstallScripts, PackageSpec};
use super::guard::{NpmSpawnGuard, succeeded};
use super::resolve::PLAIN;
use super::scripts;
use crate::config::Environment;
use crate::disk;
use crate::install::folders::ScratchFolder;
use crate::install::npm::package_lock::{PackageLock, authority};
use crate::install::package_tool::PackageTool;
use crate::model::{Package, cut};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// npm requires a package at its root. This one is private and is never published.
const ROOT: &str = "{ \"name\": \"pml-deps\", \"private\": true }\n";

/// The public registry. npm replaces it with the user's own wherever a lock file names it.
const PUBLIC: &str = "registry.npmjs.org";

/// Flags of both steps. They leave npm without a `git` program.
const BOTH: &[&str] = &[
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
    disk::replace(&root, ROOT.as_bytes(), disk::FileDurability::Process)
        .map_err(|error| InstallError::io("write", &root, error))?;
    let guard = NpmSpawnGuard::new(tool, home)?;
    let npm = guard.over(*tool);
    let prefix = format!("--prefix={}", folder.display());
    let mut line = vec!["install", &prefix, "--package-lock-only", "--save", "--save-exact"];
    line.extend(BOTH.iter().chain(PLAIN));
    let mut packages = vec![spec.package().pinned(&package.version)];
    packages.extend(spec.beside().iter().map(ToString::to_string));
    line.push("--");
    line.extend(packages.iter().map(String::as_str));
    succeeded(&npm, &package.name, npm.run(line).await?)?;
    let lock = PackageLock::read(tool, &folder.join("package-lock.json"))?;
    let hosts = hosts(&npm, package, &lock, &prefix).await?;
    lock.check(&package.name, &hosts)?;
    agrees(&lock, package)?;
    let line = ["ci", &prefix].into_iter().chain(BOTH.iter().chain(PLAIN).copied());
    succeeded(&npm, &package.name, npm.run(line).await?)?;
    // A package can contain a lock file of its own, which npm reads after unpacking it.
    let installed = PackageLock::read(tool, &folder.join("node_modules/.package-lock.json"))?;
    installed.check(&package.name, &hosts)?;
    agrees(&installed, package)?;
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
    let mut hosts: BTreeSet<String> = [package.source.to_ascii_lowercase(), PUBLIC.into()].into();
    if lock.hosts().is_subset(&hosts) {
        return Ok(hosts);
    }
    let line = ["config", "ls", "--json", prefix].into_iter().chain(PLAIN.iter().copied());
    let said = npm.succeeded(npm.run(line).await?)?;
    let settings: Value = serde_json::from_slice(&said)
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
fn agrees(lock: &PackageLock, package: &Package) -> Result<(), InstallError> {
    let found = lock.package(&package.name);
    let other = |what, agreed: &str, found: &Value| InstallError::Mismatch {
        package: package.name.clone(),
        what,
        agreed: agreed.into(),
        found: cut(&crate::model::escape(found.as_str().unwrap_or("nothing")), 200),
    };
    if found["version"].as_str() != Some(&package.version) {
        return Err(other("the version", &package.version, &found["version"]));
    }
    match &package.integrity {
        Some(agreed) if found["integrity"].as_str() != Some(agreed) => {
            Err(other("the integrity", agreed, &found["integrity"]))
        }
        _ => Ok(()),
    }
}

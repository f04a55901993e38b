//! Lets npm decide which packages belong to one exact version of a package: it writes a lock file
//! of everything that it would install, at all depths. The file is checked and becomes a closure.

use super::super::error::InstallError;
use super::super::spec::PackageSpec;
use super::guard::check_success;
use super::package_lock::{PackageLock, authority};
use super::resolve::{QUIET_FLAGS, fetch_flags};
use crate::disk;
use crate::install::package_tool::PackageTool;
use crate::install::resolved_version::ResolvedVersion;
use crate::model::{PackageClosure, WriteDurability, cut, escape};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// npm requires a package at its root. This one is private and is never published.
const ROOT_PACKAGE: &str = "{ \"name\": \"pml-deps\", \"private\": true }\n";

/// The public registry. npm replaces it with the user's own wherever a lock file names it.
const PUBLIC_HOST: &str = "registry.npmjs.org";

/// Flags of every npm that locks or installs. They leave npm without a `git` program.
pub(super) const COMMON_FLAGS: &[&str] = &[
    "--package-lock",
    "--lockfile-version=3",
    "--install-strategy=hoisted",
    "--omit=dev",
    "--ignore-scripts",
    "--no-install-links",
    "--no-omit-lockfile-registry-resolved",
    "--git=/dev/null/git",
    "--allow-git=none",
    // The versions are exact, so cached copies are as good as those of the registry.
    "--prefer-offline",
];

/// Returns the packages that npm would install for a version of the package that `spec` names.
/// `folder` is empty.
pub(super) async fn closure(
    npm: &PackageTool<'_>,
    spec: &PackageSpec,
    resolved: &ResolvedVersion,
    folder: &Path,
) -> Result<PackageClosure, InstallError> {
    let name = &spec.package().name;
    let root = folder.join("package.json");
    disk::replace(&root, ROOT_PACKAGE.as_bytes(), WriteDurability::Process)
        .map_err(|error| InstallError::io("write", &root, error))?;
    let prefix = format!("--prefix={}", folder.display());
    let mut arguments = vec!["install", &prefix, "--package-lock-only", "--save", "--save-exact"];
    arguments.extend(COMMON_FLAGS.iter().chain(QUIET_FLAGS).chain(fetch_flags(npm)));
    let mut packages = vec![spec.package().pinned(&resolved.version)];
    packages.extend(spec.beside().iter().map(ToString::to_string));
    arguments.push("--");
    arguments.extend(packages.iter().map(String::as_str));
    check_success(npm, name, npm.run(arguments).await?)?;
    let lock = PackageLock::read(npm, &folder.join("package-lock.json"))?;
    let hosts = hosts(npm, &resolved.source, &lock, &prefix).await?;
    lock.check(name, &hosts)?;
    check_resolved(&lock, name, resolved)?;
    Ok(lock.closure())
}

/// Returns the hosts that packages may come from: that of the registry which resolved the package
/// and the public one. If the lock file names any other, those of all registries in the user's
/// settings are added.
async fn hosts(
    npm: &PackageTool<'_>,
    source: &str,
    lock: &PackageLock,
    prefix: &str,
) -> Result<BTreeSet<String>, InstallError> {
    let mut hosts: BTreeSet<String> = [source.to_ascii_lowercase(), PUBLIC_HOST.into()].into();
    if lock.hosts().is_subset(&hosts) {
        return Ok(hosts);
    }
    let registries = registries(npm, prefix).await?;
    hosts.extend(registries.into_iter().filter_map(|(_, url)| authority(&url)));
    Ok(hosts)
}

/// Returns the host of the registry that the user's settings name for a package.
pub(super) async fn registry_host(
    npm: &PackageTool<'_>,
    package: &str,
    prefix: &str,
) -> Result<String, InstallError> {
    let scope = package.split_once('/').map(|(scope, _)| format!("{scope}:registry"));
    let registries = registries(npm, prefix).await?;
    let of = |name: &str| registries.iter().find(|(known, _)| known == name);
    let found = scope.as_deref().and_then(of).or_else(|| of("registry"));
    Ok(found.and_then(|(_, url)| authority(url)).unwrap_or_else(|| PUBLIC_HOST.into()))
}

/// Returns the registries in the user's settings, by the name of the setting.
async fn registries(
    npm: &PackageTool<'_>,
    prefix: &str,
) -> Result<Vec<(String, String)>, InstallError> {
    let arguments =
        ["config", "ls", "--json", prefix].into_iter().chain(QUIET_FLAGS.iter().copied());
    let output = npm.check_success(npm.run(arguments).await?)?;
    let settings: Value = serde_json::from_slice(&output)
        .map_err(|_| npm.unreadable("what it lists of its settings is no JSON"))?;
    let settings = settings.as_object().into_iter().flatten();
    let registries =
        settings.filter(|(name, _)| *name == "registry" || name.ends_with(":registry"));
    let slashed = |url: &str| format!("{}/", url.trim_end_matches('/'));
    Ok(registries.filter_map(|(name, url)| Some((name.clone(), slashed(url.as_str()?)))).collect())
}

/// Checks that npm's lock file has the version that the registry resolved.
fn check_resolved(
    lock: &PackageLock,
    name: &str,
    resolved: &ResolvedVersion,
) -> Result<(), InstallError> {
    let found = lock.package(name);
    let mismatch = |what, agreed: &str, found: &Value| InstallError::Mismatch {
        package: name.into(),
        what,
        agreed: agreed.into(),
        found: cut(&escape(found.as_str().unwrap_or("nothing")), 200),
    };
    if found["version"].as_str() != Some(&resolved.version) {
        return Err(mismatch("the version", &resolved.version, &found["version"]));
    }
    match &resolved.integrity {
        Some(agreed) if found["integrity"].as_str() != Some(agreed) => {
            Err(mismatch("the integrity", agreed, &found["integrity"]))
        }
        _ => Ok(()),
    }
}

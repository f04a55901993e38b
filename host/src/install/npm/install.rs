//! Installs one exact version, and checks that it is the one that was agreed to.
//!
//! npm first says what it would install, all the way down. That is checked, and then installed as
//! it is, without scripts.

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

/// npm takes its root for a package: one of ours, which nobody publishes.
const ROOT: &str = "{ \"name\": \"pml-deps\", \"private\": true }\n";

/// The registry that npm replaces with the user's own, wherever a lock names it.
const PUBLIC: &str = "registry.npmjs.org";

/// What holds for both steps. Whatever is wanted from git, there is no git.
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
    // The version is exact: what the cache has of it is as good as what the registry has.
    "--prefer-offline",
];

/// Fills `folder`, which is empty. `home` is the user's own.
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
    // A package can bring a lock of its own, which npm reads when it has unpacked it.
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

/// Returns the hosts that packages may come from: that of the registry that was asked about, the
/// public one, and if the lock names any other, those of all that the user's settings name.
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

/// Holds what npm installs against what was agreed to.
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

//! Installs one exact version, and checks that it is the one that was agreed to.

use super::super::error::InstallError;
use super::super::spec::{Scripts, Spec};
use super::super::tool::Tool;
use super::resolve::PLAIN;
use crate::disk;
use crate::model::{Package, cut};
use serde_json::Value;
use std::path::Path;

/// A lock file of thousands of packages.
const LOCK: u64 = 32 << 20;

/// npm takes its root for a package: one of ours, which nobody publishes.
const ROOT: &str = "{ \"name\": \"pml-deps\", \"private\": true }\n";

/// Fills `folder`, which is empty.
pub(in super::super) async fn install(
    tool: &Tool<'_>,
    spec: &Spec,
    package: &Package,
    folder: &Path,
) -> Result<(), InstallError> {
    let root = folder.join("package.json");
    disk::replace(&root, ROOT.as_bytes(), disk::Safe::Process)
        .map_err(|error| InstallError::io("write", &root, error))?;
    let prefix = format!("--prefix={}", folder.display());
    let mut line = vec!["install", &prefix, "--save", "--save-exact", "--package-lock"];
    // The version is exact: what the cache has of it is as good as what the registry has.
    line.extend(["--install-strategy=hoisted", "--omit=dev", "--prefer-offline"]);
    if spec.scripts() == Scripts::Refused {
        line.push("--ignore-scripts");
    }
    line.extend(PLAIN);
    let mut packages = vec![spec.package().pinned(&package.version)];
    packages.extend(spec.beside().iter().map(ToString::to_string));
    line.push("--");
    line.extend(packages.iter().map(String::as_str));
    let ended = tool.run(line).await?;
    tool.succeeded(ended)?;
    check(tool, spec, package, folder)
}

/// Holds what npm says it installed against what was agreed to.
fn check(
    tool: &Tool<'_>,
    spec: &Spec,
    package: &Package,
    folder: &Path,
) -> Result<(), InstallError> {
    let path = folder.join("package-lock.json");
    let lock = disk::read(&path, LOCK).map_err(|error| InstallError::io("read", &path, error))?;
    let lock: Value = serde_json::from_slice(&lock)
        .map_err(|_| tool.unreadable("its `package-lock.json` is no JSON"))?;
    let found = &lock["packages"][format!("node_modules/{}", spec.package().name)];
    let other = |what, agreed: &str, found: &Value| InstallError::Other {
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

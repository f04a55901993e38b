//! Installs exactly the packages of a closure, and checks that these and no others are there.
//!
//! npm gets a lock file that is made of the closure alone, and installs it without scripts.

use super::super::error::InstallError;
use super::super::spec::{InstallScripts, PackageSpec};
use super::closure_files::closure_files;
use super::declared::{check_declared, check_names};
use super::guard::{NpmSpawnGuard, check_success};
use super::lock::COMMON_FLAGS;
use super::package_lock::PackageLock;
use super::resolve::{QUIET_FLAGS, fetch_flags};
use super::scripts;
use crate::config::Environment;
use crate::disk;
use crate::install::folders::ScratchFolder;
use crate::install::package_tool::PackageTool;
use crate::model::{Package, PackageClosure, WriteDurability};
use serde_json::Value;
use std::path::Path;

/// Installs into `folder`, which is empty. `home` is the user's state folder. Returns the number of
/// installed packages.
pub(in super::super) async fn install(
    tool: &PackageTool<'_>,
    environment: &Environment,
    spec: &PackageSpec,
    agreed: (&Package, &PackageClosure),
    folder: &Path,
    home: &Path,
) -> Result<u64, InstallError> {
    let (package, closure) = agreed;
    let beside = spec.beside().iter().map(|one| one.name.as_str());
    let roots: Vec<&str> = std::iter::once(package.name.as_str()).chain(beside).collect();
    let (manifest, lock) = closure_files(&package.name, closure, &roots)?;
    write(&folder.join("package.json"), &manifest)?;
    write(&folder.join("package-lock.json"), &lock)?;
    let guard = NpmSpawnGuard::new(tool, home)?;
    let npm = guard.guarded(*tool);
    let prefix = format!("--prefix={}", folder.display());
    let mut arguments = vec!["ci", &prefix];
    arguments.extend(COMMON_FLAGS.iter().chain(QUIET_FLAGS).chain(fetch_flags(&npm)));
    check_success(&npm, &package.name, npm.run(arguments).await?)?;
    // A package can contain a lock file of its own, which npm may read after unpacking it.
    let hidden = folder.join("node_modules/.package-lock.json");
    let packages = PackageLock::read(tool, &hidden)?.check_installed(package, closure)?;
    // The lock file does not say which packages have scripts and programs, nor what they ask for.
    // Without it, npm reads that from the packages.
    std::fs::remove_file(&hidden).map_err(|error| InstallError::io("remove", &hidden, error))?;
    check_names(&package.name, closure, &roots, folder)?;
    // The launch line may ask for a range: the version must be in it.
    let mut wanted = manifest.clone();
    if let Some(range) = spec.package().range() {
        wanted["dependencies"][package.name.as_str()] = range.into();
    }
    write(&folder.join("package.json"), &wanted)?;
    check_declared(&npm, &package.name, closure, folder).await?;
    write(&folder.join("package.json"), &manifest)?;
    if spec.scripts() == InstallScripts::Allowed {
        scripts::run(tool, environment, &ScratchFolder::new(home)?, folder).await?;
    }
    Ok(packages)
}

fn write(path: &Path, json: &Value) -> Result<(), InstallError> {
    let text = format!("{json:#}\n");
    disk::replace(path, text.as_bytes(), WriteDurability::Process)
        .map_err(|error| InstallError::io("write", path, error))
}

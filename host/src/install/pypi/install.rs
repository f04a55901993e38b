//! Makes a virtual environment with one exact version in it, and readies it for its place.

use super::super::error::InstallError;
use super::super::spec::Spec;
use super::super::tool::Tool;
use super::backend::Backend;
use super::{pip, uv};
use crate::model::Package;
use std::fs;
use std::path::Path;

/// Scripts are short; what is larger is a program of another kind, and knows no folder.
const SCRIPT: u64 = 1 << 20;

/// Fills `folder`, which is empty.
pub(in super::super) async fn install(
    backend: &Backend,
    tool: &Tool<'_>,
    spec: &Spec,
    package: &Package,
    folder: &Path,
) -> Result<(), InstallError> {
    match backend {
        Backend::Uv(_) => uv::install(tool, spec, package, folder).await,
        Backend::Pip(_) => pip::install(tool, spec, package, folder).await,
    }
}

/// Has the scripts of a virtual environment name the place that it goes to.
pub(in super::super) fn settle(folder: &Path, place: &Path) -> Result<(), InstallError> {
    let (old, new) = (folder.to_string_lossy(), place.to_string_lossy());
    let bin = folder.join("bin");
    let entries = fs::read_dir(&bin).map_err(|error| InstallError::io("read", &bin, error))?;
    let scripts = entries.flatten().map(|entry| entry.path());
    for path in scripts.chain([folder.join("pyvenv.cfg")]) {
        let plain = path.symlink_metadata().is_ok_and(|it| it.is_file() && it.len() <= SCRIPT);
        let Ok(text) = (if plain { fs::read_to_string(&path) } else { continue }) else { continue };
        if text.contains(&*old) {
            // Written over, and not replaced: it keeps its mode.
            fs::write(&path, text.replace(&*old, &new))
                .map_err(|error| InstallError::io("write", &path, error))?;
        }
    }
    Ok(())
}

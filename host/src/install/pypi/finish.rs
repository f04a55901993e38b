//! Prepares a virtual environment for its final folder.

use super::super::error::InstallError;
use super::closure;
use super::declared;
use super::distribution::Distribution;
use super::sources;
use crate::install::pypi::launchers;
use crate::model::{Package, PackageClosure};
use std::fs;
use std::path::Path;

/// Maximum size of a script, in bytes. Larger files are other kinds of programs, which do not
/// contain the path of the environment.
const MAX_SCRIPT: u64 = 1 << 20;

/// Checks that `closure` was installed, writes the launchers for the programs of `package`, and changes the
/// path of the environment in its scripts from `folder` to `target`.
pub(in super::super) fn finish(
    folder: &Path,
    target: &Path,
    package: &Package,
    closure: &PackageClosure,
) -> Result<(), InstallError> {
    let all = Distribution::all(folder)?;
    closure::check_installed(package, closure, &all)?;
    sources::check(folder, package, &all)?;
    declared::check(folder, package, &all)?;
    launchers::make(folder, package, &all)?;
    let (old, new) = (folder.to_string_lossy(), target.to_string_lossy());
    let bin = folder.join("bin");
    let entries = fs::read_dir(&bin).map_err(|error| InstallError::io("read", &bin, error))?;
    let scripts = entries.flatten().map(|entry| entry.path());
    for path in scripts.chain([folder.join("pyvenv.cfg")]) {
        let plain = path.symlink_metadata().is_ok_and(|it| it.is_file() && it.len() <= MAX_SCRIPT);
        let Ok(text) = (if plain { fs::read_to_string(&path) } else { continue }) else { continue };
        if text.contains(&*old) {
            // The file is overwritten and not replaced, so it keeps its mode.
            fs::write(&path, text.replace(&*old, &new))
                .map_err(|error| InstallError::io("write", &path, error))?;
        }
    }
    Ok(())
}

//! Compiles what was installed, so that servers start fast: nothing is written into the folder
//! later.
//!
//! **Invariant:** nothing of the packages runs. The interpreter is the machine's own, as it was
//! before they came, and it is told to look neither at their folder (`-S`: no `.pth`, no
//! `sitecustomize`) nor at its variables (`-I`).

use super::super::error::InstallError;
use crate::install::package_tool::PackageTool;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the interpreter that a virtual environment was made with. Packages can bring a
/// `bin/python` of their own: this is asked before they come.
pub(super) fn interpreter(folder: &Path) -> Result<PathBuf, InstallError> {
    let link = folder.join("bin/python");
    link.canonicalize().map_err(|error| InstallError::io("find", &link, error))
}

/// Returns where packages lie in a virtual environment, seen from its folder.
pub(super) fn site(folder: &Path) -> Result<PathBuf, InstallError> {
    let lib = folder.join("lib");
    let failed = |error| InstallError::io("read", &lib, error);
    let entries = fs::read_dir(&lib).map_err(failed)?.flatten();
    let mut sites =
        entries.map(|entry| Path::new("lib").join(entry.file_name()).join("site-packages"));
    let is_there = |site: &PathBuf| folder.join(site).is_dir();
    sites.find(is_there).ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
}

/// Compiles all packages. What was compiled before they came is not trusted: a package can bring
/// that of another.
pub(super) async fn compile(
    tool: &PackageTool<'_>,
    interpreter: &Path,
    folder: &Path,
) -> Result<(), InstallError> {
    let packages = folder.join(site(folder)?);
    let packages = packages.to_string_lossy();
    let line = ["-I", "-S", "-m", "compileall", "-q", "-f", "-j", "0", &packages];
    // Packages have files that are for other versions of Python. They are compiled when they are
    // used, or never.
    tool.without_keys().by(interpreter).run(line).await.map(|_| ())
}

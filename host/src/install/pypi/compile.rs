//! Compiles the installed packages, so that servers start fast and no file is written into the
//! folder later.
//!
//! **Invariant:** no code of the packages runs. The interpreter is the machine's own, found before
//! the packages were installed. It ignores their folder (`-S`: no `.pth`, no `sitecustomize`) and
//! its variables (`-I`).

use super::super::error::InstallError;
use crate::install::package_tool::PackageTool;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the interpreter that a virtual environment was made with. It must be called before
/// packages are installed, since they can contain a `bin/python` of their own.
pub(super) fn interpreter(folder: &Path) -> Result<PathBuf, InstallError> {
    let link = folder.join("bin/python");
    link.canonicalize().map_err(|error| InstallError::io("find", &link, error))
}

/// Returns the `site-packages` folder of a virtual environment, relative to its folder.
pub(super) fn site_packages(folder: &Path) -> Result<PathBuf, InstallError> {
    let lib = folder.join("lib");
    let failed = |error| InstallError::io("read", &lib, error);
    let entries = fs::read_dir(&lib).map_err(failed)?.flatten();
    let mut sites =
        entries.map(|entry| Path::new("lib").join(entry.file_name()).join("site-packages"));
    let is_there = |site: &PathBuf| folder.join(site).is_dir();
    sites.find(is_there).ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
}

/// Compiles all packages. Existing compiled files are not trusted and replaced, since a package can
/// contain those of another.
pub(super) async fn compile(
    tool: &PackageTool<'_>,
    interpreter: &Path,
    folder: &Path,
) -> Result<(), InstallError> {
    let packages = folder.join(site_packages(folder)?);
    let packages = packages.to_string_lossy();
    let arguments = ["-I", "-S", "-m", "compileall", "-q", "-f", "-j", "0", &packages];
    // Packages contain files for other versions of Python, which cannot be compiled. So the exit
    // status is ignored.
    tool.without_keys().with_program(interpreter).run(arguments).await.map(|_| ())
}

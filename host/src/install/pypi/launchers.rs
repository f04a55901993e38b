//! Writes the launchers: files that start the programs of a package.
//!
//! A script in `bin` belongs to the package that was installed last, and Python would first search
//! `bin` for everything that it imports. So each program of the package that was agreed to gets a
//! launcher of ours, in a folder without other files.

use super::super::error::InstallError;
use super::distribution::{Distribution, EntryPoint, is_program_name};
use crate::disk;
use crate::install::package_program::shebang;
use crate::model::Package;
use std::fs;
use std::path::Path;

/// The folder of the launchers, relative to the environment's.
pub(super) const FOLDER: &str = "pml-start";

/// The first line of a script that finds its interpreter by itself.
const SHELL: &[&str] = &["/bin/sh"];

/// Writes a launcher for each program of `package`.
pub(super) fn make(
    folder: &Path,
    package: &Package,
    all: &[Distribution],
) -> Result<(), InstallError> {
    let launchers = folder.join(FOLDER);
    if launchers.symlink_metadata().is_ok() {
        return Err(InstallError::Shadowed {
            package: package.name.clone(),
            what: format!("`{FOLDER}` of its environment"),
            by: "a package that comes with it".into(),
        });
    }
    disk::make_private_folder(&launchers)
        .map_err(|error| InstallError::io("make the folder", &launchers, error))?;
    for own in all.iter().filter(|one| one.matches(package)) {
        for (name, entry_point) in &own.entry_points {
            write(&launchers.join(name), &entry_point_launcher(entry_point))?;
        }
        let scripts = own.files().filter(|file| file.parent() == Some(Path::new("bin")));
        for script in scripts {
            let Some(name) = script.file_name().and_then(|name| name.to_str()) else { continue };
            let is_own = is_program_name(name) && own.entry_point(name).is_none();
            if is_own && is_for_python(&folder.join(script)) {
                write(&launchers.join(name), &script_launcher(name))?;
            }
        }
    }
    Ok(())
}

/// Reports whether a script is for Python.
pub(super) fn is_for_python(path: &Path) -> bool {
    // If the interpreter's path is too long for the OS, the script starts with a shell, in text
    // that Python can read, too.
    shebang(path)
        .is_some_and(|words| words.iter().any(|word| word.contains("python")) || words == SHELL)
}

fn write(path: &Path, text: &str) -> Result<(), InstallError> {
    fs::write(path, text).map_err(|error| InstallError::io("write", path, error))
}

/// Removes the launchers' folder from the import path, since a program can have the name of a
/// module.
const PREAMBLE: &str = "import os\nimport sys\n\nif __name__ == \"__main__\":\n    \
    here = os.path.dirname(os.path.abspath(__file__))\n    \
    sys.path[:] = [at for at in sys.path if os.path.abspath(at) != here]\n";

fn entry_point_launcher(entry_point: &EntryPoint) -> String {
    let (module, attribute) = (&entry_point.module, &entry_point.attribute);
    let first = attribute.split('.').next().unwrap_or(attribute);
    format!("{PREAMBLE}    from {module} import {first}\n\n    sys.exit({attribute}())\n")
}

fn script_launcher(name: &str) -> String {
    format!(
        "{PREAMBLE}    import runpy\n\n    \
        runpy.run_path(os.path.join(here, \"..\", \"bin\", {name:?}), run_name=\"__main__\")\n"
    )
}

//! Writes the launchers: files that start the programs of a package.
//!
//! A script in `bin` belongs to the package that was installed last, and Python would first search
//! `bin` for everything that it imports. So each program of the package that was agreed to gets a
//! launcher of ours, in a folder without other files.

use super::super::error::InstallError;
use super::distribution::{Distribution, EntryPoint, is_program};
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
    let at = folder.join(FOLDER);
    if at.symlink_metadata().is_ok() {
        return Err(InstallError::Shadowed {
            package: package.name.clone(),
            what: format!("`{FOLDER}` of its environment"),
            by: "a package that comes with it".into(),
        });
    }
    disk::make_private_folder(&at)
        .map_err(|error| InstallError::io("make the folder", &at, error))?;
    for own in all.iter().filter(|one| one.is(package)) {
        for (name, function) in &own.functions {
            write(&at.join(name), &calling(function))?;
        }
        let scripts = own.files().filter(|file| file.parent() == Some(Path::new("bin")));
        for script in scripts {
            let Some(name) = script.file_name().and_then(|name| name.to_str()) else { continue };
            let is_own = is_program(name) && own.function(name).is_none();
            if is_own && is_for_python(&folder.join(script)) {
                write(&at.join(name), &running(name))?;
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
const BEGINNING: &str = "import os\nimport sys\n\nif __name__ == \"__main__\":\n    \
    here = os.path.dirname(os.path.abspath(__file__))\n    \
    sys.path[:] = [at for at in sys.path if os.path.abspath(at) != here]\n";

fn calling(function: &EntryPoint) -> String {
    let (module, called) = (&function.module, &function.called);
    let first = called.split('.').next().unwrap_or(called);
    format!("{BEGINNING}    from {module} import {first}\n\n    sys.exit({called}())\n")
}

fn running(name: &str) -> String {
    format!(
        "{BEGINNING}    import runpy\n\n    \
        runpy.run_path(os.path.join(here, \"..\", \"bin\", {name:?}), run_name=\"__main__\")\n"
    )
}

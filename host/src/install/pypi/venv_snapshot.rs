//! A snapshot of a virtual environment before packages are installed. No package may change these
//! files, such as the interpreter and its settings.

use super::super::error::InstallError;
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum number of files in a snapshot. A fresh environment has some twenty.
const MAX_FILES: usize = 200;

/// The files of a fresh environment.
pub(super) struct VenvSnapshot(Vec<(PathBuf, SnapshotContent)>);

#[derive(PartialEq, Eq)]
enum SnapshotContent {
    Link(PathBuf),
    File(Vec<u8>),
}

impl VenvSnapshot {
    /// Reads an environment without packages.
    pub(super) fn of(folder: &Path) -> Result<VenvSnapshot, InstallError> {
        let mut found = Vec::new();
        list_files(folder, Path::new(""), &mut found)?;
        Ok(VenvSnapshot(found))
    }

    /// Refuses an environment in which any of these files changed.
    pub(super) fn check(&self, folder: &Path, package: &str) -> Result<(), InstallError> {
        for (name, before) in &self.0 {
            let now = content(&folder.join(name));
            if now.as_ref().ok() != Some(before) {
                return Err(InstallError::Shadowed {
                    package: package.into(),
                    what: format!("`{}` of its environment", name.display()),
                    by: "a package that comes with it".into(),
                });
            }
        }
        Ok(())
    }
}

fn list_files(
    folder: &Path,
    inside: &Path,
    found: &mut Vec<(PathBuf, SnapshotContent)>,
) -> Result<(), InstallError> {
    let path = folder.join(inside);
    let failed = |error| InstallError::io("read", &path, error);
    for entry in fs::read_dir(&path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = inside.join(entry.file_name());
        if entry.file_type().map_err(failed)?.is_dir() {
            list_files(folder, &name, found)?;
        } else if found.len() < MAX_FILES {
            found.push((name, content(&entry.path()).map_err(failed)?));
        }
    }
    Ok(())
}

fn content(path: &Path) -> std::io::Result<SnapshotContent> {
    match path.symlink_metadata()?.is_symlink() {
        true => fs::read_link(path).map(SnapshotContent::Link),
        false => fs::read(path).map(SnapshotContent::File),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::VenvSnapshot;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    #[test]
    fn a_package_that_brings_its_own_interpreter_or_settings_is_refused() {
        let changes: [fn(&Path); 4] = [
            |at| fs::write(at.join("bin/new"), "").unwrap(),
            |at| {
                fs::remove_file(at.join("bin/python")).unwrap();
                fs::write(at.join("bin/python"), "#!/bin/sh\n").unwrap();
            },
            |at| {
                fs::remove_file(at.join("bin/python")).unwrap();
                symlink("evil", at.join("bin/python")).unwrap();
            },
            |at| fs::write(at.join("pyvenv.cfg"), "home = /evil\n").unwrap(),
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("bin")).unwrap();
            symlink("/usr/bin/python3", folder.path().join("bin/python")).unwrap();
            fs::write(folder.path().join("pyvenv.cfg"), "home = /usr/bin\n").unwrap();
            let snapshot = VenvSnapshot::of(folder.path()).unwrap();
            change(folder.path());
            assert_eq!(snapshot.check(folder.path(), "x").is_ok(), index == 0, "change {index}");
        }
    }
}

//! Finds the program of a Python package: the one asked for, the one of the package's own name, or the only one.

use super::super::error::InstallError;
use super::super::found::{Program, is_file_within, shebang};
use super::super::spec::Spec;
use super::name::same;
use crate::config::StartedBy;
use crate::disk;
use crate::model::Package;
use std::path::{Path, PathBuf};

/// More than any list of programs.
const LIST: u64 = 1 << 20;

/// Returns the program that a launch line starts.
pub(in super::super) fn program(
    folder: &Path,
    spec: &Spec,
    package: &Package,
) -> Result<Program, InstallError> {
    let there = scripts(folder, package);
    let missing = || InstallError::NoProgram {
        package: package.name.clone(),
        wanted: spec.program().map(Into::into),
        there: there.clone(),
    };
    let name = match spec.program() {
        Some(name) => name.to_owned(),
        None => {
            let own = there.iter().find(|name| same(name, &package.name));
            let only = || (there.len() == 1).then(|| &there[0]);
            own.or_else(only).cloned().ok_or_else(missing)?
        }
    };
    let entry = format!("bin/{name}");
    let path = folder.join(&entry);
    if name.contains('/') || !is_file_within(&path, folder) {
        return Err(missing());
    }
    // A path too long for the OS is hidden from it behind a shell, in words that Python reads as its own.
    let for_python = shebang(&path).is_some_and(|words| {
        words.iter().any(|word| word.contains("python")) || words == ["/bin/sh"]
    });
    let started_by = if for_python { StartedBy::Python } else { StartedBy::Itself };
    Ok(Program { entry, started_by })
}

/// The programs that a package says it has.
fn scripts(folder: &Path, package: &Package) -> Vec<String> {
    let Some(info) = metadata(folder, package) else { return Vec::new() };
    let Ok(text) = disk::read(&info.join("entry_points.txt"), LIST) else { return Vec::new() };
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        match line.split_once('=') {
            _ if line.starts_with('[') => inside = line == "[console_scripts]",
            Some((name, _)) if inside => found.push(name.trim().to_owned()),
            _ => {}
        }
    }
    found
}

/// The folder in which a package says what it is.
fn metadata(folder: &Path, package: &Package) -> Option<PathBuf> {
    let subfolders = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".dist-info")?;
        let (name, version) = name.rsplit_once('-')?;
        (same(name, &package.name) && version == package.version).then_some(())
    };
    let libraries = subfolders(folder.join("lib")).map(|entry| entry.path().join("site-packages"));
    libraries.flat_map(subfolders).map(|entry| entry.path()).find(|path| of(path).is_some())
}

#[cfg(test)]
mod tests {
    use super::{Program, StartedBy, program};
    use crate::install::spec::Spec;
    use crate::model::{Ecosystem, Package};
    use std::fs;

    fn found(line: &str, points: &str) -> Option<Program> {
        let folder = tempfile::tempdir().unwrap();
        let info = folder.path().join("lib/python3.11/site-packages/some_server-1.0.dist-info");
        fs::create_dir_all(&info).unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        fs::write(info.join("entry_points.txt"), points).unwrap();
        for (name, text) in [
            ("some-server", "#!/stage/bin/python\n"),
            ("other", "#!/bin/sh\n'''exec' /stage/bin/python \"$0\" \"$@\"\n' '''\n"),
            ("native", "\u{7f}ELF"),
        ] {
            fs::write(folder.path().join("bin").join(name), text).unwrap();
        }
        let words: Vec<String> = line.split(' ').map(Into::into).collect();
        let spec = Spec::of(&words[0], &words[1..]).unwrap().unwrap();
        let package = Package::new("a", Ecosystem::Pypi, "some-server", "1.0", "host", line);
        program(folder.path(), &spec, &package).ok()
    }

    #[test]
    fn the_program_is_the_one_asked_for_or_of_the_packages_name_or_the_only_one() {
        let python = |name: &str| {
            Some(Program { entry: format!("bin/{name}"), started_by: StartedBy::Python })
        };
        let both = "[console_scripts]\nother = x:y\nsome-server = x:z\n\n[gui]\nz = x:y\n";
        let one = "[console_scripts]\nother = x:y\n";
        assert_eq!(found("uvx some_server", both), python("some-server"));
        assert_eq!(found("uvx some-server", one), python("other"));
        assert_eq!(found("uvx --from some-server other", both), python("other"));
        assert_eq!(found("uvx --from some-server missing", both), None);
        assert_eq!(found("uvx some-server", ""), None);
        let two = "[console_scripts]\nother = x:y\nthird = x:z\n";
        assert_eq!(found("uvx some-server", two), None);
        let native = found("uvx --from some-server native", both).unwrap();
        assert_eq!(native.started_by, StartedBy::Itself);
    }
}

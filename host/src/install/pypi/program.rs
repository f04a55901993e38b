//! Finds the program of a Python package: the one that the launch line names, the one with the
//! package's name, or the only one.
//!
//! **Invariant:** the program belongs to the package that was agreed to. The module that it calls
//! belongs to that package, too, unless its entry point names a module of another package.

use super::super::error::InstallError;
use super::super::spec::PackageSpec;
use super::compile::site_packages;
use super::distribution::{Distribution, EntryPoint};
use super::name::is_same_name;
use crate::install::installation_record::StartedBy;
use crate::install::package_program::{PackageProgram, is_file_within};
use crate::install::pypi::launchers::{FOLDER, is_for_python};
use crate::model::Package;
use std::path::{Path, PathBuf};

/// Returns the program that a launch line starts.
pub(in super::super) fn program(
    folder: &Path,
    spec: &PackageSpec,
    package: &Package,
) -> Result<PackageProgram, InstallError> {
    let all = Distribution::all(folder)?;
    let own = all.iter().find(|one| one.matches(package));
    let available: Vec<String> =
        own.into_iter().flat_map(|own| &own.entry_points).map(|(name, _)| name.clone()).collect();
    let missing = || InstallError::NoProgram {
        package: package.name.clone(),
        wanted: spec.program().map(Into::into),
        available: available.clone(),
    };
    let own = own.ok_or_else(missing)?;
    let name = match spec.program() {
        Some(name) => name.to_owned(),
        None => {
            let named = available.iter().find(|name| is_same_name(name, &package.name));
            let only = || (available.len() == 1).then(|| &available[0]);
            named.or_else(only).cloned().ok_or_else(missing)?
        }
    };
    if name.contains('/') {
        return Err(missing());
    }
    let (entry_point, script) = (own.entry_point(&name), own.script(&name));
    if entry_point.is_none() && script.is_none() {
        let owner =
            all.iter().find(|one| one.entry_point(&name).is_some() || one.script(&name).is_some());
        return Err(match owner {
            Some(owner) => InstallError::ForeignProgram {
                package: package.name.clone(),
                program: name,
                owner: owner.name.clone(),
            },
            None => missing(),
        });
    }
    if let Some(entry_point) = entry_point {
        check_module(folder, own, &all, entry_point, package)?;
    }
    let ours = Path::new(FOLDER).join(&name);
    if is_file_within(&folder.join(&ours), &folder.join(FOLDER)) {
        return Ok(PackageProgram { entry: text(&ours), started_by: StartedBy::Python });
    }
    // The script is not Python, or was installed before launchers existed.
    let script = script.filter(|path| is_file_within(&folder.join(path), folder));
    let script = script.ok_or_else(missing)?;
    if let Some(other) = all.iter().find(|one| !one.matches(package) && one.owns(&script)) {
        return Err(shadowed(package, &script, &other.name));
    }
    let started_by = match is_for_python(&folder.join(&script)) {
        true => StartedBy::Python,
        false => StartedBy::Itself,
    };
    Ok(PackageProgram { entry: text(&script), started_by })
}

/// Refuses an entry point if another package has replaced its module.
fn check_module(
    folder: &Path,
    own: &Distribution,
    all: &[Distribution],
    entry_point: &EntryPoint,
    package: &Package,
) -> Result<(), InstallError> {
    let mut base = site_packages(folder)?;
    for part in entry_point.module.split('.') {
        let candidates = candidates(folder, &base, part);
        base.push(part);
        let found = candidates.iter().find(|path| folder.join(path).is_file());
        // No file means a namespace folder, which several packages share.
        let Some(found) = found else { continue };
        if own.owns(found) && own.is_unchanged(folder, found) {
            continue;
        }
        let owner = all.iter().find(|one| !one.matches(package) && one.owns(found));
        let owner = owner.map_or("a package that comes with it", |owner| &owner.name);
        match own.owns(found) || candidates.iter().any(|path| own.owns(path)) {
            true => return Err(shadowed(package, found, owner)),
            // The entry point names a module of another package.
            false => return Ok(()),
        }
    }
    Ok(())
}

/// Returns the files that a module can be, in the order in which Python searches for them.
fn candidates(folder: &Path, base: &Path, part: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join(base)).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let is_library = |name: &String| {
        let ends = [".so", ".pyd"].iter().any(|end| name.ends_with(end));
        ends && name.strip_prefix(part).is_some_and(|rest| rest.starts_with('.'))
    };
    let mut found = vec![base.join(part).join("__init__.py")];
    found.extend(names.filter(is_library).map(|name| base.join(name)));
    found.extend([".py", ".pyc"].map(|end| base.join(format!("{part}{end}"))));
    found
}

fn shadowed(package: &Package, file: &Path, by: &str) -> InstallError {
    InstallError::Shadowed {
        package: package.name.clone(),
        what: format!("`{}`, which would be started,", file.display()),
        by: format!("`{by}`"),
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::distribution::Distribution;
    use super::{PackageProgram, StartedBy, program};
    use crate::install::error::InstallError;
    use crate::install::pypi::launchers;
    use crate::install::spec::PackageSpec;
    use crate::model::{Ecosystem, Package};
    use std::fs;
    use std::path::Path;

    const SITE: &str = "lib/python3.11/site-packages";

    /// Installs a fake package: its entry points and its files.
    fn put(folder: &Path, name: &str, points: &str, files: &[&str]) {
        let info = folder.join(SITE).join(format!("{name}-1.0.dist-info"));
        fs::create_dir_all(&info).unwrap();
        fs::write(info.join("entry_points.txt"), points).unwrap();
        let lines: Vec<_> = files.iter().map(|file| format!("{file},,\n")).collect();
        fs::write(info.join("RECORD"), lines.concat()).unwrap();
        for file in files {
            let path = folder.join(SITE).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let text = match file.ends_with("native") {
                true => "\u{7f}ELF",
                false => "#!/stage/bin/python\n",
            };
            fs::write(path, text).unwrap();
        }
    }

    fn place(points: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("bin")).unwrap();
        let files = ["x/__init__.py", "../../../bin/native", "../../../bin/plain"];
        put(folder.path(), "some_server", points, &files);
        put(folder.path(), "helper", "[console_scripts]\nhelp = h:i\nother = h:o\n", &["h.py"]);
        folder
    }

    fn found(folder: &Path, line: &str) -> Result<PackageProgram, InstallError> {
        let words: Vec<String> = line.split(' ').map(Into::into).collect();
        let spec = PackageSpec::parse(&words[0], &words[1..]).unwrap().unwrap();
        let package = Package::new("a", Ecosystem::Pypi, "some-server", "1.0", "host", line);
        if !folder.join(launchers::FOLDER).exists() {
            launchers::make(folder, &package, &Distribution::all(folder).unwrap()).unwrap();
        }
        program(folder, &spec, &package)
    }

    #[test]
    fn the_program_is_the_one_asked_for_or_of_the_packages_name_or_the_only_one() {
        let entry = |points: &str, line: &str| {
            let found = found(place(points).path(), line).ok()?;
            assert_eq!(found.started_by, StartedBy::Python);
            Some(found.entry)
        };
        let both = "[console_scripts]\nother = x:y\nsome-server = x:z\n\n[gui]\nz = x:y\n";
        let one = "[console_scripts]\nother = x:y\n";
        assert_eq!(entry(both, "uvx some_server").as_deref(), Some("pml-start/some-server"));
        assert_eq!(entry(one, "uvx some-server").as_deref(), Some("pml-start/other"));
        assert_eq!(entry(both, "uvx --from some-server other").as_deref(), Some("pml-start/other"));
        assert_eq!(entry(both, "uvx --from some-server plain").as_deref(), Some("pml-start/plain"));
        assert_eq!(entry(both, "uvx --from some-server missing"), None);
        assert_eq!(entry("", "uvx some-server"), None);
        let two = "[console_scripts]\nother = x:y\nthird = x:z\n";
        assert_eq!(entry(two, "uvx some-server"), None);
        let native = found(place(both).path(), "uvx --from some-server native").unwrap();
        assert_eq!((native.entry.as_str(), native.started_by), ("bin/native", StartedBy::Itself));
    }

    #[test]
    fn a_program_of_another_package_is_named_and_not_started() {
        let folder = place("[console_scripts]\nsome-server = x:y\n");
        let refused = found(folder.path(), "uvx --from some-server help").unwrap_err();
        assert!(
            matches!(&refused, InstallError::ForeignProgram { owner, .. } if owner == "helper")
        );
        assert!(refused.hint().unwrap().contains("uvx --from helper help"));
        // If two packages have a program of the same name, the package's own is started.
        let folder = place("[console_scripts]\nother = x:y\n");
        assert!(found(folder.path(), "uvx some-server").is_ok());
        let text = fs::read_to_string(folder.path().join("pml-start/other")).unwrap();
        assert!(text.contains("from x import y") && text.contains("sys.exit(y())"), "{text}");
    }

    #[test]
    fn a_module_that_another_package_takes_the_place_of_is_refused() {
        let points = "[console_scripts]\nsome-server = m.cli:run\n";
        for (own, theirs) in [("m.py", "m/__init__.py"), ("m/cli.py", "m/cli/__init__.py")] {
            let folder = place(points);
            put(folder.path(), "some_server", points, &[own]);
            assert!(found(folder.path(), "uvx some-server").is_ok());
            put(folder.path(), "evil", "", &[theirs]);
            let refused = found(folder.path(), "uvx some-server").unwrap_err().to_string();
            assert!(refused.contains("comes from `evil`"), "{refused}");
        }
        // A module of another package that the entry point names does not replace one of its own.
        let folder = place("[console_scripts]\nsome-server = h:i\n");
        assert!(found(folder.path(), "uvx some-server").is_ok());
    }

    #[test]
    fn a_file_that_was_written_over_is_refused() {
        let points = "[console_scripts]\nsome-server = m:run\n";
        let folder = place(points);
        put(folder.path(), "some_server", points, &["m.py"]);
        let list = folder.path().join(SITE).join("some_server-1.0.dist-info/RECORD");
        fs::write(&list, "m.py,sha256=somethingelse,1\n").unwrap();
        let refused = found(folder.path(), "uvx some-server").unwrap_err();
        assert!(matches!(refused, InstallError::Shadowed { .. }), "{refused}");
    }
}

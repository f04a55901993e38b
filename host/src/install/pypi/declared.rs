//! Checks that packages which were installed are those that the packages themselves ask for.
//!
//! A closure may come from the lock of a clone: it could name a package that nobody needs.

use super::super::error::InstallError;
use super::distribution::Distribution;
use super::name::normalize;
use crate::disk;
use crate::model::Package;
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

/// Maximum size of the metadata of a package, in bytes. It has the package's description.
const MAX_METADATA: u64 = 4 << 20;

/// Refuses packages that neither the launch line nor another package asks for.
pub(super) fn check(
    folder: &Path,
    package: &Package,
    all: &[Distribution],
) -> Result<(), InstallError> {
    let roots = std::iter::once(package.name.as_str())
        .chain(package.beside.iter().map(|beside| required_name(beside)));
    let mut reached: BTreeSet<String> = roots.map(normalize).collect();
    let mut next: VecDeque<String> = reached.iter().cloned().collect();
    while let Some(name) = next.pop_front() {
        let Some(found) = all.iter().find(|one| normalize(&one.name) == name) else { continue };
        let path = folder.join(&found.info).join("METADATA");
        let metadata = disk::read(&path, MAX_METADATA)
            .map_err(|error| InstallError::io("read", &path, error))?;
        for needed in requirements(&String::from_utf8_lossy(&metadata)) {
            if reached.insert(needed.clone()) {
                next.push_back(needed);
            }
        }
    }
    match all.iter().find(|one| !reached.contains(&normalize(&one.name))) {
        Some(foreign) => Err(InstallError::UnusableClosure {
            package: package.name.clone(),
            reason: format!("no package needs `{}`", foreign.name),
        }),
        None => Ok(()),
    }
}

/// Returns the names that a package asks for, whatever the conditions are: a condition may hold
/// here, and what it leaves out is not installed.
fn requirements(metadata: &str) -> Vec<String> {
    // The headers end at the first empty line; a description follows.
    let headers = metadata.lines().take_while(|line| !line.is_empty());
    let required = headers.filter_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case("Requires-Dist").then(|| value.trim())
    });
    required.map(|value| normalize(required_name(value))).collect()
}

/// Returns the name at the beginning of a requirement.
fn required_name(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::{Distribution, check, requirements};
    use crate::model::{Ecosystem, Package};
    use std::fs;

    #[test]
    fn what_nobody_asks_for_is_refused_and_what_a_condition_names_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("lib/python3.11/site-packages");
        let add = |name: &str, metadata: &str| {
            let info = site.join(format!("{name}-1.0.dist-info"));
            fs::create_dir_all(&info).unwrap();
            fs::write(info.join("RECORD"), "").unwrap();
            fs::write(info.join("METADATA"), metadata).unwrap();
        };
        let needs = "Name: good\nRequires-Dist: A.B>=1; extra == 'x'\n\nRequires-Dist: evil\n";
        add("good", needs);
        add("a_b", "Requires-Dist: deep (>=2)\n");
        add("deep", "");
        let package = Package::new("s", Ecosystem::Pypi, "good", "1.0", "host", "uvx good");
        let result = || {
            let all = Distribution::all(folder.path()).unwrap();
            check(folder.path(), &package, &all).map_err(|error| error.to_string())
        };
        assert_eq!(result(), Ok(()));
        add("evil", "");
        assert_eq!(
            result().unwrap_err(),
            "the packages of `good` cannot be installed: no package needs `evil`"
        );
        assert_eq!(requirements("requires-dist: X-y[z] ; python_version < '4'\n"), ["x-y"]);
    }
}

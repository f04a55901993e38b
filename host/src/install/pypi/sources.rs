//! Checks the packages that were installed together with the one that was agreed to.

use super::super::error::InstallError;
use super::distribution::Distribution;
use crate::model::Package;
use std::path::Path;

/// Refuses packages that do not come from an index, and packages that write into the metadata of
/// another.
pub(super) fn check(
    folder: &Path,
    package: &Package,
    all: &[Distribution],
) -> Result<(), InstallError> {
    for one in all {
        // Both tools write this file for a package that was wanted by address.
        if folder.join(&one.info).join("direct_url.json").symlink_metadata().is_ok() {
            return Err(InstallError::NotFromRegistry {
                package: package.name.clone(),
                dependency: one.name.clone(),
                wanted_by: None,
                reason: "is wanted by its address, and not from an index".into(),
            });
        }
        let others = |file: &&Path| {
            let mut folders = all.iter().filter(|other| other.info != one.info);
            folders.any(|other| file.starts_with(&other.info))
        };
        if let Some(file) = one.files().find(others) {
            return Err(InstallError::Shadowed {
                package: package.name.clone(),
                what: format!("`{}`", file.display()),
                by: format!("`{}`", one.name),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Distribution, check};
    use crate::model::{Ecosystem, Package};
    use std::fs;

    #[test]
    fn a_package_by_address_and_one_that_speaks_for_another_are_refused() {
        let result_of = |of_evil: &str, file: Option<&str>| {
            let folder = tempfile::tempdir().unwrap();
            let site = folder.path().join("lib/python3.11/site-packages");
            for (name, list) in [("good", "good.py,,\n"), ("evil", of_evil)] {
                let info = site.join(format!("{name}-1.0.dist-info"));
                fs::create_dir_all(&info).unwrap();
                fs::write(info.join("RECORD"), list).unwrap();
            }
            if let Some(file) = file {
                fs::write(site.join(file), "{}").unwrap();
            }
            let package = Package::new("a", Ecosystem::Pypi, "good", "1.0", "host", "uvx good");
            let all = Distribution::all(folder.path()).unwrap();
            check(folder.path(), &package, &all).map_err(|error| error.to_string())
        };
        assert_eq!(result_of("evil.py,,\n", None), Ok(()));
        let overwritten = result_of("good-1.0.dist-info/entry_points.txt,,\n", None).unwrap_err();
        assert!(
            overwritten.contains("good-1.0.dist-info/entry_points.txt` comes from `evil`"),
            "{overwritten}"
        );
        let by_address = result_of("", Some("evil-1.0.dist-info/direct_url.json")).unwrap_err();
        assert!(by_address.contains("`evil` is wanted by its address"), "{by_address}");
    }
}

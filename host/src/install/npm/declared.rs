//! Checks that packages which were installed are those that the packages themselves ask for.
//!
//! A closure may come from the lock of a clone: it could name a package that nobody needs, or a
//! version outside of what is asked for. npm compares the manifests of all installed packages, and
//! starts nothing of them.

use super::super::error::InstallError;
use super::package_lock::name_at;
use super::resolve::QUIET_FLAGS;
use crate::disk;
use crate::install::package_tool::PackageTool;
use crate::model::{ClosurePackage, PackageClosure, cut, escape};
use serde_json::Value;
use std::path::Path;

/// Maximum length of a package's name and version in a message.
const MAX_SHOWN: usize = 120;

/// Maximum size of a manifest, in bytes.
const MAX_MANIFEST: u64 = 4 << 20;

/// The lists of a manifest that name packages.
const DEPENDENCIES: [&str; 3] = ["dependencies", "optionalDependencies", "peerDependencies"];

/// Refuses a package under another name, unless all that need it ask for it under that name. A
/// package that the launch line names has its own name.
pub(super) fn check_names(
    package: &str,
    closure: &PackageClosure,
    roots: &[&str],
    folder: &Path,
) -> Result<(), InstallError> {
    let refused = |path: &str, name: &str| InstallError::UnusableClosure {
        package: package.into(),
        reason: format!(
            "`{}` would be another package, `{}`, and nobody asks for that",
            cut(&escape(path), MAX_SHOWN),
            cut(&escape(name), MAX_SHOWN)
        ),
    };
    for (path, one) in &closure.packages {
        let Some(other) = &one.name else { continue };
        if roots.contains(&path.as_str()) {
            return Err(refused(path, other));
        }
        let name = name_at(path);
        let needs = |(from, one): &(&String, &ClosurePackage)| {
            one.needs.iter().chain(&one.may_need).any(|need| need == name)
                && closure.resolve(from, name).as_deref() == Some(path)
        };
        let mut asked = false;
        for (from, _) in closure.packages.iter().filter(needs) {
            let manifest = folder.join("node_modules").join(from).join("package.json");
            // What is not installed here asks for nothing.
            let Ok(text) = disk::read(&manifest, MAX_MANIFEST) else { continue };
            let manifest: Value = serde_json::from_slice(&text).unwrap_or_default();
            let wanted = DEPENDENCIES.iter().filter_map(|list| manifest[*list][name].as_str());
            let of_other = |wanted: &str| {
                let rest =
                    wanted.strip_prefix("npm:").and_then(|it| it.strip_prefix(other.as_str()));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
            };
            if !wanted.clone().any(of_other) {
                return Err(refused(path, other));
            }
            asked = true;
        }
        let is_there = folder.join("node_modules").join(path).exists();
        if !asked && is_there {
            return Err(refused(path, other));
        }
    }
    Ok(())
}

/// Checks the tree in `folder`, which has no hidden lock file any more: npm would believe that.
pub(super) async fn check_declared(
    npm: &PackageTool<'_>,
    package: &str,
    closure: &PackageClosure,
    folder: &Path,
) -> Result<(), InstallError> {
    let prefix = format!("--prefix={}", folder.display());
    let arguments = ["ls", "--all", "--json", "--omit=dev", &prefix];
    let output = npm.run(arguments.into_iter().chain(QUIET_FLAGS.iter().copied())).await?;
    let tree: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| npm.unreadable("its list of packages is no JSON"))?;
    // What is in the tarball of another package has the hash of that package, whatever it is.
    let is_own = |path: &str| {
        let path = Path::new(path).strip_prefix(folder.join("node_modules")).ok();
        path.and_then(Path::to_str).is_some_and(|path| closure.packages.contains_key(path))
    };
    let problems = tree["problems"].as_array().into_iter().flatten();
    match problems.filter_map(Value::as_str).find_map(|text| problem(text, is_own)) {
        Some(reason) => Err(InstallError::UnusableClosure { package: package.into(), reason }),
        None => Ok(()),
    }
}

/// Returns a problem as a reason, if it says that a package should not be there as it is.
fn problem(text: &str, is_own: impl Fn(&str) -> bool) -> Option<String> {
    let (kind, rest) = text.split_once(": ")?;
    let (named, path) = rest.split_once(' ')?;
    let named = cut(&escape(named), MAX_SHOWN);
    match kind {
        _ if !is_own(path) => None,
        "extraneous" => Some(format!("no package needs `{named}`")),
        "invalid" => Some(format!("`{named}` is not what the packages that need it ask for")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{check_names, problem};
    use crate::model::{ClosurePackage, PackageClosure};
    use std::fs;

    #[test]
    fn a_package_under_another_name_is_one_that_is_asked_for_under_it() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let folder = folder.path().join("node_modules").join(path);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("package.json"), text).unwrap();
        };
        let one = |needs: &[&str], name: Option<&str>| ClosurePackage {
            needs: needs.iter().map(|need| (*need).into()).collect(),
            name: name.map(Into::into),
            ..ClosurePackage::default()
        };
        let closure = |alias: Option<&str>, root: Option<&str>| PackageClosure {
            packages: [("main".into(), one(&["x"], root)), ("x".into(), one(&[], alias))].into(),
        };
        let check = |closure: &PackageClosure| {
            check_names("main", closure, &["main"], folder.path())
                .map_err(|error| error.to_string())
        };
        write("x", "{}");
        write("main", r#"{ "dependencies": { "x": "npm:@a/real@^1" } }"#);
        assert_eq!(check(&closure(Some("@a/real"), None)), Ok(()));
        assert_eq!(
            check(&closure(Some("evil"), None)).unwrap_err(),
            "the packages of `main` cannot be installed: `x` would be another package, `evil`, and \
             nobody asks for that"
        );
        assert!(check(&closure(Some("@a/rea"), None)).is_err());
        assert!(check(&closure(None, Some("evil"))).is_err());
        write("main", r#"{ "dependencies": { "x": "^1" } }"#);
        assert!(check(&closure(Some("@a/real"), None)).is_err());
    }

    #[test]
    fn what_nobody_needs_and_what_nobody_asked_for_are_problems_and_what_is_left_out_is_none() {
        let reason = |text: &str| problem(text, |path| !path.contains("bundled"));
        assert_eq!(
            reason("extraneous: evil@1.0.0 /a/node_modules/evil").as_deref(),
            Some("no package needs `evil@1.0.0`")
        );
        assert_eq!(
            reason("invalid: zod@1.0.0 /a/node_modules/zod").as_deref(),
            Some("`zod@1.0.0` is not what the packages that need it ask for")
        );
        assert_eq!(reason("missing: x@1, required by y@2"), None);
        assert_eq!(reason("invalid: x@1.0.0 /a/node_modules/y/node_modules/bundled"), None);
    }
}

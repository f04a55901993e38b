//! Checks that packages which were installed are those that the packages themselves ask for.
//!
//! A closure may come from the lock of a clone: it could name a package that nobody needs, or a
//! version outside of what is asked for. npm compares the manifests of all installed packages, and
//! starts nothing of them.

use super::super::error::InstallError;
use super::resolve::QUIET_FLAGS;
use crate::install::package_tool::PackageTool;
use crate::model::{PackageClosure, cut, escape};
use serde_json::Value;
use std::path::Path;

/// Maximum length of a package's name and version in a message.
const MAX_SHOWN: usize = 120;

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
    use super::problem;

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

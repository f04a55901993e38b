//! Writes a closure as the files that `npm ci` installs from.
//!
//! The lock file names no address: npm asks the registries of the user's own settings for each
//! package, in exactly this version and with exactly this hash.
//!
//! **Invariant:** a closure may come from a file of the project. Names and versions that could mean
//! anything else than a package of a registry are refused.

use super::super::error::InstallError;
use super::closure::ROOT;
use super::package_lock::name_at;
use crate::install::resolved_version::is_version;
use crate::model::{ClosurePackage, PackageClosure, cut, escape};
use serde_json::{Map, Value, json};

/// The name of the root package. It is private and is never published.
const ROOT_NAME: &str = "pml-deps";

/// The kinds of hashes that npm writes.
const HASHES: [&str; 4] = ["sha512-", "sha384-", "sha256-", "sha1-"];

/// Returns `package.json` and `package-lock.json` for a closure. `roots` are the packages that the
/// launch line names; `package` is the first one, for messages.
pub(super) fn closure_files(
    package: &str,
    closure: &PackageClosure,
    roots: &[&str],
) -> Result<(Value, Value), InstallError> {
    let refused = |path: &str, reason: String| InstallError::UnusableClosure {
        package: package.into(),
        reason: format!("`{}` {reason}", cut(&escape(path), 120)),
    };
    let mut packages = Map::new();
    let wanted = wanted(closure, "", roots).map_err(|name| refused(&name, "is missing".into()))?;
    packages.insert(String::new(), json!({ "name": ROOT_NAME, "dependencies": wanted }));
    for (path, one) in &closure.packages {
        if let Some(reason) = unusable(path, one) {
            return Err(refused(path, reason.into()));
        }
        let missing = |name: String| {
            refused(&name, format!("is missing, and `{}` needs it", cut(&escape(path), 120)))
        };
        let mut entry = json!({ "version": one.version, "integrity": one.hash });
        let fields = [("os", &one.os), ("cpu", &one.cpu), ("libc", &one.libc)];
        for (key, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
            entry[key] = json!(value);
        }
        if let Some(name) = &one.name {
            entry["name"] = json!(name);
        }
        if one.optional {
            entry["optional"] = json!(true);
        }
        for (key, names) in [("dependencies", &one.needs), ("optionalDependencies", &one.may_need)]
        {
            if !names.is_empty() {
                entry[key] = self::wanted(closure, path, names).map_err(missing)?;
            }
        }
        packages.insert(format!("{ROOT}{path}"), entry);
    }
    let manifest = json!({ "name": ROOT_NAME, "private": true, "dependencies": wanted });
    let lock = json!({
        "name": ROOT_NAME, "lockfileVersion": 3, "requires": true, "packages": packages,
    });
    Ok((manifest, lock))
}

/// Returns names with the exact versions that node finds for them from `path`. Returns a name as an
/// error if it finds none.
fn wanted<S: AsRef<str>>(
    closure: &PackageClosure,
    path: &str,
    names: &[S],
) -> Result<Value, String> {
    let mut found = Map::new();
    for name in names {
        let name = name.as_ref();
        let target = closure.resolve(path, name).ok_or_else(|| name.to_owned())?;
        let package = &closure.packages[&target];
        let version = match &package.name {
            Some(other) => format!("npm:{other}@{}", package.version),
            None => package.version.clone(),
        };
        found.insert(name.into(), version.into());
    }
    Ok(found.into())
}

/// Returns why a package cannot be written into a lock file, or `None` if it can.
fn unusable(path: &str, package: &ClosurePackage) -> Option<&'static str> {
    let separator = format!("/{ROOT}");
    if !path.split(&separator).all(is_name) || !package.name.as_deref().is_none_or(is_name) {
        return Some("is not the name of a package");
    }
    if package.name.as_deref() == Some(name_at(path)) {
        return Some("has its own name as another one");
    }
    if !is_version(&package.version) {
        return Some("has no exact version");
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "+/=-".contains(c);
    let hashes = package
        .hash
        .split(' ')
        .all(|hash| HASHES.iter().any(|kind| hash.starts_with(kind)) && hash.chars().all(plain));
    (!hashes).then_some("has no hash")
}

/// Reports whether a text is the name of a package of a registry.
fn is_name(text: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part != "node_modules"
            && part.chars().all(|c| c.is_ascii_alphanumeric() || "-._~!'()*".contains(c))
    };
    let parts = text.strip_prefix('@').map(|scoped| scoped.split_once('/'));
    text.len() <= 214
        && match parts {
            Some(Some((scope, name))) => plain(scope) && plain(name),
            Some(None) => false,
            None => plain(text),
        }
}

#[cfg(test)]
mod tests {
    use super::{closure_files, is_name};
    use crate::model::{ClosurePackage, PackageClosure};
    use serde_json::json;

    fn package(version: &str, needs: &[&str]) -> ClosurePackage {
        ClosurePackage {
            version: version.into(),
            hash: "sha512-x".into(),
            needs: needs.iter().map(|name| (*name).into()).collect(),
            ..ClosurePackage::default()
        }
    }

    fn sample() -> PackageClosure {
        let mut native = package("1.0.0", &[]);
        native.optional = true;
        native.os = vec!["linux".into()];
        native.name = Some("@a/native".into());
        let mut main = package("1.0.0", &["plain"]);
        main.may_need = vec!["native".into()];
        let all = [
            ("main", main),
            ("native", native),
            ("plain", package("2.0.0", &[])),
            ("main/node_modules/plain", package("1.0.0", &["deep"])),
            ("deep", package("3.0.0", &["plain"])),
        ];
        let packages = all.into_iter().map(|(path, package)| (path.to_owned(), package));
        PackageClosure { packages: packages.collect() }
    }

    #[test]
    fn a_closure_is_written_with_the_versions_that_node_finds() {
        let (manifest, lock) = closure_files("main", &sample(), &["main"]).unwrap();
        assert_eq!(manifest["dependencies"], json!({ "main": "1.0.0" }));
        assert_eq!(
            lock["packages"],
            json!({
                "": { "name": "pml-deps", "dependencies": { "main": "1.0.0" } },
                "node_modules/main": {
                    "version": "1.0.0", "integrity": "sha512-x",
                    "dependencies": { "plain": "1.0.0" },
                    "optionalDependencies": { "native": "npm:@a/native@1.0.0" },
                },
                "node_modules/main/node_modules/plain": {
                    "version": "1.0.0", "integrity": "sha512-x", "dependencies": { "deep": "3.0.0" },
                },
                "node_modules/native": {
                    "version": "1.0.0", "integrity": "sha512-x", "name": "@a/native",
                    "optional": true, "os": ["linux"],
                },
                "node_modules/plain": { "version": "2.0.0", "integrity": "sha512-x" },
                "node_modules/deep": {
                    "version": "3.0.0", "integrity": "sha512-x", "dependencies": { "plain": "2.0.0" },
                },
            })
        );
    }

    #[test]
    fn what_could_mean_something_else_than_a_package_of_a_registry_is_refused() {
        let changes: [fn(&mut PackageClosure); 8] = [
            |all| all.packages.get_mut("deep").unwrap().version = "git+ssh://host/x".into(),
            |all| all.packages.get_mut("deep").unwrap().version = "^1.0.0".into(),
            |all| all.packages.get_mut("deep").unwrap().hash = String::new(),
            |all| all.packages.get_mut("deep").unwrap().hash = "md5-x".into(),
            |all| all.packages.get_mut("native").unwrap().name = Some("file:../x".into()),
            |all| drop(all.packages.remove("deep")),
            |all| drop(all.packages.insert("../x".into(), package("1.0.0", &[]))),
            |all| drop(all.packages.insert("a/node_modules/../x".into(), package("1.0.0", &[]))),
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let mut closure = sample();
            change(&mut closure);
            assert!(closure_files("main", &closure, &["main"]).is_err(), "change {index}");
        }
        assert!(closure_files("main", &sample(), &["other"]).is_err());
    }

    #[test]
    fn names_are_those_of_a_registry() {
        for good in ["a", "a-b.c_d", "@a/b", "@-/b", "JSONStream", "2-thenable"] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "..", ".bin", "a/b", "@a", "@a/../b", "a b", "node_modules", "@a/b/c"] {
            assert!(!is_name(bad), "{bad}");
        }
    }
}

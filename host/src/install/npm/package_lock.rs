//! Checks the packages in npm's lock file, before anything is installed: where they come from.
//!
//! **Invariant:** every package is a tarball of a registry that the user's settings name, and its
//! hash is known. The only exceptions are packages inside such a tarball. Git, other hosts, files
//! and folders are refused at every depth.

use super::super::error::{InstallError, without_user};
use crate::disk;
use crate::install::package_tool::PackageTool;
use crate::model::{cut, escape};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::Path;

/// Maximum size of a lock file, in bytes: enough for thousands of packages.
const MAX_SIZE: u64 = 32 << 20;

/// Maximum length of names and addresses in messages.
const MAX_SHOWN: usize = 120;

/// The fields in which a package lists its dependencies.
const DEPENDENCIES: [&str; 3] = ["dependencies", "optionalDependencies", "peerDependencies"];

/// The packages of a lock file, by their path.
pub(super) struct PackageLock(Map<String, Value>);

impl PackageLock {
    /// Reads a lock file that npm wrote.
    pub(super) fn read(tool: &PackageTool<'_>, path: &Path) -> Result<PackageLock, InstallError> {
        let text =
            disk::read(path, MAX_SIZE).map_err(|error| InstallError::io("read", path, error))?;
        PackageLock::parse(&text).ok_or_else(|| tool.unreadable("its lock file is of another form"))
    }

    pub(super) fn parse(text: &[u8]) -> Option<PackageLock> {
        let mut lock: Value = serde_json::from_slice(text).ok()?;
        match lock.get_mut("packages")?.take() {
            Value::Object(packages) => Some(PackageLock(packages)),
            _ => None,
        }
    }

    /// Returns the entry of a package at the top level, or `Null`.
    pub(super) fn package(&self, name: &str) -> &Value {
        self.0.get(&format!("node_modules/{name}")).unwrap_or(&Value::Null)
    }

    /// Returns the entry at a path, or `Null`.
    pub(super) fn entry(&self, path: &str) -> &Value {
        self.0.get(path).unwrap_or(&Value::Null)
    }

    /// Returns all packages, without the root.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        let all = self.0.iter().filter(|(path, _)| !path.is_empty());
        all.map(|(path, entry)| (path.as_str(), entry))
    }

    /// Returns the hosts that packages come from, as far as the lock file names them.
    pub(super) fn hosts(&self) -> BTreeSet<String> {
        self.0.values().filter_map(|entry| authority(entry["resolved"].as_str()?)).collect()
    }

    /// Refuses packages that do not come from a registry. `hosts` are those of the registries,
    /// `package` is the package that is being installed.
    pub(super) fn check(
        &self,
        package: &str,
        hosts: &BTreeSet<String>,
    ) -> Result<(), InstallError> {
        let all = self.0.iter().filter(|(path, _)| !path.is_empty());
        // A package in a folder elsewhere has a link in `node_modules`. The links come first,
        // because their names are those that the dependents use.
        let (inside, elsewhere): (Vec<_>, Vec<_>) =
            all.partition(|(path, _)| path.starts_with("node_modules/"));
        for (path, entry) in inside.into_iter().chain(elsewhere) {
            self.check_source(path, entry, hosts)
                .map_err(|reason| self.refusal(package, path, reason))?;
            for (name, wanted) in
                dependencies(entry).filter(|(_, wanted)| !is_registry_version(wanted))
            {
                // A missing package is not installed. A bundled package is part of another tarball.
                let Some(target) = self.resolve_from(path, name) else { continue };
                if self.0[&target]["inBundle"] != true {
                    let reason =
                        format!("is wanted as `{}`, and not from a registry", shown(wanted));
                    return Err(self.refusal(package, &target, reason));
                }
            }
        }
        Ok(())
    }

    fn check_source(
        &self,
        path: &str,
        entry: &Value,
        hosts: &BTreeSet<String>,
    ) -> Result<(), String> {
        if !path.starts_with("node_modules/") || entry["link"] == true {
            return Err("is a folder of this machine, and not of a registry".into());
        }
        let Some(resolved) = entry["resolved"].as_str() else {
            return match entry["inBundle"] == true {
                true => Ok(()),
                false => Err("does not say where it comes from".into()),
            };
        };
        if !authority(resolved).is_some_and(|host| hosts.contains(&host)) {
            return Err(format!("comes from `{}`, which is no registry of yours", shown(resolved)));
        }
        let integrity = entry["integrity"].as_str().unwrap_or_default();
        match ["sha512-", "sha384-", "sha256-", "sha1-"].iter().any(|it| integrity.starts_with(it))
        {
            true => Ok(()),
            false => Err("has no hash that it could be held against".into()),
        }
    }

    /// Returns the path at which node would find `name` from `path`.
    pub(super) fn resolve_from(&self, path: &str, name: &str) -> Option<String> {
        let mut from = Some(path);
        loop {
            let target = match from {
                Some("") | None => format!("node_modules/{name}"),
                Some(folder) => format!("{folder}/node_modules/{name}"),
            };
            if self.0.contains_key(&target) {
                return Some(target);
            }
            let folder = from.filter(|folder| !folder.is_empty())?;
            from = Some(
                folder
                    .rsplit_once("node_modules/")
                    .map_or("", |(above, _)| above.strip_suffix('/').unwrap_or(above)),
            );
        }
    }

    fn refusal(&self, package: &str, path: &str, reason: String) -> InstallError {
        let name = name_at(path);
        let dependent = |(other, entry): (&String, &Value)| {
            let depends = dependencies(entry).any(|(wanted, _)| wanted == name);
            (!other.is_empty()
                && depends
                && self.resolve_from(other, name).as_deref() == Some(path))
            .then(|| shown(name_at(other)))
        };
        InstallError::NotFromRegistry {
            package: package.into(),
            dependency: shown(name),
            wanted_by: self.0.iter().find_map(dependent),
            reason,
        }
    }
}

/// Returns the dependencies of a package: their names and the wanted versions.
fn dependencies(entry: &Value) -> impl Iterator<Item = (&str, &str)> {
    let all = DEPENDENCIES.iter().filter_map(|key| entry[*key].as_object());
    all.flatten().map(|(name, wanted)| (name.as_str(), wanted.as_str().unwrap_or(":")))
}

/// Reports whether a dependency is wanted from a registry: as a version, a range, a tag, or an
/// alias for another package of the registry.
fn is_registry_version(wanted: &str) -> bool {
    match wanted.strip_prefix("npm:") {
        Some(alias) => !alias.contains(':') && !alias.starts_with(['.', '/', '~']),
        None => !wanted.contains([':', '/', '\\']) && !wanted.starts_with('.'),
    }
}

/// Returns host and port of an `http` or `https` URL. Returns `None` for a URL that could be read
/// in two ways.
pub(super) fn authority(url: &str) -> Option<String> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let (authority, _) = rest.split_once('/')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]".contains(c);
    (!authority.is_empty() && authority.chars().all(plain)).then(|| authority.to_ascii_lowercase())
}

/// Returns the name at the end of a path.
pub(super) fn name_at(path: &str) -> &str {
    path.rsplit_once("node_modules/").map_or(path, |(_, name)| name)
}

fn shown(text: &str) -> String {
    cut(&escape(&without_user(text)).replace(['\n', '\t'], " "), MAX_SHOWN)
}

#[cfg(test)]
mod tests {
    use super::{PackageLock, authority, is_registry_version};
    use serde_json::{Value, json};

    const HASH: &str = "sha512-x";

    fn check(packages: &Value) -> Result<(), String> {
        let lock =
            PackageLock::parse(json!({ "packages": packages }).to_string().as_bytes()).unwrap();
        let hosts = ["registry.example".to_owned()].into_iter().collect();
        lock.check("main", &hosts).map_err(|error| error.to_string())
    }

    fn from(url: &str) -> Value {
        json!({ "resolved": url, "integrity": HASH })
    }

    fn main_and(dependency: &Value) -> Value {
        let mut main = from("https://registry.example/main.tgz");
        main["dependencies"] = json!({ "x": "^1.0.0" });
        json!({ "": { "name": "root" }, "node_modules/main": main, "node_modules/x": dependency })
    }

    #[test]
    fn tarballs_of_registries_and_what_lies_in_them_are_installed() {
        assert_eq!(check(&main_and(&from("https://registry.example/x.tgz"))), Ok(()));
        let mut bundled = main_and(&json!({ "inBundle": true }));
        bundled["node_modules/main"]["dependencies"] = json!({ "x": "git+https://host/x" });
        assert_eq!(check(&bundled), Ok(()));
        let mut missing = main_and(&from("https://registry.example/x.tgz"));
        missing["node_modules/main"]["optionalDependencies"] = json!({ "y": "file:../y" });
        assert_eq!(check(&missing), Ok(()));
    }

    #[test]
    fn everything_else_is_refused_with_its_name_and_who_wants_it() {
        for (entry, reason) in [
            (from("git+ssh://git@host/x.git#abc"), "comes from `git+ssh://host/x.git#abc`"),
            (from("https://evil.example/x.tgz"), "comes from `https://evil.example/x.tgz`"),
            (from("https://registry.example@evil.example/x.tgz"), "comes from"),
            (from("https://registry.example\\@evil.example/x.tgz"), "comes from"),
            (from("https://registry.example:8080/x.tgz"), "comes from"),
            (from("file:../x.tgz"), "comes from `file:../x.tgz`"),
            (json!({ "resolved": "../x", "link": true }), "is a folder of this machine"),
            (json!({ "resolved": "https://registry.example/x.tgz" }), "has no hash"),
            (json!({ "resolved": "https://evil.example/x", "inBundle": true }), "comes from"),
            (json!({ "integrity": HASH }), "does not say where it comes from"),
        ] {
            let message = check(&main_and(&entry)).unwrap_err();
            let expected =
                format!("`main` cannot be installed: `x`, which `main` depends on, {reason}");
            assert!(message.starts_with(&expected), "{message}");
        }
    }

    #[test]
    fn what_is_wanted_from_elsewhere_is_refused_even_if_it_comes_from_the_registrys_host() {
        let mut packages = main_and(&from("https://registry.example/x.tgz"));
        let deep = "node_modules/x/node_modules/y";
        packages[deep] = from("https://registry.example/y.tgz");
        for wanted in ["https://registry.example/y.tgz", "someone/y", "git+ssh://h/y", "file:y"] {
            packages["node_modules/x"]["dependencies"] = json!({ "y": wanted });
            let message = check(&packages).unwrap_err();
            assert!(message.contains("`y`, which `x` depends on, is wanted as `"), "{message}");
        }
        packages["node_modules/x"]["dependencies"] = json!({ "y": "npm:@a/other@^2" });
        assert_eq!(check(&packages), Ok(()));
        packages["../elsewhere"] = json!({ "version": "1.0.0" });
        assert!(check(&packages).unwrap_err().contains("is a folder of this machine"));
    }

    #[test]
    fn what_is_wanted_of_a_registry_is_told_from_the_rest() {
        for good in ["^1.2.3", "1 || 2", ">=1 <2", "latest", "*", "", "npm:other@1", "npm:@a/b"] {
            assert!(is_registry_version(good), "{good}");
        }
        for bad in ["github:a/b", "a/b", "./x", "file:x", "npm:file:x", "npm:../x", "link:x"] {
            assert!(!is_registry_version(bad), "{bad}");
        }
        assert_eq!(
            authority("https://Registry.Example:1/x").as_deref(),
            Some("registry.example:1")
        );
        assert_eq!(
            (authority("https://a"), authority("ftp://a/x"), authority("a")),
            (None, None, None)
        );
    }
}

//! Reads the closure of a package from npm's lock file, and compares it with what npm installed.
//!
//! **Invariant:** a closure holds only packages of registries: the lock file is checked before.

use super::super::error::InstallError;
use super::package_lock::{PackageLock, name_at};
use crate::model::{ClosurePackage, Package, PackageClosure, cut, escape};
use serde_json::Value;
use std::collections::BTreeSet;

/// What the path of every package in a lock file starts with.
pub(super) const ROOT: &str = "node_modules/";

/// Maximum length of texts in messages.
const MAX_SHOWN: usize = 200;

impl PackageLock {
    /// Returns the packages of the lock file, without those that are part of another's tarball.
    pub(super) fn closure(&self) -> PackageClosure {
        let packages = self.entries().filter(|(_, entry)| entry["inBundle"] != true);
        let packages = packages.filter_map(|(path, entry)| {
            Some((path.strip_prefix(ROOT)?.to_owned(), self.closure_package(path, entry)))
        });
        let mut closure = PackageClosure { packages: packages.collect() };
        self.add_needs_of_bundled(&mut closure);
        closure
    }

    fn closure_package(&self, path: &str, entry: &Value) -> ClosurePackage {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let may_need = self.present_names(path, &entry["optionalDependencies"]);
        let mut needs = self.present_names(path, &entry["dependencies"]);
        let peers = self.present_names(path, &entry["peerDependencies"]);
        let meta = &entry["peerDependenciesMeta"];
        needs.extend(peers.into_iter().filter(|name| meta[name]["optional"] != true));
        // npm counts what is in both lists as optional.
        needs.retain(|name| !may_need.contains(name));
        ClosurePackage {
            version: text("version"),
            hash: text("integrity"),
            file: None,
            name: entry["name"].as_str().filter(|name| *name != name_at(path)).map(Into::into),
            needs: needs.into_iter().collect(),
            may_need: may_need.into_iter().collect(),
            optional: entry["optional"] == true,
            os: texts(&entry["os"]),
            cpu: texts(&entry["cpu"]),
            libc: texts(&entry["libc"]),
        }
    }

    /// Returns the names in a list of dependencies that node would find as packages of their own.
    fn present_names(&self, path: &str, list: &Value) -> BTreeSet<String> {
        let names = list.as_object().into_iter().flatten().map(|(name, _)| name);
        names.filter(|name| self.own_target(path, name).is_some()).cloned().collect()
    }

    /// Returns the path at which node would find `name`, unless that is part of another tarball.
    fn own_target(&self, path: &str, name: &str) -> Option<String> {
        self.resolve_from(path, name).filter(|target| self.entry(target)["inBundle"] != true)
    }

    /// Lets a package need what the packages in its tarball need from outside of it.
    fn add_needs_of_bundled(&self, closure: &mut PackageClosure) {
        for (path, entry) in self.entries().filter(|(_, entry)| entry["inBundle"] == true) {
            let owner = std::iter::successors(Some(path), |path| above(path));
            let Some(owner) = owner.skip(1).find(|path| self.entry(path)["inBundle"] != true)
            else {
                continue;
            };
            let Some(package) = closure.packages.get_mut(owner.strip_prefix(ROOT).unwrap_or(owner))
            else {
                continue;
            };
            for name in self.present_names(path, &entry["dependencies"]) {
                let same = self.own_target(owner, &name) == self.own_target(path, &name);
                if same && !package.needs.contains(&name) {
                    package.needs.push(name);
                    package.needs.sort();
                }
            }
        }
    }

    /// Checks that npm installed the packages of `closure` and no others. It may have left out
    /// optional ones, which are for other machines. Returns the number of installed packages.
    pub(super) fn check_installed(
        &self,
        package: &Package,
        closure: &PackageClosure,
    ) -> Result<u64, InstallError> {
        let mismatch = |name: &str, agreed: &str, found: &str| InstallError::Mismatch {
            package: package.name.clone(),
            what: "a package that comes with it",
            agreed: cut(&escape(&format!("{name} {agreed}")), MAX_SHOWN),
            found: cut(&escape(&format!("{name} {found}")), MAX_SHOWN),
        };
        let mut installed = BTreeSet::new();
        for (path, entry) in self.entries() {
            let name = path.strip_prefix(ROOT).unwrap_or(path);
            let text = |key: &str| entry[key].as_str().unwrap_or_default();
            let found = format!("{} {}", text("version"), text("integrity"));
            let Some(agreed) = closure.packages.get(name) else {
                return Err(mismatch(name, "not there", &found));
            };
            let agreed = format!("{} {}", agreed.version, agreed.hash);
            if agreed != found || entry["link"] == true {
                return Err(mismatch(name, &agreed, &found));
            }
            installed.insert(name);
        }
        let needed = closure.packages.iter().filter(|(_, package)| !package.optional);
        match needed.map(|(name, _)| name).find(|name| !installed.contains(name.as_str())) {
            Some(missing) => Err(mismatch(missing, "there", "not there")),
            None => Ok(installed.len() as u64),
        }
    }
}

/// Returns the path of the package whose `node_modules` holds this one, or `None` at the top.
pub(super) fn above(path: &str) -> Option<&str> {
    let (above, _) = path.rsplit_once(ROOT)?;
    above.strip_suffix('/')
}

/// Returns a text, or the texts of a list.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().filter_map(|one| one.as_str()).map(Into::into).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::PackageLock;
    use crate::model::{Ecosystem, Package, PackageClosure};
    use serde_json::{Value, json};

    fn lock(packages: &Value) -> PackageLock {
        PackageLock::parse(json!({ "packages": packages }).to_string().as_bytes()).unwrap()
    }

    fn sample() -> Value {
        json!({
            "": { "dependencies": { "main": "1.0.0" } },
            "node_modules/main": {
                "version": "1.0.0", "integrity": "sha512-m",
                "dependencies": { "plain": "^1", "bundled": "^1", "gone": "^1", "both": "1" },
                "optionalDependencies": { "native": "^1", "both": "1", "absent": "1" },
                "peerDependencies": { "peer": "*", "maybe": "*" },
                "peerDependenciesMeta": { "maybe": { "optional": true } },
            },
            "node_modules/main/node_modules/bundled":
                { "version": "1.0.0", "inBundle": true, "dependencies": { "deep": "1" } },
            "node_modules/main/node_modules/plain": { "version": "1.1.0", "integrity": "sha512-p1" },
            "node_modules/plain": { "version": "2.0.0", "integrity": "sha512-p2" },
            "node_modules/deep": { "version": "1.0.0", "integrity": "sha512-d" },
            "node_modules/both": { "version": "1.0.0", "integrity": "sha512-b", "optional": true },
            "node_modules/peer": { "version": "3.0.0", "integrity": "sha512-r", "name": "@a/real" },
            "node_modules/maybe": { "version": "3.0.0", "integrity": "sha512-y" },
            "node_modules/native": {
                "version": "1.0.0", "integrity": "sha512-n", "optional": true,
                "os": ["linux"], "cpu": "x64", "libc": ["glibc"],
            },
        })
    }

    fn check(closure: &PackageClosure, installed: &Value) -> Result<u64, String> {
        let package = Package::new("s", Ecosystem::Npm, "main", "1.0.0", "registry.example", "npx");
        lock(installed).check_installed(&package, closure).map_err(|error| error.to_string())
    }

    #[test]
    fn a_closure_has_what_is_installed_as_a_package_of_its_own() {
        let closure = lock(&sample()).closure();
        let names: Vec<_> = closure.packages.keys().map(String::as_str).collect();
        let expected =
            ["both", "deep", "main", "main/node_modules/plain", "maybe", "native", "peer", "plain"];
        assert_eq!(names, expected);
        let main = &closure.packages["main"];
        assert_eq!(main.needs, ["deep", "peer", "plain"]);
        assert_eq!(main.may_need, ["both", "native"]);
        assert_eq!(closure.packages["peer"].name.as_deref(), Some("@a/real"));
        let native = &closure.packages["native"];
        assert!(native.optional);
        assert_eq!((&*native.os, &*native.cpu), (&["linux".into()][..], &["x64".into()][..]));
        assert_eq!(native.libc, ["glibc"]);
    }

    #[test]
    fn an_installation_has_all_of_the_closure_and_nothing_else() {
        let closure = lock(&sample()).closure();
        let mut installed = sample();
        let all = installed.as_object_mut().unwrap();
        all.remove("node_modules/main/node_modules/bundled");
        assert_eq!(check(&closure, &installed), Ok(8));
        let changed = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
            let mut installed = installed.clone();
            change(installed.as_object_mut().unwrap());
            check(&closure, &installed)
        };
        // What is made for other machines may be left out.
        assert_eq!(changed(&|all| drop(all.remove("node_modules/native"))), Ok(7));
        assert!(changed(&|all| drop(all.remove("node_modules/deep"))).is_err());
        assert!(changed(&|all| all["node_modules/deep"]["version"] = json!("1.0.1")).is_err());
        assert!(changed(&|all| all["node_modules/deep"]["link"] = json!(true)).is_err());
        let other = changed(&|all| all["node_modules/deep"]["integrity"] = json!("sha512-x"));
        assert_eq!(
            other.unwrap_err(),
            "`main` was installed and is not what was approved: a package that comes with it is \
             `deep 1.0.0 sha512-x`, not `deep 1.0.0 sha512-d`"
        );
        let more = json!({ "version": "1.0.0", "integrity": "sha512-e" });
        assert!(
            changed(&|all| drop(all.insert("node_modules/evil".into(), more.clone()))).is_err()
        );
    }
}

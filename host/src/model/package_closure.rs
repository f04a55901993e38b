//! The packages that are installed together for one server: exact versions and hashes.
//!
//! **Invariant:** nothing in it is true of one machine only: no path, no address, no time. So the
//! lock can hold it, and another machine can install exactly the same.

use super::canonical::digest;
use super::need::Ecosystem;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;

/// The platform of a closure that is the same on all machines.
pub const ANY_PLATFORM: &str = "any";

/// Maximum number of packages of a closure. The largest servers have some thousand.
pub const MAX_CLOSURE_PACKAGES: usize = 20_000;

/// A package and all that it depends on, in exact versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PackageClosure {
    /// npm: by the path in the tree, without the leading `node_modules/`, as in
    /// `express/node_modules/debug`. PyPI: by the normalized name.
    pub packages: BTreeMap<String, ClosurePackage>,
}

/// One package of a closure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosurePackage {
    /// Its exact version.
    pub version: String,
    /// The hash of its file according to the registry: npm's `sha512-…`, PyPI's `sha256:…`.
    pub hash: String,
    /// The name of that file, if the registry has several for one version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its name in the registry, if its path has another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The names of packages that it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// The names of packages that it uses where they can be installed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_need: Vec<String>,
    /// Whether it is left out on machines that it is not made for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// The operating systems that it is made for; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub os: Vec<String>,
    /// The processors that it is made for; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu: Vec<String>,
    /// The C libraries that it is made for; empty means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libc: Vec<String>,
}

impl PackageClosure {
    /// Returns the sha256, in hex, of everything that decides what is installed.
    pub fn digest(&self) -> String {
        digest(&json!(self))
    }

    /// Returns the number of packages.
    pub fn len(&self) -> usize {
        self.packages.len()
    }

    /// Returns the path of a package at the top, by its name.
    pub fn find(&self, name: &str) -> Option<String> {
        self.packages.contains_key(name).then(|| name.to_owned())
    }

    /// Returns the path at which the package at `from` finds `name`, as node does: beside it, or in
    /// a folder above.
    pub fn resolve(&self, from: &str, name: &str) -> Option<String> {
        let mut folder = Some(from);
        while let Some(path) = folder {
            let inside = format!("{path}/node_modules/{name}");
            if self.packages.contains_key(&inside) {
                return Some(inside);
            }
            folder = path.rsplit_once("/node_modules/").map(|(above, _)| above);
        }
        self.find(name)
    }

    /// Returns the number of packages without those that are made for other operating systems or
    /// processors.
    pub fn count_on_this_machine(&self) -> u64 {
        let os = match std::env::consts::OS {
            "macos" => "darwin",
            "windows" => "win32",
            other => other,
        };
        let cpu = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            "x86" => "ia32",
            other => other,
        };
        let fits = |list: &[String], own: &str| {
            let refused = list.iter().any(|one| one.strip_prefix('!') == Some(own));
            let named = list.iter().any(|one| one == own);
            let names_others = list.iter().any(|one| !one.starts_with('!'));
            !refused && (named || !names_others)
        };
        let own = |one: &&ClosurePackage| fits(&one.os, os) && fits(&one.cpu, cpu);
        self.packages.values().filter(own).count() as u64
    }

    /// Reports whether it has no package.
    pub fn is_empty(&self) -> bool {
        self.packages.is_empty()
    }
}

/// A package of a server as it is pinned: one version, with the closures that were resolved for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedPackage {
    /// The request that it answers: the digest of everything in the launch line that determines
    /// what is installed.
    pub spec: String,
    /// The registry that it comes from.
    pub ecosystem: Ecosystem,
    /// Its name in the registry.
    pub name: String,
    /// Its exact version.
    pub version: String,
    /// Its hash according to the registry, in the registry's own form.
    pub integrity: Option<String>,
    /// The package whose program is started: this one, or one that is installed beside it.
    pub program_of: Option<String>,
    /// The closures, by platform: [`ANY_PLATFORM`] if all machines have the same.
    pub closures: BTreeMap<String, PackageClosure>,
}

#[cfg(test)]
mod tests {
    use super::{ClosurePackage, PackageClosure};

    #[test]
    fn what_is_made_for_other_machines_does_not_count() {
        let package = |os: &[&str]| ClosurePackage {
            os: os.iter().map(|name| (*name).to_owned()).collect(),
            ..ClosurePackage::default()
        };
        let own = match std::env::consts::OS {
            "macos" => "darwin",
            other => other,
        };
        let not_own = format!("!{own}");
        let counted = |os: &[&str]| {
            let packages = [("a".to_owned(), package(os))].into_iter().collect();
            PackageClosure { packages }.count_on_this_machine()
        };
        assert_eq!([counted(&[]), counted(&[own]), counted(&["!plan9"])], [1, 1, 1]);
        assert_eq!([counted(&["plan9"]), counted(&[&not_own])], [0, 0]);
    }

    #[test]
    fn every_part_is_in_the_digest() {
        let one = || PackageClosure { packages: [("a".into(), ClosurePackage::default())].into() };
        let digest = one().digest();
        assert_eq!((digest.len(), one().digest()), (64, digest.clone()));
        let changes: [fn(&mut ClosurePackage); 4] = [
            |it| it.version.push('1'),
            |it| it.hash.push('1'),
            |it| it.needs.push("b".into()),
            |it| it.optional = true,
        ];
        for change in changes {
            let mut other = one();
            other.packages.values_mut().for_each(change);
            assert_ne!(other.digest(), digest);
        }
    }
}

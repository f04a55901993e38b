//! The parts in which two entries of a server differ, for people.

use super::model::LockedServer;
use crate::model::{ClosurePackage, Difference, PackageClosure, PinnedPackage};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of packages that a difference lists. More would hide the other parts.
const MAX_LISTED: usize = 40;

/// Number of characters of a hash that are shown.
const HASH_SHOWN: usize = 20;

impl LockedServer {
    /// Returns every part in which `now` differs from this entry on a platform. The tools are not
    /// compared.
    pub fn differences(&self, now: &LockedServer, platform: &str) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut part = |part: &str, before: Option<String>, after: Option<String>| {
            if before != after {
                found.push(Difference::new(part, before, after));
            }
        };
        let text = |text: &str| Some(text.to_owned());
        part("kind", text(self.kind.as_str()), text(now.kind.as_str()));
        part("launch line", text(&self.launch), text(&now.launch));
        part("folder", self.folder.clone(), now.folder.clone());
        let given =
            |server: &LockedServer| (!server.given.is_empty()).then(|| server.given.join(", "));
        part("variables", given(self), given(now));
        let scripts = |server: &LockedServer| server.install_scripts.then(|| "allowed".to_owned());
        part("install scripts", scripts(self), scripts(now));
        part("package", self.package.as_ref().map(named), now.package.as_ref().map(named));
        let integrity = |server: &LockedServer| server.package.as_ref()?.integrity.clone();
        part("integrity", integrity(self), integrity(now));
        let program = |server: &LockedServer| server.package.as_ref()?.program_of.clone();
        part("program of", program(self), program(now));
        let names: BTreeSet<&String> = self.files.keys().chain(now.files.keys()).collect();
        for name in names {
            let digest = |files: &BTreeMap<String, String>| {
                files.get(name).map(|digest| format!("sha256 {digest}"))
            };
            part(&format!("file {name}"), digest(&self.files), digest(&now.files));
        }
        let closures = (self.closure(platform), now.closure(platform));
        if let (Some(before), Some(after)) = closures
            && !platform.is_empty()
            && before != after
        {
            let (before, after) = changed_packages(before, after);
            part("packages", Some(before), Some(after));
        }
        let request = |server: &LockedServer| server.package.as_ref().map(|it| it.spec.clone());
        let shown = |text: &str| Some(shortened(text));
        if found.is_empty() && request(self) != request(now) {
            let request = |server| request(server).and_then(|request| shown(&request));
            found.push(Difference::new("request", request(self), request(now)));
        }
        // What differs decides, and not what is shown of it.
        let (before, after) = (self.digest(platform), now.digest(platform));
        if found.is_empty() && before != after {
            found.push(Difference::new("entry", shown(&before), shown(&after)));
        }
        found
    }
}

fn named(package: &PinnedPackage) -> String {
    format!("{}@{}", package.name, package.version)
}

/// Returns the packages that differ between two closures, a line each, as each has them. Those that
/// are another package, or new, come first: the list is bounded.
pub(super) fn changed_packages(
    before: &PackageClosure,
    after: &PackageClosure,
) -> (String, String) {
    let paths: BTreeSet<&String> = before.packages.keys().chain(after.packages.keys()).collect();
    let mut changed: Vec<&String> = paths
        .into_iter()
        .filter(|path| before.packages.get(*path) != after.packages.get(*path))
        .collect();
    let content = |closure: &PackageClosure, path: &str| {
        let package = closure.packages.get(path)?;
        let ClosurePackage { version, hash, name, file, .. } = package;
        Some((version.clone(), hash.clone(), name.clone(), file.clone()))
    };
    changed.sort_by_key(|path| content(before, path) == content(after, path));
    let lines = |closure: &PackageClosure| {
        let listed = changed.iter().take(MAX_LISTED).filter_map(|path| {
            let package = closure.packages.get(*path)?;
            Some(line(path, package))
        });
        let mut lines: Vec<String> = listed.collect();
        if changed.len() > MAX_LISTED {
            lines.push(format!("and {} more", changed.len() - MAX_LISTED));
        }
        lines.join("\n")
    };
    (lines(before), lines(after))
}

/// Returns everything that a package says, on one line.
fn line(path: &str, package: &ClosurePackage) -> String {
    let ClosurePackage { version, hash, file, name, needs, may_need, optional, os, cpu, libc } =
        package;
    let mut line = match name {
        Some(name) => format!("{path} is {name} {version} {hash}"),
        None => format!("{path} {version} {hash}"),
    };
    let file: Vec<String> = file.iter().cloned().collect();
    for (label, values) in [
        ("file", &file),
        ("needs", needs),
        ("may need", may_need),
        ("for", os),
        ("on", cpu),
        ("with", libc),
    ] {
        if !values.is_empty() {
            line.push_str(&format!("; {label} {}", values.join(" ")));
        }
    }
    if *optional {
        line.push_str("; optional");
    }
    line
}

fn shortened(hash: &str) -> String {
    let short: String = hash.chars().take(HASH_SHOWN).collect();
    match short.len() < hash.len() {
        true => format!("{short}…"),
        false => short,
    }
}

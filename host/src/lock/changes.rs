//! The entries in which one lock differs from another.

use super::compare::changed_packages;
use super::model::{Lock, LockedServer};
use crate::model::{ANY_PLATFORM, Difference, PackageClosure};
use std::collections::{BTreeMap, BTreeSet};

/// Number of digits of a digest that are shown.
const DIGITS: usize = 20;

/// The name of no platform: closures are compared one by one.
const NO_PLATFORM: &str = "";

/// One entry that was added, changed or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockChange {
    /// The server.
    pub server: String,
    /// The tool, or `None` if it is about the server itself.
    pub tool: Option<String>,
    /// What happened to the entry.
    pub kind: LockChangeKind,
    /// The parts that differ, of an entry that was changed.
    pub differences: Vec<Difference>,
}

impl LockChange {
    /// Returns the change of an entry.
    pub(crate) fn changed(
        server: &str,
        tool: Option<&str>,
        differences: Vec<Difference>,
    ) -> LockChange {
        let (server, tool) = (server.to_owned(), tool.map(Into::into));
        LockChange { server, tool, kind: LockChangeKind::Changed, differences }
    }
}

/// What happened to an entry of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockChangeKind {
    /// It is new.
    Added,
    /// It is another one.
    Changed,
    /// It is gone.
    Removed,
}

impl LockChangeKind {
    /// Returns `added`, `changed` or `removed`.
    pub fn as_str(self) -> &'static str {
        match self {
            LockChangeKind::Added => "added",
            LockChangeKind::Changed => "changed",
            LockChangeKind::Removed => "removed",
        }
    }
}

impl Lock {
    /// Returns every entry in which `now` differs from this lock, servers before their tools. Of a
    /// server that is new or gone, the tools are not listed.
    pub fn changes(&self, now: &Lock) -> Vec<LockChange> {
        let names: BTreeSet<&String> = self.servers.keys().chain(now.servers.keys()).collect();
        let mut changes = Vec::new();
        for name in names {
            let change = |tool: Option<&String>, kind, differences| LockChange {
                server: name.clone(),
                tool: tool.cloned(),
                kind,
                differences,
            };
            match (self.servers.get(name), now.servers.get(name)) {
                (Some(before), Some(after)) => {
                    let differences = all_differences(before, after);
                    if !differences.is_empty() {
                        changes.push(change(None, LockChangeKind::Changed, differences));
                    }
                    for (tool, kind, differences) in tool_changes(&before.tools, &after.tools) {
                        changes.push(change(Some(tool), kind, differences));
                    }
                }
                (None, Some(_)) => changes.push(change(None, LockChangeKind::Added, Vec::new())),
                (Some(_), None) => changes.push(change(None, LockChangeKind::Removed, Vec::new())),
                (None, None) => {}
            }
        }
        changes
    }
}

/// Returns the differences of two entries, with those of their packages for each platform.
fn all_differences(before: &LockedServer, after: &LockedServer) -> Vec<Difference> {
    let mut differences = before.differences(after, NO_PLATFORM);
    let closures = |server: &LockedServer| {
        let closures = server.package.iter().flat_map(|package| package.closures.clone());
        closures.collect::<BTreeMap<String, PackageClosure>>()
    };
    let (before, after) = (closures(before), closures(after));
    let platforms: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for platform in platforms {
        let part = match platform.as_str() {
            ANY_PLATFORM => "packages".to_owned(),
            platform => format!("packages for {platform}"),
        };
        let counted = |closure: &PackageClosure| format!("{} packages", closure.len());
        match (before.get(platform), after.get(platform)) {
            (Some(before), Some(after)) if before == after => {}
            (Some(before), Some(after)) => {
                let (before, after) = changed_packages(before, after);
                differences.push(Difference::new(part, Some(before), Some(after)));
            }
            (before, after) => {
                differences.push(Difference::new(part, before.map(counted), after.map(counted)))
            }
        }
    }
    differences
}

fn tool_changes<'a>(
    before: &'a BTreeMap<String, String>,
    after: &'a BTreeMap<String, String>,
) -> Vec<(&'a String, LockChangeKind, Vec<Difference>)> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let change = |name: &'a String| match (before.get(name), after.get(name)) {
        (Some(before), Some(after)) if before != after => {
            let shown = |digest: &String| Some(format!("sha256 {}", shortened(digest)));
            let difference = Difference::new("definition", shown(before), shown(after));
            Some((name, LockChangeKind::Changed, vec![difference]))
        }
        (None, Some(_)) => Some((name, LockChangeKind::Added, Vec::new())),
        (Some(_), None) => Some((name, LockChangeKind::Removed, Vec::new())),
        _ => None,
    };
    names.into_iter().filter_map(change).collect()
}

fn shortened(digest: &str) -> String {
    let short: String = digest.chars().take(DIGITS).collect();
    format!("{short}…")
}

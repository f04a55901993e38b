//! Writes the lock for all servers of a project: what a person reviews, and what is written then.
//!
//! It takes two steps, because a server that has changed is not started before somebody has agreed
//! to it: first the servers, then the tools that they list.

use super::lock_gate::LockGate;
use super::offer::Freshness;
use super::servers::Servers;
use crate::error::Error;
use crate::install::PackagePins;
use crate::lock::{Lock, LockChange, LockChangeKind, LockFile, LockedServer};
use crate::model::{Code, Definition, Difference, Package, ToolName};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The lock as it would be written, and how it differs from the one that is there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LockReview {
    /// The entries that are new, changed or gone.
    pub changes: Vec<LockChange>,
    /// Servers whose entry cannot be made, each with the reason. Their earlier entry stays.
    pub failed: Vec<(String, String)>,
    /// Whether both sides of a merge differ: what is made anew is asked about then.
    settles_conflict: bool,
    /// The text of the file that it was compared with.
    before: Option<String>,
    now: Lock,
    /// The servers as they are on this machine, if they were reviewed.
    own: BTreeMap<String, LockedServer>,
    /// The tools that were reviewed, with their definitions.
    tools: BTreeMap<ToolName, String>,
}

impl LockReview {
    /// Returns the lock as it would be written.
    pub fn lock(&self) -> &Lock {
        &self.now
    }

    /// Reports whether a person has to agree: something differs from what was locked or approved,
    /// or is gone, or a conflict is settled. What is only new needs no further yes.
    pub fn asks(&self) -> bool {
        self.settles_conflict
            || self.changes.iter().any(|change| change.kind != LockChangeKind::Added)
    }
}

impl Servers {
    /// Returns what the lock lacks of these servers, or has otherwise, a line each. No server is
    /// started. Empty if the lock has everything.
    ///
    /// # Errors
    /// If the servers have no lock, or it cannot be read.
    pub async fn lock_problems(&self) -> Result<Vec<String>, Error> {
        let gate = self.required_gate()?;
        gate.lock.current()?;
        Ok(gate.problems().await)
    }

    /// Compares the servers, as they would be started now, with the lock. A lock with conflicts is
    /// read from both sides: entries on which they agree count.
    ///
    /// # Errors
    /// If the lock cannot be read.
    pub async fn review_servers(&self) -> Result<LockReview, Error> {
        let gate = self.required_gate()?;
        let before = gate.lock.file().text()?;
        let (base, settles_conflict) = base(gate.lock.file())?;
        let approved = gate.lock.approved()?;
        let (mut now, mut own) = (Lock::default(), BTreeMap::new());
        let mut failed = Vec::new();
        for name in self.names() {
            let earlier = base.servers.get(&name);
            match gate.entry(&name).await {
                Ok(Some(mut entry)) => {
                    own.insert(name.clone(), entry.clone());
                    if let Some(earlier) = earlier {
                        entry.keep_from(earlier);
                    }
                    now.servers.insert(name, entry);
                }
                Ok(None) => {}
                Err(error) => {
                    now.servers.extend(earlier.map(|earlier| (name.clone(), earlier.clone())));
                    failed.push((name, error.to_string()));
                }
            }
        }
        let mut changes = base.changes(&now);
        // A pull may bring a package and its lock entry: they agree, and nobody here approved them.
        for (name, entry) in &own {
            let platform = entry.platform();
            let Some(package) = entry.package_digest(platform) else { continue };
            let mut known = approved.packages(name).peekable();
            if known.peek().is_some() && known.all(|known| known != package) {
                let newest = approved.newest_server(name);
                let differences = newest.map(|newest| newest.differences(entry, platform));
                note_change(&mut changes, name, None, differences.unwrap_or_default());
            }
        }
        let tools = BTreeMap::new();
        Ok(LockReview { changes, failed, settles_conflict, before, now, own, tools })
    }

    /// Returns the newest package that the launch line of a server means, with its differences from
    /// the lock. Returns `None` if the server is not started from a package, or the lock has this
    /// one already.
    ///
    /// # Errors
    /// If the lock cannot be read, or the registry cannot resolve the version.
    pub async fn newer_package(&self, server: &str) -> Result<Option<Package>, Error> {
        let gate = self.required_gate()?;
        let Some(mut package) = self.packages().newest(server).await? else { return Ok(None) };
        let Some(pinned) = self.packages().pin(&package).await? else { return Ok(None) };
        let Some(locked) = gate.lock.pinned(server)? else { return Ok(Some(package)) };
        let platform = pinned.closures.keys().next();
        let same = platform.is_some_and(|platform| {
            locked.version == pinned.version
                && locked.spec == pinned.spec
                && locked.closures.get(platform) == pinned.closures.get(platform)
        });
        if same {
            return Ok(None);
        }
        package.replaces = gate.check_install(server, pinned).await?;
        Ok(Some(package))
    }

    /// Lists the tools of all servers of a review, and compares them with the lock. Servers are
    /// started for it.
    ///
    /// # Errors
    /// If the lock cannot be read.
    pub async fn review_tools(&self, time: Duration) -> Result<LockReview, Error> {
        let gate = self.required_gate()?;
        let before = gate.lock.file().text()?;
        let base = gate.lock.file().read()?.unwrap_or_default();
        let offer = self.query_tools(|_| true, Freshness::Live, time).await;
        let mut now = base.clone();
        let failed: Vec<(String, String)> = offer
            .unavailable
            .iter()
            .map(|unavailable| (unavailable.server.clone(), unavailable.reason.clone()))
            .collect();
        for (name, server) in &mut now.servers {
            // The tools of a server that cannot be listed stay as they are.
            if !failed.iter().any(|(failed, _)| failed == name) {
                server.tools.clear();
            }
        }
        // Each definition is hashed once: there may be thousands.
        let listed: BTreeMap<(&str, &str), (&Arc<Definition>, String)> = offer
            .definitions
            .iter()
            .map(|one| ((one.tool.server(), one.tool.tool()), (one, one.digest())))
            .collect();
        for ((server, tool), (definition, digest)) in &listed {
            if let Some(server) = now.servers.get_mut(*server) {
                gate.records.store_agreed(digest, definition);
                server.tools.insert((*tool).into(), digest.clone());
            }
        }
        let mut changes = base.changes(&now);
        for change in &mut changes {
            let Some(tool) = change.tool.as_deref() else { continue };
            let before = base.servers.get(&change.server).and_then(|it| it.tools.get(tool));
            if let (Some((definition, _)), Some(before)) =
                (listed.get(&(change.server.as_str(), tool)), before)
                && let Some(known) = gate.records.definition_differences(before, definition)
            {
                change.differences = known;
            }
        }
        let approved = gate.lock.approved()?;
        for ((server, tool), (definition, digest)) in &listed {
            let known = approved.definitions(&definition.tool);
            let Some(newest) = known.last() else { continue };
            if !known.contains(digest) {
                let differences = gate.records.definition_differences(newest, definition);
                let shown = |digest: &str| Some(format!("sha256 {digest}"));
                let digests = || vec![Difference::new("definition", shown(newest), shown(digest))];
                note_change(&mut changes, server, Some(tool), differences.unwrap_or_else(digests));
            }
        }
        let settles_conflict = false;
        let own = BTreeMap::new();
        let tools = listed.into_values();
        let tools = tools.map(|(definition, digest)| (definition.tool.clone(), digest)).collect();
        Ok(LockReview { changes, failed, settles_conflict, before, now, own, tools })
    }

    /// Writes the lock as it was reviewed, and records that this user approved it. Reports whether
    /// the file was changed.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_lock(&self, review: &LockReview) -> Result<bool, Error> {
        let LockReview { before, now, own, tools, .. } = review;
        self.required_gate()?.lock.write_all(before.as_deref(), now, own, tools)
    }

    fn required_gate(&self) -> Result<LockGate<'_>, Error> {
        self.lock_gate().ok_or_else(|| {
            Error::new(Code::Config, "these servers belong to no project, and have no lock")
        })
    }
}

/// Notes that an entry differs from what was approved, if no change of it is noted that says so.
fn note_change(
    changes: &mut Vec<LockChange>,
    server: &str,
    tool: Option<&str>,
    differences: Vec<Difference>,
) {
    let same = |change: &&mut LockChange| change.server == server && change.tool.as_deref() == tool;
    match changes.iter_mut().find(same) {
        Some(change) if change.kind == LockChangeKind::Changed => {}
        Some(change) => {
            change.kind = LockChangeKind::Changed;
            change.differences = differences;
        }
        None => changes.push(LockChange::changed(server, tool, differences)),
    }
}

/// Returns the lock that is compared with, and whether the file has conflicts: then it is what both
/// sides agree on.
fn base(file: &LockFile) -> Result<(Lock, bool), Error> {
    let Some((ours, theirs)) = file.read_sides()? else {
        return Ok((file.read()?.unwrap_or_default(), false));
    };
    let mut both = Lock::default();
    for (name, server) in ours.servers {
        let Some(other) = theirs.servers.get(&name) else { continue };
        let mut server = server;
        let mut other = other.clone();
        let tools = std::mem::take(&mut server.tools);
        let others = std::mem::take(&mut other.tools);
        if server == other {
            server.tools = tools;
            server.tools.retain(|tool, definition| others.get(tool) == Some(definition));
            both.servers.insert(name, server);
        }
    }
    Ok((both, true))
}

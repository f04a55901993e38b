//! A project that may change while it is served: somebody adds a server, allows a tool, or trusts the folder.
//!
//! In flow the project's files, out flows the setting they give. They are looked at with every request, and read again only when
//! one of them has changed.
//!
//! **Invariant:** `--trust` is for the files as they were when it was said: a program that can write them gives itself nothing.

use super::execute::Kept;
use super::workplace::{Files, Workplace, config, servers};
use crate::mcp::Setting;
use crate::{Engine, Error, Journal, Project};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// What a file looks like from outside.
type Look = Option<(SystemTime, u64)>;

/// Follows a project.
pub(super) struct Follower {
    /// What the user has said to trust, if they have.
    accepted: Option<Project>,
    kept: Kept,
    journal: Arc<dyn Journal>,
    watched: Vec<PathBuf>,
    last: Mutex<Last>,
}

struct Last {
    looks: Vec<Look>,
    project: Project,
    setting: Setting,
}

impl Follower {
    /// Begins with a workplace as it is.
    pub(super) fn new(
        workplace: &Workplace,
        files: Files,
        kept: Kept,
        journal: Arc<dyn Journal>,
    ) -> Result<Follower, Error> {
        let Workplace { project, servers, .. } = workplace;
        let engine = Engine::with_journal(&config(project, kept), journal.clone())?;
        servers.start_background();
        let setting = Setting::new(engine, servers.clone())
            .model_may_approve(project.approvals.model_may_approve);
        Ok(Follower {
            accepted: (files == Files::Trusted).then(|| project.clone()),
            kept,
            journal,
            watched: project.sources(),
            // Nobody has looked yet: the files may have changed since they were read.
            last: Mutex::new(Last { looks: Vec::new(), project: project.clone(), setting }),
        })
    }

    /// Returns the setting of the moment. Runs that are under way keep the one they began with.
    ///
    /// # Errors
    /// If the files have changed and cannot be understood: nothing is done by rules that may not hold any more.
    pub(super) fn current(&self) -> Result<Setting, Error> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let looks: Vec<Look> = self.watched.iter().map(look).collect();
        if last.looks != looks {
            let project = Workplace::again(self.accepted.as_ref())?;
            let setting = self.setting(&last, &project)?;
            *last = Last { looks, project, setting };
        }
        Ok(last.setting.clone())
    }

    /// Returns the setting of a project, with all of the last one that is the same.
    fn setting(&self, last: &Last, project: &Project) -> Result<Setting, Error> {
        let same_servers = serves_the_same(&last.project, project);
        if same_servers && rules_the_same(&last.project, project) {
            return Ok(last.setting.clone());
        }
        let engine = Engine::with_journal(&config(project, self.kept), self.journal.clone())?;
        let servers = match same_servers {
            true => last.setting.servers.clone(),
            false => {
                // Before the new ones read what is kept.
                last.setting.servers.keep();
                let servers = servers(project, self.kept)?;
                servers.start_background();
                servers
            }
        };
        let setting = Setting::new(engine, servers);
        Ok(setting.model_may_approve(project.approvals.model_may_approve))
    }
}

/// Whether the servers of one project can go on as those of the other: another look of a file may be no more than a comment, or
/// somebody's trust in another folder.
fn serves_the_same(one: &Project, other: &Project) -> bool {
    // What is allowed decides which of these are started before they are called.
    let ahead = one.servers.iter().any(|server| server.background);
    one.root == other.root
        && one.trust == other.trust
        // What is not trusted is trusted as what it is, or not at all.
        && (one.trust.is_trusted() || one.digests().eq(other.digests()))
        && one.servers == other.servers
        && one.unusable == other.unusable
        && one.routing == other.routing
        && one.synced_routing == other.synced_routing
        && one.cloud == other.cloud
        && (!ahead || one.permissions == other.permissions)
}

/// Whether an engine of one project can go on as that of the other.
fn rules_the_same(one: &Project, other: &Project) -> bool {
    one.permissions == other.permissions
        && one.limits == other.limits
        && one.approvals == other.approvals
}

fn look(path: &PathBuf) -> Look {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

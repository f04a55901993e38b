//! A project that may change while it is served: somebody adds a server, allows a tool, or trusts
//! the folder.
//!
//! In flow the project's files, out flows the setting they give. They are looked at with every
//! request, and read again only when one of them has changed.
//!
//! **Invariant:** a program that can write the files gives itself nothing: what they become counts
//! once this user trusts it.

use super::execute::JournalStorage;
use crate::project_context::{ProjectContext, config, servers};
use pml::{Engine, Error, Journal, Project};
use pml_mcp::McpSetup;
use std::fs::Metadata;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// What a file looks like from outside.
type FileStamp = [Option<(SystemTime, u64)>; 2];

/// Follows a project.
pub(super) struct ProjectReloader {
    kept: JournalStorage,
    journal: Arc<dyn Journal>,
    last: Mutex<ProjectSnapshot>,
}

struct ProjectSnapshot {
    watched: Vec<PathBuf>,
    looks: Vec<FileStamp>,
    project: Project,
    setting: McpSetup,
}

impl ProjectReloader {
    /// Begins with a workplace as it is.
    pub(super) fn new(
        workplace: &ProjectContext,
        kept: JournalStorage,
        journal: Arc<dyn Journal>,
    ) -> Result<ProjectReloader, Error> {
        let ProjectContext { project, servers, .. } = workplace;
        let engine = Engine::with_journal(&config(project, kept), journal.clone())?;
        servers.start_background();
        let setting = McpSetup::new(engine, servers.clone())
            .model_may_approve(project.approvals.model_may_approve);
        // Nobody has looked yet: the files may have changed since they were read.
        let (watched, looks, project) = (project.sources(), Vec::new(), project.clone());
        Ok(ProjectReloader {
            kept,
            journal,
            last: Mutex::new(ProjectSnapshot { watched, looks, project, setting }),
        })
    }

    /// Returns the setting of the moment. Runs that are under way keep the one they began with.
    ///
    /// # Errors
    /// If the files have changed and cannot be understood: nothing is done by rules that may not
    /// hold any more.
    pub(super) fn current(&self) -> Result<McpSetup, Error> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let looks: Vec<FileStamp> = last.watched.iter().map(look).collect();
        if last.looks != looks || last.setting.servers.is_outdated() {
            let project = ProjectContext::again()?;
            let setting = self.setting(&last, &project)?;
            let watched = project.sources();
            // Of files that are named only now nothing is known: they are looked at with the next
            // request.
            let looks = if watched == last.watched { looks } else { Vec::new() };
            *last = ProjectSnapshot { watched, looks, project, setting };
        }
        Ok(last.setting.clone())
    }

    /// Returns the setting of a project, with all of the last one that is the same.
    fn setting(&self, last: &ProjectSnapshot, project: &Project) -> Result<McpSetup, Error> {
        let same_servers =
            !last.setting.servers.is_outdated() && last.project.has_same_servers(project);
        if same_servers && last.project.has_same_rules(project) {
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
        let setting = McpSetup::new(engine, servers);
        Ok(setting.model_may_approve(project.approvals.model_may_approve))
    }
}

/// Of a link both: that it is turned, and that what it leads to is another.
fn look(path: &PathBuf) -> FileStamp {
    let seen = |found: Metadata| Some((found.modified().ok()?, found.len()));
    let (own, led) = (std::fs::symlink_metadata(path), std::fs::metadata(path));
    [own.ok().and_then(seen), led.ok().and_then(seen)]
}

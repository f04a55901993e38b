//! Reloads a project that changes while it is served: somebody adds a server, allows a tool, or
//! trusts the folder.
//!
//! Takes the project's files, and returns the setup that they define. The files' stamps are
//! compared at every request; the files are read again only if a stamp has changed.
//!
//! **Invariant:** a program that can write these files gains nothing: a change has effect only
//! after this user trusts it.

use super::execute::JournalStorage;
use crate::project_context::{ProjectContext, config, servers};
use pml::{Engine, Error, Journal, Project};
use pml_mcp::McpSetup;
use std::fs::Metadata;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Modification time and size of a path itself and of the file it links to. `None` for what does
/// not exist.
type FileStamp = [Option<(SystemTime, u64)>; 2];

/// Returns the current setup of a project that may change.
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
    /// Starts with a project as it was read.
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
        // There are no stamps yet: the files may have changed since they were read.
        let (watched, looks, project) = (project.sources(), Vec::new(), project.clone());
        Ok(ProjectReloader {
            kept,
            journal,
            last: Mutex::new(ProjectSnapshot { watched, looks, project, setting }),
        })
    }

    /// Returns the current setup. Runs in progress keep the setup that they began with.
    ///
    /// # Errors
    /// If the files have changed and cannot be parsed: the old rules may no longer hold.
    pub(super) fn current(&self) -> Result<McpSetup, Error> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let looks: Vec<FileStamp> = last.watched.iter().map(look).collect();
        if last.looks != looks || last.setting.servers.is_outdated() {
            let project = ProjectContext::again()?;
            let setting = self.setting(&last, &project)?;
            let watched = project.sources();
            // Newly named files have no stamps yet; they are compared at the next request.
            let looks = if watched == last.watched { looks } else { Vec::new() };
            *last = ProjectSnapshot { watched, looks, project, setting };
        }
        Ok(last.setting.clone())
    }

    /// Returns the setup of a project, and reuses the parts of the last one that did not change.
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
                // This must happen before the new servers read the saved data.
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

/// Returns the stamp of a path. It changes if a link points elsewhere, and if the link's target
/// changes.
fn look(path: &PathBuf) -> FileStamp {
    let seen = |found: Metadata| Some((found.modified().ok()?, found.len()));
    let (own, led) = (std::fs::symlink_metadata(path), std::fs::metadata(path));
    [own.ok().and_then(seen), led.ok().and_then(seen)]
}

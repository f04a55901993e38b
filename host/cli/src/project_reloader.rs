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
use pml::{Engine, Error, Journal, Project, project::LockMode};
use pml_mcp::McpSetup;
use std::fs::Metadata;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Modification time and size of a path itself and of the file it links to. `None` for what does
/// not exist.
type FileStamp = [Option<(SystemTime, u64)>; 2];

/// Provides the current setup of a project whose files may change.
pub(super) struct ProjectReloader {
    storage: JournalStorage,
    lock: LockMode,
    journal: Arc<dyn Journal>,
    snapshot: Mutex<ProjectSnapshot>,
}

struct ProjectSnapshot {
    watched: Vec<PathBuf>,
    stamps: Vec<FileStamp>,
    project: Project,
    setup: McpSetup,
}

impl ProjectReloader {
    /// Starts with a project as it was read.
    pub(super) fn new(
        context: &ProjectContext,
        storage: JournalStorage,
        journal: Arc<dyn Journal>,
    ) -> Result<ProjectReloader, Error> {
        let ProjectContext { project, servers, .. } = context;
        let engine = Engine::with_journal(&config(project, storage), journal.clone())?;
        servers.start_background();
        let setup = McpSetup::new(engine, servers.clone())
            .model_may_approve(project.approvals.model_may_approve);
        // There are no stamps yet: the files may have changed since they were read.
        let (watched, stamps, project) = (project.sources(), Vec::new(), project.clone());
        Ok(ProjectReloader {
            storage,
            lock: context.lock,
            journal,
            snapshot: Mutex::new(ProjectSnapshot { watched, stamps, project, setup }),
        })
    }

    /// Returns the current setup. Runs in progress keep the setup that they began with.
    ///
    /// # Errors
    /// If the files have changed and cannot be parsed: the old rules may no longer hold.
    pub(super) fn current_setup(&self) -> Result<McpSetup, Error> {
        let mut snapshot = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps: Vec<FileStamp> = snapshot.watched.iter().map(stamp).collect();
        if snapshot.stamps != stamps || snapshot.setup.servers.is_outdated() {
            let project = ProjectContext::reload_project()?;
            let setup = self.setup_for(&snapshot, &project)?;
            let watched = project.sources();
            // Newly named files have no stamps yet; they are compared at the next request.
            let stamps = if watched == snapshot.watched { stamps } else { Vec::new() };
            *snapshot = ProjectSnapshot { watched, stamps, project, setup };
        }
        Ok(snapshot.setup.clone())
    }

    /// Returns the setup of a project, and reuses the parts of the last one that did not change.
    fn setup_for(&self, snapshot: &ProjectSnapshot, project: &Project) -> Result<McpSetup, Error> {
        let same_servers =
            !snapshot.setup.servers.is_outdated() && snapshot.project.has_same_servers(project);
        if same_servers && snapshot.project.has_same_rules(project) {
            return Ok(snapshot.setup.clone());
        }
        let engine = Engine::with_journal(&config(project, self.storage), self.journal.clone())?;
        let servers = match same_servers {
            true => snapshot.setup.servers.clone(),
            false => {
                // This must happen before the new servers read the saved data.
                snapshot.setup.servers.save_observations();
                let servers = servers(project, self.storage, self.lock)?;
                servers.start_background();
                servers
            }
        };
        let setup = McpSetup::new(engine, servers);
        Ok(setup.model_may_approve(project.approvals.model_may_approve))
    }
}

/// Returns the stamp of a path. It changes if a link points elsewhere, and if the link's target
/// changes.
fn stamp(path: &PathBuf) -> FileStamp {
    let time_and_size = |found: Metadata| Some((found.modified().ok()?, found.len()));
    let (link, target) = (std::fs::symlink_metadata(path), std::fs::metadata(path));
    [link.ok().and_then(time_and_size), target.ok().and_then(time_and_size)]
}

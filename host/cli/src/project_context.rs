//! The project in which a command runs programs: the one around the current folder, with its
//! settings and its servers.

use super::execute::JournalStorage;
use crate::widening_permit::WideningPermit;
use anyhow::Result;
use pml::{
    Code, Config, Environment, Error, Project, Servers, Store,
    file::is_own_folder,
    project::{GrantStorage, LockMode},
};
use std::path::PathBuf;

/// The trust that a command gives to the project's files.
#[derive(Clone)]
pub(super) enum ProjectFilesTrust {
    /// As the user's trust record says.
    AsRecorded,
    /// Trusted for this command, because the user gave `--trust` and is permitted to.
    ForThisCommand(WideningPermit),
}

/// A project in which programs can be run.
pub(super) struct ProjectContext {
    pub(super) project: Project,
    pub(super) servers: Servers,
    storage: JournalStorage,
    pub(super) lock: LockMode,
}

impl ProjectContext {
    /// Opens the project around the current folder. Starts none of its servers.
    pub(super) fn open(trust: ProjectFilesTrust) -> Result<ProjectContext> {
        ProjectContext::open_for_runs(trust, JournalStorage::OnDisk, LockMode::Update)
    }

    /// Opens the project for runs with this storage, held against its lock in this way. With
    /// `--no-journal`, data about its servers is not written either.
    pub(super) fn open_for_runs(
        trust: ProjectFilesTrust,
        storage: JournalStorage,
        lock: LockMode,
    ) -> Result<ProjectContext> {
        let (folder, environment) = (current_folder()?, Environment::of_process());
        let project = match trust {
            ProjectFilesTrust::AsRecorded => Project::load_with_environment(&folder, &environment)?,
            ProjectFilesTrust::ForThisCommand(permit) => {
                let project = Project::load_trusted(&folder, &environment)?;
                permit.note_trusted_once(storage, &project);
                project
            }
        };
        let state = project.state_folder();
        // A checkout may leave the folder readable for others. A folder of another user is ignored,
        // and so are the files in it.
        if storage == JournalStorage::OnDisk && is_own_folder(&state) {
            Store::make_folder(&state).map_err(Error::from)?;
        }
        let servers = servers(&project, storage, lock)?;
        Ok(ProjectContext { project, servers, storage, lock })
    }

    /// Reads the project's files again.
    pub(super) fn reload_project() -> Result<Project, Error> {
        Project::load_with_environment(&current_folder()?, &Environment::of_process())
    }

    /// Returns the settings of an engine for this project.
    pub(super) fn config(&self) -> Config {
        config(&self.project, self.storage)
    }
}

fn current_folder() -> Result<PathBuf, Error> {
    std::env::current_dir().map_err(|error| {
        Error::new(Code::Config, "cannot find the current folder").with_source(error)
    })
}

/// Returns the servers of a project.
pub(super) fn servers(
    project: &Project,
    storage: JournalStorage,
    lock: LockMode,
) -> Result<Servers, Error> {
    match storage {
        JournalStorage::OnDisk => Servers::with_lock(project, lock),
        JournalStorage::InMemory => Servers::of_uncached(project, lock),
    }
}

/// Returns the settings of an engine for a project. Runs in memory save no grants either.
pub(super) fn config(project: &Project, storage: JournalStorage) -> Config {
    let grant_storage = match storage {
        JournalStorage::OnDisk => GrantStorage::Project,
        JournalStorage::InMemory => GrantStorage::Run,
    };
    let mut config = Config::new();
    project.configure(&mut config, grant_storage);
    config
}

//! Where a command runs programs: the project around the current folder, its settings and its
//! servers.

use super::execute::JournalStorage;
use crate::widening_permit::WideningPermit;
use anyhow::Result;
use pml::{
    Code, Config, Environment, Error, Project, Servers, Store, file::is_own_folder,
    project::GrantStorage,
};
use std::path::PathBuf;

/// What a command takes the project's files for.
#[derive(Clone)]
pub(super) enum ProjectFilesTrust {
    /// For what this user has trusted.
    AsRecorded,
    /// As if they were trusted: the user says so with `--trust`, and may.
    ForThisCommand(WideningPermit),
}

/// A project, ready to run programs in.
pub(super) struct ProjectContext {
    pub(super) project: Project,
    pub(super) servers: Servers,
    kept: JournalStorage,
}

impl ProjectContext {
    /// Opens the project around the current folder. None of its servers is started.
    pub(super) fn open(files: ProjectFilesTrust) -> Result<ProjectContext> {
        ProjectContext::open_for(files, JournalStorage::OnDisk)
    }

    /// The same, for runs that are kept so: with `--no-journal` nothing is written of the servers
    /// either.
    pub(super) fn open_for(
        files: ProjectFilesTrust,
        kept: JournalStorage,
    ) -> Result<ProjectContext> {
        let (folder, environment) = (here()?, Environment::of_process());
        let project = match files {
            ProjectFilesTrust::AsRecorded => Project::load_in(&folder, &environment)?,
            ProjectFilesTrust::ForThisCommand(pass) => {
                let project = Project::load_trusted(&folder, &environment)?;
                pass.note_once(kept, &project);
                project
            }
        };
        let state = project.state_folder();
        // A checkout leaves it open to others. Another user's is left alone, as is all in it.
        if kept == JournalStorage::OnDisk && is_own_folder(&state) {
            Store::make_folder(&state).map_err(Error::from)?;
        }
        let servers = servers(&project, kept)?;
        Ok(ProjectContext { project, servers, kept })
    }

    /// Reads its project as it is now.
    pub(super) fn again() -> Result<Project, Error> {
        Project::load_in(&here()?, &Environment::of_process())
    }

    /// Settings of an engine for it.
    pub(super) fn config(&self) -> Config {
        config(&self.project, self.kept)
    }
}

fn here() -> Result<PathBuf, Error> {
    std::env::current_dir().map_err(|error| {
        Error::new(Code::Config, "cannot find the current folder").with_source(error)
    })
}

/// The servers of a project.
pub(super) fn servers(project: &Project, kept: JournalStorage) -> Result<Servers, Error> {
    match kept {
        JournalStorage::OnDisk => Servers::of(project),
        JournalStorage::InMemory => Servers::of_unremembered(project),
    }
}

/// Returns settings of an engine for a project. Runs that leave nothing behind leave no grant
/// either.
pub(super) fn config(project: &Project, kept: JournalStorage) -> Config {
    let storage = match kept {
        JournalStorage::OnDisk => GrantStorage::Project,
        JournalStorage::InMemory => GrantStorage::Run,
    };
    let mut config = Config::new();
    project.configure(&mut config, storage);
    config
}

//! The project in which a command runs programs: the one around the current folder, with its
//! settings and its servers.

use super::execute::JournalStorage;
use crate::widening_permit::WideningPermit;
use anyhow::Result;
use pml::{
    Code, Config, Environment, Error, Project, Servers, Store, file::is_own_folder,
    project::GrantStorage,
};
use std::path::PathBuf;

/// Whether a command trusts the project's files.
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
    kept: JournalStorage,
}

impl ProjectContext {
    /// Opens the project around the current folder. Starts none of its servers.
    pub(super) fn open(files: ProjectFilesTrust) -> Result<ProjectContext> {
        ProjectContext::open_for(files, JournalStorage::OnDisk)
    }

    /// Opens the project for runs with this storage. With `--no-journal`, data about its servers is
    /// not written either.
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
        // A checkout may leave the folder readable for others. A folder of another user is ignored,
        // and so are the files in it.
        if kept == JournalStorage::OnDisk && is_own_folder(&state) {
            Store::make_folder(&state).map_err(Error::from)?;
        }
        let servers = servers(&project, kept)?;
        Ok(ProjectContext { project, servers, kept })
    }

    /// Reads the project's files again.
    pub(super) fn again() -> Result<Project, Error> {
        Project::load_in(&here()?, &Environment::of_process())
    }

    /// Returns the settings of an engine for this project.
    pub(super) fn config(&self) -> Config {
        config(&self.project, self.kept)
    }
}

fn here() -> Result<PathBuf, Error> {
    std::env::current_dir().map_err(|error| {
        Error::new(Code::Config, "cannot find the current folder").with_source(error)
    })
}

/// Returns the servers of a project.
pub(super) fn servers(project: &Project, kept: JournalStorage) -> Result<Servers, Error> {
    match kept {
        JournalStorage::OnDisk => Servers::of(project),
        JournalStorage::InMemory => Servers::of_unremembered(project),
    }
}

/// Returns the settings of an engine for a project. Runs in memory save no grants either.
pub(super) fn config(project: &Project, kept: JournalStorage) -> Config {
    let storage = match kept {
        JournalStorage::OnDisk => GrantStorage::Project,
        JournalStorage::InMemory => GrantStorage::Run,
    };
    let mut config = Config::new();
    project.configure(&mut config, storage);
    config
}

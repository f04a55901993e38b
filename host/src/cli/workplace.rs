//! Where a command runs programs: the project around the current folder, its settings and its servers.

use crate::{Code, Config, Environment, Error, Permissions, Project, Servers, ToolPattern};
use anyhow::Result;

/// What a command takes the project's files for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Files {
    /// For what this user has trusted.
    AsTrusted,
    /// As if they were trusted: the user says so with `--trust`.
    Trusted,
}

impl From<bool> for Files {
    fn from(trust: bool) -> Files {
        if trust { Files::Trusted } else { Files::AsTrusted }
    }
}

/// A project, ready to run programs in.
pub(super) struct Workplace {
    pub(super) project: Project,
    pub(super) servers: Servers,
}

impl Workplace {
    /// Opens the project around the current folder. None of its servers is started.
    pub(super) fn open(files: Files) -> Result<Workplace> {
        Ok(Workplace::load(files)?)
    }

    /// The same, for those who hand errors on as they are.
    pub(super) fn load(files: Files) -> Result<Workplace, Error> {
        let environment = Environment::of_process();
        let folder = std::env::current_dir().map_err(|error| {
            Error::new(Code::Config, "cannot find the current folder").with_source(error)
        })?;
        let project = match files {
            Files::AsTrusted => Project::load_in(&folder, &environment)?,
            Files::Trusted => Project::load_trusted(&folder, &environment)?,
        };
        let servers = Servers::of(&project)?;
        Ok(Workplace { project, servers })
    }

    /// Settings of an engine for it.
    pub(super) fn config(&self) -> Config {
        let Project { permissions, limits, approvals, .. } = &self.project;
        let Permissions { allow, ask, deny, .. } = permissions;
        let text = |pattern: &ToolPattern| String::from(pattern.clone());
        let mut config = Config::new();
        config.limits(limits.clone()).question_lifetime(approvals.timeout).ask_unnamed();
        for pattern in allow {
            config.allow_tool(text(pattern));
        }
        for pattern in ask {
            config.ask_tool(text(pattern));
        }
        for pattern in deny {
            config.deny_tool(text(pattern));
        }
        config
    }
}

//! `pml remove`

use super::{add, project, ui};
use crate::{Environment, SettingsFile, escape};
use anyhow::Result;
use clap::Args;
use std::process::ExitCode;

/// Remove a server from this project's `.pml.json`
#[derive(Args)]
pub(super) struct Remove {
    /// The server's name
    #[arg(value_name = "NAME")]
    name: String,
}

impl Remove {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (folder, environment) = (project::current()?, Environment::of_process());
        let edited = SettingsFile::of(&folder, &environment)?.remove_server(&self.name)?;
        ui::print(&format!("`{}` is removed from `.pml.json`", escape(&self.name)))?;
        add::hint(edited, &environment)?;
        Ok(ExitCode::SUCCESS)
    }
}

//! The command `pml remove`: removes a server from `.pml.json`.

use super::{add, project, ui};
use crate::widening_permit;
use anyhow::Result;
use clap::Args;
use pml::json::json;
use pml::{Environment, journal::AuditEvent, project::SettingsFile, text::escape};
use std::process::ExitCode;

/// Remove a server from this project's `.pml.json`
#[derive(Args)]
pub(super) struct RemoveCommand {
    /// The server's name
    #[arg(value_name = "NAME")]
    name: String,
    /// Print exactly one line of JSON on stdout: the server that was `removed`
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl RemoveCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (folder, environment) = (project::current_folder()?, Environment::of_process());
        let settings = SettingsFile::of(&folder, &environment)?;
        let edited = settings.remove_server(&self.name)?;
        let (folder, changes) = (
            settings.root().to_string_lossy().into_owned(),
            vec![format!("removed server {}", self.name)],
        );
        widening_permit::note(|who, channel| AuditEvent::Changed { folder, changes, who, channel });
        ui::print(&format!("server `{}` is removed from `.pml.json`", escape(&self.name)))?;
        ui::document(&json!({ "removed": self.name }))?;
        add::print_next_steps(edited, &environment)?;
        Ok(ExitCode::SUCCESS)
    }
}

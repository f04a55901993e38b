//! The command `pml init`: makes a folder a project.

use super::import::{ImportCandidates, McpJsonServers};
use super::ui::{self, BOLD, DIM, HINT};
use super::{add, project};
use crate::widening_permit::{self, WideningPermit};
use anyhow::Result;
use clap::Args;
use pml::json::json;
use pml::{
    Environment, Error, Store,
    project::{
        ImportSource, OverwriteMode, ProjectState, SettingsFile, SettingsSharing, update_gitignore,
    },
    text::escape,
};
use std::process::ExitCode;

/// Make this folder a project: `.pml.json`, `.pml/`, and lines in `.gitignore`
///
/// Existing files keep their content. Offers to import the servers of other clients, and asks before
/// it does. Without a terminal it needs `--yes`, which imports them too, unless `--no-import` is
/// given. Agents cannot run it.
#[derive(Args)]
pub(super) struct InitCommand {
    /// Keep `.pml.json` in version control, to share it
    #[arg(long)]
    shared: bool,
    /// Do not ask, and import the servers of other clients
    #[arg(long, short)]
    yes: bool,
    /// Do not import servers of other clients
    #[arg(long)]
    no_import: bool,
    /// Print exactly one line of JSON on stdout: the folder, and what was `written`
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl InitCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let permit = widening_permit::request("pml init", self.yes)?;
        let environment = Environment::of_process();
        let settings = SettingsFile::of(&project::current_folder()?, &environment)?;
        let created = settings.create()?;
        let root = settings.root();
        let folder = root.join(ProjectState::FOLDER);
        let is_new = !folder.exists();
        Store::make_folder(&folder).map_err(Error::from)?;
        let sharing = if self.shared { SettingsSharing::Shared } else { SettingsSharing::Private };
        let ignored = update_gitignore(root, sharing)?;
        let status_line = |done: bool, what: &str| match done {
            true => format!("  {what} is written"),
            false => format!("  {DIM}{what} exists already{DIM:#}"),
        };
        if created.changed {
            permit.note_change(root, vec!["made `.pml.json`".into()]);
        }
        ui::print(&format!("{BOLD}project{BOLD:#} {}", escape(&root.to_string_lossy())))?;
        ui::print(&status_line(created.changed, "`.pml.json`"))?;
        ui::print(&status_line(is_new, "`.pml/`"))?;
        ui::print(&status_line(ignored, "`.gitignore`"))?;
        match self.no_import {
            true => add::print_next_steps(created, &environment)?,
            false => self.import_servers(created, &environment, &permit)?,
        }
        ui::print("next, to use it in Claude Code:\n  claude mcp add pml -- pml stdio")?;
        let parts = [(created.changed, ".pml.json"), (is_new, ".pml/"), (ignored, ".gitignore")];
        let written: Vec<_> = parts.iter().filter(|part| part.0).map(|part| part.1).collect();
        ui::document(&json!({ "root": root.to_string_lossy(), "written": written }))?;
        Ok(ExitCode::SUCCESS)
    }

    fn import_servers(
        &self,
        created: pml::project::EditOutcome,
        environment: &Environment,
        permit: &WideningPermit,
    ) -> Result<()> {
        let candidates = ImportCandidates::find(
            environment,
            ImportSource::ALL,
            OverwriteMode::Refuse,
            McpJsonServers::Skip,
        )?;
        if candidates.is_empty() {
            return add::print_next_steps(created, environment);
        }
        candidates.show()?;
        let reviewed_by = match self.yes {
            true => Some(candidates.reviewer_if_not_asked()),
            false => candidates.confirm()?,
        };
        match reviewed_by {
            Some(reviewed_by) => {
                candidates.write(environment, OverwriteMode::Refuse, reviewed_by, permit)?;
                candidates.print_written()
            }
            None => {
                ui::say(&format!("{HINT}hint{HINT:#}: `pml import` imports them later"));
                add::print_next_steps(created, environment)
            }
        }
    }
}

//! The command `pml init`: makes a folder a project.

use super::import::{ImportCandidates, McpJsonServers};
use super::ui::{self, BOLD, DIM, HINT};
use super::{add, project};
use crate::widening_permit::{self, WideningPermit};
use anyhow::Result;
use clap::Args;
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
/// What is there already stays as it is. Offers to import the servers that other clients know, and
/// asks before it does. Without a terminal it takes `--yes`, with which they are imported, unless
/// `--no-import` is given too. Where an agent runs the command, it is refused.
#[derive(Args)]
pub(super) struct InitCommand {
    /// Keep `.pml.json` in version control, for everybody
    #[arg(long)]
    shared: bool,
    /// Go without a terminal, and import what other clients know without asking
    #[arg(long)]
    yes: bool,
    /// Do not look at other clients
    #[arg(long)]
    no_import: bool,
}

impl InitCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let pass = widening_permit::pass("pml init", self.yes)?;
        let environment = Environment::of_process();
        let settings = SettingsFile::of(&project::current()?, &environment)?;
        let created = settings.create()?;
        let root = settings.root();
        let folder = root.join(ProjectState::FOLDER);
        let is_new = !folder.exists();
        Store::make_folder(&folder).map_err(Error::from)?;
        let sharing = if self.shared { SettingsSharing::Shared } else { SettingsSharing::Private };
        let ignored = update_gitignore(root, sharing)?;
        let said = |done: bool, what: &str| match done {
            true => format!("  {what} written"),
            false => format!("  {DIM}{what} is there already{DIM:#}"),
        };
        if created.changed {
            pass.note_change(root, vec!["made `.pml.json`".into()]);
        }
        ui::print(&format!("{BOLD}project{BOLD:#} {}", escape(&root.to_string_lossy())))?;
        ui::print(&said(created.changed, "`.pml.json`"))?;
        ui::print(&said(is_new, "`.pml/`"))?;
        ui::print(&said(ignored, "`.gitignore`"))?;
        match self.no_import {
            true => add::hint(created, &environment)?,
            false => self.offer(created, &environment, &pass)?,
        }
        ui::print("to use it in Claude Code:\n  claude mcp add pml -- pml stdio")?;
        Ok(ExitCode::SUCCESS)
    }

    fn offer(
        &self,
        created: pml::project::EditOutcome,
        environment: &Environment,
        pass: &WideningPermit,
    ) -> Result<()> {
        let offer = ImportCandidates::of(
            environment,
            ImportSource::ALL,
            OverwriteMode::Refuse,
            McpJsonServers::Skip,
        )?;
        if offer.is_empty() {
            return add::hint(created, environment);
        }
        offer.show()?;
        let seen = match self.yes {
            true => Some(offer.taken_unseen()),
            false => offer.asked()?,
        };
        match seen {
            Some(seen) => {
                offer.write(environment, OverwriteMode::Refuse, seen, pass)?;
                offer.say_written()
            }
            None => {
                ui::say(&format!("{HINT}hint{HINT:#}: `pml import` takes them later"));
                add::hint(created, environment)
            }
        }
    }
}

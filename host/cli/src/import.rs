//! The command `pml import`, and the parts that `pml init` shares with it.

use super::facts::{LabelledFact, lay_out};
use super::quantity::counted;
use super::terminal::{Terminal, width_of_stdout};
use super::trust::one_line;
use super::ui::{self, BOLD, DIM, HINT};
use super::{add, project};
use crate::widening_permit::{self, WideningPermit};
use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use pml::json::{Value, json};
use pml::{
    Environment, Project,
    project::{
        FoundServer, FoundServers, ImportScope, ImportSource, OverwriteMode, ReviewedBy,
        SettingsFile, find_servers,
    },
    text::escape,
};
use std::process::ExitCode;

/// The command as a user types it.
const COMMAND: &str = "pml import";

/// Import the servers of other clients into this project's `.pml.json`
///
/// Finds the servers of Claude Code, Claude Desktop, VS Code and Cursor, shows them, and asks. With
/// `--yes`, servers from files of the project itself (`.mcp.json`, `.vscode/mcp.json`,
/// `.cursor/mcp.json`) leave `.pml.json` untrusted until `pml trust`. Without a terminal the servers
/// are only listed, unless `--yes` is given. Agents cannot run it.
#[derive(Args)]
pub(super) struct ImportCommand {
    /// Only of these clients
    #[arg(value_name = "SOURCE", value_parser = clients())]
    sources: Vec<ImportSource>,
    /// Import all without asking
    #[arg(long, short)]
    yes: bool,
    /// Replace servers of the same name
    #[arg(long)]
    force: bool,
    /// Only show what would be imported
    #[arg(long)]
    dry_run: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

fn clients() -> impl TypedValueParser<Value = ImportSource> {
    let names = PossibleValuesParser::new(ImportSource::ALL.iter().map(|client| client.as_str()));
    names.try_map(|name| ImportSource::named(&name).ok_or("there is no such client"))
}

/// The servers that other clients have, compared with those in `.pml.json`.
pub(super) struct ImportCandidates {
    new: Vec<FoundServer>,
    /// Names of servers that `.pml.json` has already.
    already_declared: Vec<String>,
    found: FoundServers,
}

impl ImportCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let environment = Environment::of_process();
        let permit = match self.dry_run {
            true => None,
            false => Some(widening_permit::refuse_agents(COMMAND)?),
        };
        let sources = match self.sources.is_empty() {
            true => ImportSource::ALL.to_vec(),
            false => self.sources,
        };
        let overwrite = if self.force { OverwriteMode::Replace } else { OverwriteMode::Refuse };
        let candidates =
            ImportCandidates::find(&environment, &sources, overwrite, McpJsonServers::Import)?;
        if !self.json {
            candidates.show()?;
        }
        let review = match (self.dry_run || candidates.new.is_empty(), self.yes) {
            (true, _) => None,
            (false, true) => Some(candidates.reviewer_if_not_asked()),
            (false, false) if self.json => None,
            (false, false) => candidates.confirm()?,
        };
        if let (Some(reviewed_by), Some(permit)) = (review, &permit) {
            candidates.write(&environment, overwrite, reviewed_by, permit)?;
            if !self.json {
                candidates.print_written()?;
            }
        } else if !self.json && !candidates.new.is_empty() {
            ui::say(&format!("{HINT}hint{HINT:#}: `pml import --yes` imports them"));
        }
        if self.json {
            ui::document(&candidates.to_json(if review.is_some() {
                ImportStatus::Written
            } else {
                ImportStatus::NotWritten
            }))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The result of the import: the servers were written to `.pml.json`, or not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ImportStatus {
    Written,
    NotWritten,
}

/// The treatment of servers in `.mcp.json`, a file that pml reads itself.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum McpJsonServers {
    Import,
    Skip,
}

impl ImportCandidates {
    /// Finds the servers of these clients.
    pub(super) fn find(
        environment: &Environment,
        clients: &[ImportSource],
        overwrite: OverwriteMode,
        mcp_json: McpJsonServers,
    ) -> Result<ImportCandidates> {
        let folder = project::current_folder()?;
        let project = Project::load_with_environment(&folder, environment)?;
        let is_ours = |name: &str| {
            project
                .declared_server(name)
                .is_some_and(|declared| declared.file.ends_with(".pml.json"))
        };
        let mut found = find_servers(&folder, environment, clients);
        if mcp_json == McpJsonServers::Skip {
            found.servers.retain(|server| !server.file.ends_with(".mcp.json"));
        }
        let (already_declared, new): (Vec<_>, Vec<_>) = std::mem::take(&mut found.servers)
            .into_iter()
            .partition(|server| overwrite == OverwriteMode::Refuse && is_ours(&server.name));
        Ok(ImportCandidates {
            new,
            already_declared: already_declared.into_iter().map(|server| server.name).collect(),
            found,
        })
    }

    /// Reports whether there is no new server.
    pub(super) fn is_empty(&self) -> bool {
        self.new.is_empty()
    }

    /// Prints the servers that were found. All of their text comes from files that others may have
    /// written.
    pub(super) fn show(&self) -> Result<()> {
        let count = counted(self.new.len() as u64, "server");
        ui::print(&match self.new.is_empty() {
            true => "there is nothing new to import".into(),
            false => format!("{count} can be imported:"),
        })?;
        let facts: Vec<_> = self.new.iter().flat_map(facts).collect();
        for line in lay_out(&facts, width_of_stdout()) {
            ui::print(&line)?;
        }
        for name in &self.already_declared {
            ui::print(&format!("  {DIM}`{}` is already in `.pml.json`{DIM:#}", escape(name)))?;
        }
        for skipped in &self.found.skipped {
            let what = skipped.name.as_deref().map_or("a file".into(), |name| format!("`{name}`"));
            let file = skipped.file.to_string_lossy();
            ui::print(&format!(
                "  {DIM}{} is left out: {} ({}){DIM:#}",
                escape(&what),
                one_line(skipped.reason.lines().next().unwrap_or_default()),
                one_line(&file)
            ))?;
        }
        Ok(())
    }

    /// Asks on the terminal whether to import. Returns `None` if there is no terminal, or the
    /// answer is no.
    pub(super) fn confirm(&self) -> Result<Option<ReviewedBy>> {
        if !widening_permit::person_is_present() {
            return Ok(None);
        }
        let Some(terminal) = Terminal::open() else { return Ok(None) };
        let count = counted(self.new.len() as u64, "server");
        Ok(terminal
            .confirm(&format!("import {count} into `.pml.json`?"))?
            .then_some(ReviewedBy::User))
    }

    /// Returns who has reviewed the servers if nobody is asked: the user, if all come from the
    /// user's own files. Files of the project may be written by anybody.
    pub(super) fn reviewer_if_not_asked(&self) -> ReviewedBy {
        match self.new.iter().all(|server| server.scope == ImportScope::User) {
            true => ReviewedBy::User,
            false => ReviewedBy::Nobody,
        }
    }

    /// Writes the new servers to `.pml.json`, and notes that in the audit trail.
    pub(super) fn write(
        &self,
        environment: &Environment,
        overwrite: OverwriteMode,
        reviewed_by: ReviewedBy,
        permit: &WideningPermit,
    ) -> Result<()> {
        let servers: Vec<_> =
            self.new.iter().map(|server| (server.name.clone(), server.entry.clone())).collect();
        let settings = SettingsFile::of(&project::current_folder()?, environment)?;
        let edited = settings.add_servers(&servers, overwrite, reviewed_by)?;
        let changes =
            servers.iter().map(|(name, entry)| add::describe_added(name, entry)).collect();
        permit.note_change(settings.root(), changes);
        add::print_next_steps(edited, environment)
    }

    /// Prints how many servers were imported.
    pub(super) fn print_written(&self) -> Result<()> {
        let count = counted(self.new.len() as u64, "server");
        Ok(ui::print(&format!("{count} imported into `.pml.json`"))?)
    }

    fn to_json(&self, written: ImportStatus) -> Value {
        let server = |server: &FoundServer| {
            json!({
                "name": server.name,
                "source": server.client.as_str(),
                "file": server.file.to_string_lossy(),
                "launch": server.launch,
                "notes": server.notes,
            })
        };
        let skipped = self.found.skipped.iter().map(|skipped| {
            json!({
                "name": skipped.name,
                "file": skipped.file.to_string_lossy(),
                "reason": skipped.reason,
            })
        });
        json!({
            "written": written == ImportStatus::Written,
            "servers": self.new.iter().map(server).collect::<Value>(),
            "taken": self.already_declared,
            "left_out": skipped.collect::<Value>(),
        })
    }
}

/// Returns all facts about a server that can change what it does, as they would be written: the
/// person agrees to all of them.
fn facts(server: &FoundServer) -> Vec<LabelledFact> {
    let first = LabelledFact::named("server", &server.name, BOLD, &server.launch);
    let mut facts = vec![first.with_label_suffix(server.client.as_str())];
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    facts.extend(
        server
            .entry
            .get("cwd")
            .map(|folder| LabelledFact::with_own_label("  in", DIM, &text(folder))),
    );
    for key in ["env", "headers"] {
        let given = server.entry.get(key).and_then(Value::as_object).into_iter().flatten();
        facts.extend(given.map(|(name, value)| LabelledFact::variable(name, &text(value))));
    }
    facts.extend(server.notes.iter().map(|note| LabelledFact::with_own_label("  note", DIM, note)));
    facts
}

//! The command `pml trust`: shows what a project's files would do, asks a person if there is a
//! terminal, and records the trust.

use super::facts::{LabelledFact, lay_out};
use super::quantity::counted;
use super::terminal::{Terminal, width_of_stderr, width_of_stdout};
use super::ui::{self, BOLD, DIM, WARNING};
use super::wrap::wrap;
use super::{project, report, report::HintedError};
use crate::present_fields::present_fields;
use crate::widening_permit::{self, WideningPermit};
use anyhow::Result;
use clap::Args;
use pml::json::{Value, json};
use pml::{
    Environment, Project,
    journal::AuditEvent,
    project::{
        DeclaredFact, DeclaredFactKind, DeclaredFile, DeclaredFileState, DeclaredVariable,
        TrustState, locate,
    },
    text::{escape, in_one_line, redact},
};
use std::process::ExitCode;

/// The command as a user types it.
const COMMAND: &str = "pml trust";

/// Trust this project's files as they are now
///
/// A project's `.pml.json` and `.mcp.json` start, allow and expand nothing until you trust them: they
/// may have come with a cloned repository. You trust them together with the files of the project
/// that launch lines name (`./tools/docs.py`), and with the variables of `.env` that decide what is
/// loaded or that replace a default. If any of them changes, you are asked again. Other variables of
/// `.env` need no trust: they are keys for `env` and `headers`. What a script imports is not checked.
///
/// The command shows what you trust: servers with their launch lines, and what is allowed without
/// asking. Then it asks you; without a terminal it needs `--yes`. Agents cannot run it.
#[derive(Args)]
pub(super) struct TrustCommand {
    /// Take the trust back
    #[arg(long)]
    revoke: bool,
    /// Only show what you would trust
    #[arg(long, conflicts_with_all = ["revoke", "yes"])]
    show: bool,
    /// Trust without asking
    #[arg(long, short, conflicts_with = "revoke")]
    yes: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

impl TrustCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (folder, environment) = (project::current_folder()?, Environment::of_process());
        if self.revoke {
            let was_trusted = Project::revoke_trust(&folder, &environment)?;
            if was_trusted {
                let folder = locate(&folder, &environment).to_string_lossy().into_owned();
                widening_permit::note(|who, channel| AuditEvent::Distrusted {
                    folder,
                    who,
                    channel,
                });
            }
            match (self.json, was_trusted) {
                (true, was_trusted) => ui::document(&json!({ "revoked": was_trusted }))?,
                (false, true) => ui::print("this folder is not trusted any more")?,
                (false, false) => ui::print("this folder was not trusted")?,
            }
            return Ok(ExitCode::SUCCESS);
        }
        let project = Project::load_with_environment(&folder, &environment)?;
        if project.trust == TrustState::NotNeeded {
            return Err(HintedError::new(
                format!(
                    "this folder has no `.pml.json` and no `.mcp.json` to trust: {}",
                    escape(&project.root.to_string_lossy())
                ),
                "`pml init` makes this folder a project",
            )
            .into());
        }
        if self.show {
            self.print_project(&project, state_text(&project))?;
            return Ok(ExitCode::SUCCESS);
        }
        let permit = widening_permit::refuse_agents(COMMAND)?;
        if project.trust.is_trusted() {
            // Trusting the same files again widens nothing, so nobody is asked.
            self.print_project(&project, granted_text(&project))?;
            return Ok(ExitCode::SUCCESS);
        }
        let permit = permit.require_person(COMMAND, self.yes)?;
        if !self.yes && !confirm_trust(&project)? {
            let message = "nothing was changed: the files are not trusted";
            return Ok(report::declined(message)?);
        }
        // The content that was read and shown is trusted, even if the files have changed since.
        project.grant_trust(&environment)?;
        note_trust(&permit, &project);
        if self.yes {
            self.print_project(&project, granted_text(&project))?;
            return Ok(ExitCode::SUCCESS);
        }
        match self.json {
            true => ui::document(&project_json(&project))?,
            false => ui::print(&format!("{BOLD}{}{BOLD:#}", granted_text(&project)))?,
        }
        Ok(ExitCode::SUCCESS)
    }

    fn print_project(&self, project: &Project, state: &str) -> Result<()> {
        match self.json {
            true => ui::document(&project_json(project))?,
            false => ui::print(&lines(project, state, width_of_stdout()).join("\n"))?,
        }
        Ok(())
    }
}

/// Records in the audit trail which files are trusted.
fn note_trust(permit: &WideningPermit, project: &Project) {
    let folder = project.root.to_string_lossy().into_owned();
    let files = project.digests().map(|(name, digest)| (name.into(), digest.into())).collect();
    permit.note(|who, channel| AuditEvent::Trusted { folder, files, who, channel });
}

/// Shows a project, and asks whether to trust it.
fn confirm_trust(project: &Project) -> Result<bool> {
    let Some(terminal) = Terminal::open() else {
        let hint = "bring the command to the foreground, or run `pml trust --yes`";
        return Err(HintedError::new(
            "the terminal cannot be asked: the command runs in the background",
            hint,
        )
        .into());
    };
    ui::alert(&lines(project, state_text(project), width_of_stderr()).join("\n"));
    Ok(terminal.confirm("do you trust these files?")?)
}

fn granted_text(project: &Project) -> &'static str {
    match &project.trust {
        TrustState::Trusted => "already trusted",
        TrustState::Changed { files, .. } if !files.is_empty() => "trusted again",
        _ => "trusted",
    }
}

fn state_text(project: &Project) -> &'static str {
    match &project.trust {
        TrustState::Trusted => "trusted",
        TrustState::Changed { files, new }
            if files.is_empty() && new.iter().any(|part| is_settings(part)) =>
        {
            "not trusted yet"
        }
        TrustState::Changed { .. } => "changed since you trusted it",
        _ => "not trusted",
    }
}

/// Reports whether a part is a file with settings: what nobody has trusted yet, and not a change.
fn is_settings(part: &str) -> bool {
    [".pml.json", ".mcp.json"].contains(&part)
}

fn project_json(project: &Project) -> Value {
    let declared = &project.declared;
    let servers = declared.servers.iter().map(|server| {
        present_fields(json!({
            "name": server.name,
            "launch": server.launch,
            "cwd": server.folder,
            "given": server.given.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            "file": server.file.file_name().unwrap_or_default().to_string_lossy(),
            "line": server.line,
            "install_scripts": server.install_scripts,
            "unusable": server.unusable,
        }))
    });
    present_fields(json!({
        "root": project.root.to_string_lossy(),
        "files": project.files().collect::<Vec<_>>(),
        "changed": match &project.trust {
            TrustState::Changed { files, new } => {
                let mut names = [&files[..], &new[..]].concat();
                names.sort();
                names
            }
            _ => Vec::new(),
        },
        "servers": servers.collect::<Value>(),
        "allow": declared.allow,
        "grants": redact(&json!(declared.grants)),
        "cloud": declared.cloud,
        "model_may_approve": declared.model_may_approve,
        "named_files": declared.files.iter().map(file_json).collect::<Value>(),
        "variables": declared.variables.iter().map(variable_json).collect::<Value>(),
        "would": declared.facts().iter().map(ToString::to_string).collect::<Vec<_>>(),
    }))
}

fn file_json(file: &DeclaredFile) -> Value {
    let (state, to) = match &file.state {
        DeclaredFileState::Pinned => ("trusted_as_it_is", None),
        DeclaredFileState::LinksOutside { to } => ("leads_out", Some(to)),
        DeclaredFileState::Absent => ("absent", None),
        DeclaredFileState::Outside => ("outside", None),
        DeclaredFileState::Data => ("data", None),
        DeclaredFileState::Unresolved => ("unresolved", None),
        DeclaredFileState::LoadFolder => ("loaded_from", None),
    };
    present_fields(json!({ "name": file.name, "server": file.server, "state": state, "to": to }))
}

fn variable_json(variable: &DeclaredVariable) -> Value {
    json!({
        "name": variable.name,
        "given": variable.given_to,
        "steers_loading": variable.steers_loading,
        "has_default": variable.overrides_default,
        "in_env_file": variable.in_env_file,
    })
}

/// Describes for a person what would be trusted. All of it comes from files that anybody may have
/// written.
fn lines(project: &Project, state: &str, width: Option<usize>) -> Vec<String> {
    let files = project.files().collect::<Vec<_>>().join("` and `");
    let root = in_one_line(&project.root.to_string_lossy());
    let mut lines = vec![format!("{BOLD}{state}{BOLD:#}: `{files}` of {root}")];
    if let TrustState::Changed { .. } = &project.trust
        && let Some(reason) = project.trust.reason()
    {
        lines.push(format!("  {WARNING}{}{WARNING:#}", in_one_line(&reason)));
    }
    let (server_facts, project_facts): (Vec<_>, Vec<_>) =
        project.declared.facts().into_iter().partition(|fact| fact.server.is_some());
    if !server_facts.is_empty() {
        lines.push(format!("  {}:", counted(project.declared.servers.len() as u64, "server")));
        let facts: Vec<_> = server_facts.iter().map(server_fact).collect();
        lines.extend(lay_out(&facts, width));
    }
    for fact in &project_facts {
        let label = match fact.kind {
            DeclaredFactKind::Allowed => "allowed without asking",
            DeclaredFactKind::Granted => "always allowed",
            DeclaredFactKind::Cloud => "calls sent to the cloud",
            DeclaredFactKind::File => "file",
            DeclaredFactKind::Variable => "variable",
            DeclaredFactKind::NotCovered => "not checked",
            _ => {
                let text = in_one_line(&fact.to_string());
                lines.push(format!("  {WARNING}{text}{WARNING:#}"));
                continue;
            }
        };
        let line = format!("  {label} │ {}", in_one_line(&fact.text));
        lines.push(width.map_or(line.clone(), |width| wrap(&line, width)));
    }
    lines.push(format!(
        "{DIM}a change asks again; `pml trust --revoke` takes the trust back{DIM:#}"
    ));
    lines
}

/// Returns the fact about a server, or about something that can change what it does.
fn server_fact(fact: &DeclaredFact) -> LabelledFact {
    let (text, server) = (&fact.text, fact.server.as_deref().unwrap_or_default());
    let name = fact.name.as_deref().unwrap_or_default();
    match fact.kind {
        DeclaredFactKind::Server => LabelledFact::named("server", server, BOLD, text),
        DeclaredFactKind::Folder => LabelledFact::with_own_label("  in", DIM, text),
        DeclaredFactKind::InstallScripts => {
            LabelledFact::with_own_label("  installs", WARNING, "may RUN CODE of its package")
        }
        DeclaredFactKind::Unusable => {
            LabelledFact::with_own_label("  cannot be used", WARNING, text)
        }
        _ => LabelledFact::redacted_variable(name, text),
    }
}

/// Most columns of a text from others where no decision depends on it.
const SHOWN_COLUMNS: usize = 200;

/// Returns a text as one line that cannot be mistaken for a line of pml. A long text is cut.
pub(super) fn one_line(text: &str) -> String {
    pml::text::cut_to_columns(&in_one_line(text), SHOWN_COLUMNS)
}

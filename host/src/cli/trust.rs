//! `pml trust`

use super::quantity::counted;
use super::table::{Cell, table};
use super::ui::{self, BOLD, DIM, WARNING};
use super::{project, report::Hinted};
use crate::json::{Value, json};
use crate::{DeclaredServer, Environment, Project, TrustState, brief, escape, redact};
use anyhow::Result;
use clap::Args;
use std::process::ExitCode;

/// Trust this project's files as they are now
///
/// A project's `.pml.json` and `.mcp.json` start, allow and expand nothing until you trust them; a cloned repository may
/// have brought them. A change of either asks again. What you trust is printed: servers with their launch lines, and what
/// is allowed without asking. `.env` needs no trust: it gives values to `env` and `headers`, and decides nothing.
#[derive(Args)]
pub(super) struct Trust {
    /// Trust it no longer
    #[arg(long)]
    revoke: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

impl Trust {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (folder, environment) = (project::current()?, Environment::of_process());
        if self.revoke {
            let known = Project::revoke_trust(&folder, &environment)?;
            match (self.json, known) {
                (true, known) => ui::out(&json!({ "revoked": known }).to_string())?,
                (false, true) => ui::print("this folder is no longer trusted")?,
                (false, false) => ui::print("this folder was not trusted")?,
            }
            return Ok(ExitCode::SUCCESS);
        }
        let project = Project::load_in(&folder, &environment)?;
        if project.trust == TrustState::NotNeeded {
            return Err(Hinted::new(
                format!(
                    "there is nothing to trust here: {}",
                    escape(&project.root.to_string_lossy())
                ),
                "`pml init` makes a `.pml.json`",
            )
            .into());
        }
        project.grant_trust(&environment)?;
        match self.json {
            true => ui::out(&told(&project).to_string())?,
            false => ui::print(&lines(&project).join("\n"))?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn told(project: &Project) -> Value {
    let declared = &project.declared;
    let servers = declared.servers.iter().map(|server| {
        json!({
            "name": server.name,
            "launch": server.launch,
            "cwd": server.folder,
            "given": server.given.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            "file": server.file.file_name().unwrap_or_default().to_string_lossy(),
            "line": server.line,
            "unusable": server.unusable,
        })
    });
    json!({
        "root": project.root.to_string_lossy(),
        "files": project.files().collect::<Vec<_>>(),
        "changed": match &project.trust {
            TrustState::Changed { files } => files.clone(),
            _ => Vec::new(),
        },
        "servers": servers.collect::<Value>(),
        "allow": declared.allow,
        "grants": redact(&declared.grants),
        "cloud": declared.cloud,
        "model_may_approve": declared.model_may_approve,
    })
}

/// What a person trusts, in words. All of it comes from files that anybody may have written.
fn lines(project: &Project) -> Vec<String> {
    let files = project.files().collect::<Vec<_>>().join("` and `");
    let before = match &project.trust {
        TrustState::Trusted => "still trusted",
        TrustState::Changed { .. } => "trusted again",
        _ => "trusted",
    };
    let root = escape(&project.root.to_string_lossy()).into_owned();
    let mut lines = vec![format!("{BOLD}{before}{BOLD:#}: `{files}` of {root}")];
    let declared = &project.declared;
    if !declared.servers.is_empty() {
        lines.push(format!("  {}:", counted(declared.servers.len() as u64, "server")));
        let rows = declared.servers.iter().flat_map(rows);
        lines.extend(table(&rows.collect::<Vec<_>>()));
    }
    if !declared.allow.is_empty() {
        let patterns = declared.allow.iter().cloned().map(String::from);
        let patterns: Vec<_> = patterns.map(|pattern| format!("`{pattern}`")).collect();
        lines.push(format!("  called without asking: {}", patterns.join(", ")));
    }
    if !declared.grants.is_null() {
        lines.push(format!("  allowed for good │ {}", brief(&declared.grants, WIDTH)));
    }
    if let Some(cloud) = &declared.cloud {
        lines.push(format!("  cloud │ {}", one_line(cloud)));
    }
    if declared.model_may_approve {
        lines.push(format!("  {WARNING}the model may approve its own calls{WARNING:#}"));
    }
    lines.push(format!(
        "{DIM}a change of these files asks again; `pml trust --revoke` forgets{DIM:#}"
    ));
    lines
}

/// A server, and all that can change what it does: a variable may make a harmless program load another.
fn rows(server: &DeclaredServer) -> Vec<Vec<Cell>> {
    let row = |name: &str, style, text: &str| {
        let name = Cell::styled(escape(name), style);
        vec![Cell::plain("   "), name, Cell::plain(format!("│ {}", one_line(text)))]
    };
    let mut rows = vec![row(&server.name, BOLD, &server.launch)];
    rows.extend(server.folder.iter().map(|folder| row("  in", DIM, folder)));
    for (name, value) in &server.given {
        let shown = redact(&json!({ name: value.reveal() }));
        let shown = shown.as_object().and_then(|shown| shown.values().next());
        let shown = shown.and_then(Value::as_str).unwrap_or_default();
        rows.push(row(&format!("  {name}"), DIM, shown));
    }
    if let (Some(reason), Some(first)) = (&server.unusable, rows.first_mut()) {
        first.push(Cell::styled(escape(reason), WARNING));
    }
    rows
}

/// How much of a text that others wrote is shown.
const WIDTH: usize = 200;

/// A launch line in one line, so that it cannot pass for a line of ours.
pub(super) fn one_line(text: &str) -> String {
    crate::cut(&escape(text).replace('\n', "\\n").replace('\t', "\\t"), WIDTH)
}

//! `pml lock`: shows what the lock would have, asks, and writes it.

use super::check::require_trust;
use super::command::LockWriteFlags;
use super::show::{change_lines, changes_json};
use crate::execute::runtime;
use crate::install::{install_packages, missing_packages, package_lines};
use crate::project;
use crate::project_context::ProjectContext;
use crate::quantity::counted;
use crate::report::{self, FAILED, HintedError};
use crate::terminal::Terminal;
use crate::ui::{self, ERROR, HINT};
use crate::widening_permit::{self, WideningPermit};
use anyhow::Result;
use pml::json::{Value, json};
use pml::lock::{LockChange, LockChangeKind};
use pml::project::LockReview;
use pml::{Code, Store, text::escape};
use std::mem::ManuallyDrop;
use std::process::ExitCode;
use std::time::Duration;

/// The command as a user types it.
const COMMAND: &str = "pml lock";

/// How long all servers together may take to start.
const LISTING_TIME: Duration = Duration::from_secs(5 * 60);

/// Reviews and writes the lock.
pub(super) fn write(flags: &LockWriteFlags) -> Result<ExitCode> {
    let permit = widening_permit::refuse_agents(COMMAND)?;
    let context = ManuallyDrop::new(ProjectContext::open(flags.files_trust()?)?);
    require_trust(&context)?;
    let permit = permit.require_person(COMMAND, flags.yes)?;
    Store::make_folder(context.project.state_folder()).map_err(pml::Error::from)?;
    let servers = &context.servers;
    ManuallyDrop::new(runtime()?).block_on(async {
        let (missing, failed) = missing_packages(servers, &servers.names()).await;
        let mut failed: Vec<(String, String)> = failed
            .into_iter()
            .map(|failed| (failed.server.clone(), failed.error.message.clone()))
            .collect();
        missing.iter().for_each(|package| ui::alert(&package_lines(package)));
        if !missing.is_empty() {
            if !flags.yes && !confirm(COMMAND, "install these packages")? {
                return Ok(report::declined("nothing is installed, and the lock is as before")?);
            }
            let journal = project::open_journal(context.project.durability)?;
            let (_, not_installed) = install_packages(servers, missing, &*journal).await;
            let reasons = not_installed.into_iter().map(|one| (one.server, one.error.message));
            failed.extend(reasons);
        }
        let writer =
            LockWriter { context: &context, permit: &permit, command: COMMAND, yes: flags.yes };
        writer.lock_servers_and_tools(failed).await
    })
}

/// Reviews and writes a lock for a command.
pub(super) struct LockWriter<'a> {
    pub(super) context: &'a ProjectContext,
    pub(super) permit: &'a WideningPermit,
    /// The command as a user types it.
    pub(super) command: &'a str,
    /// Whether the user agreed beforehand.
    pub(super) yes: bool,
}

impl LockWriter<'_> {
    /// Reviews the servers and then their tools, asks about what differs, and writes the lock.
    /// `failed` are servers that failed before.
    pub(super) async fn lock_servers_and_tools(
        &self,
        mut failed: Vec<(String, String)>,
    ) -> Result<ExitCode> {
        let servers = &self.context.servers;
        let first = servers.review_servers().await?;
        if !self.agree(&first)? {
            return Ok(report::declined("the lock is as before")?);
        }
        let mut written = self.write(&first).await?;
        let second = servers.review_tools(LISTING_TIME).await?;
        servers.close().await;
        // Tools of entries that were just agreed to are part of them.
        let differs = second.changes.iter().any(|change| change.kind == LockChangeKind::Changed);
        if differs && !self.agree(&second)? {
            let message = "the definitions of tools are as before; the servers are written";
            return Ok(report::declined(message)?);
        }
        if !differs {
            show(&second);
        }
        written |= self.write(&second).await?;
        for (server, reason) in first.failed.iter().chain(&second.failed) {
            if !failed.iter().any(|(known, _)| known == server) {
                failed.push((server.clone(), reason.clone()));
            }
        }
        let changes: Vec<LockChange> = first.changes.into_iter().chain(second.changes).collect();
        print_result(&changes, written, &failed)
    }

    /// Writes what was agreed to, and records it in the audit trail.
    async fn write(&self, review: &LockReview) -> Result<bool> {
        let written = self.context.servers.write_lock(review)?;
        let line = |change: &LockChange| {
            let tool = change.tool.as_ref().map(|tool| format!(":{tool}")).unwrap_or_default();
            format!("locked: {}{tool} ({})", change.server, change.kind.as_str())
        };
        let changes: Vec<String> = review.changes.iter().map(line).collect();
        if !changes.is_empty() {
            self.permit.note_change_async(&self.context.project.root, changes).await;
        }
        Ok(written)
    }

    /// Shows the changes, and asks about them if something that was locked or approved differs.
    fn agree(&self, review: &LockReview) -> Result<bool> {
        show(review);
        Ok(self.yes || !review.asks() || confirm(self.command, "write this into the lock")?)
    }
}

fn show(review: &LockReview) {
    for line in change_lines(&review.changes, review.lock()) {
        ui::alert(&line);
    }
}

fn print_result(
    changes: &[LockChange],
    written: bool,
    failed: &[(String, String)],
) -> Result<ExitCode> {
    match written {
        true => ui::print("`.pml/mcp.lock` is written: commit it")?,
        false => ui::print("the lock has everything already")?,
    }
    let document = json!({ "changes": changes_json(changes), "written": written });
    if failed.is_empty() {
        ui::document(&document)?;
        return Ok(ExitCode::SUCCESS);
    }
    for (server, reason) in failed {
        let text = format!("server `{server}`: {reason}");
        ui::alert(&format!("{ERROR}error{ERROR:#}: {}", escape(&text)));
    }
    let names: Vec<_> = failed.iter().map(|(server, _)| server.as_str()).collect();
    let message =
        format!("not locked: {} (`{}`)", counted(names.len() as u64, "server"), names.join("`, `"));
    let mut document = document;
    let failed =
        failed.iter().map(|(server, reason)| json!({ "server": server, "reason": reason }));
    document["failed"] = failed.collect::<Value>();
    report::failed_document(document, Code::CommandFailed, &message)?;
    Ok(ExitCode::from(FAILED))
}

pub(super) fn confirm(command: &str, what: &str) -> Result<bool> {
    let terminal = ui::stderr_is_terminal().then(Terminal::open).flatten();
    let Some(terminal) = terminal else {
        let hint = "run it in a terminal, or agree beforehand with `--yes`";
        let error = HintedError::new("no terminal to confirm on", hint);
        return Err(error.with_code(Code::PersonRequired).into());
    };
    Ok(terminal.confirm(&format!("{HINT}{command}{HINT:#}: {what}?"))?)
}

//! `pml lock --check`: says what the lock lacks, or has otherwise, without starting a server.

use super::command::LockWriteFlags;
use crate::execute::runtime;
use crate::project_context::ProjectContext;
use crate::quantity::counted;
use crate::report::{self, FAILED, HintedError};
use crate::ui::{self, ERROR};
use anyhow::Result;
use pml::json::json;
use pml::{Code, lock::LockFile, text::escape};
use std::process::ExitCode;

/// Checks the lock.
pub(super) fn check(flags: &LockWriteFlags) -> Result<ExitCode> {
    let context = ProjectContext::open(flags.files_trust()?)?;
    require_trust(&context)?;
    let problems = runtime()?.block_on(context.servers.lock_problems())?;
    let lock = LockFile::in_folder(context.project.state_folder()).read()?.unwrap_or_default();
    if problems.is_empty() {
        let tools: usize = lock.servers.values().map(|server| server.tools.len()).sum();
        let (servers, tools) =
            (counted(lock.servers.len() as u64, "server"), counted(tools as u64, "tool"));
        ui::print(&format!("the lock has everything: {servers}, {tools}"))?;
        ui::document(&json!({ "problems": [] }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for problem in &problems {
        ui::alert(&format!("{ERROR}error{ERROR:#}: the lock is not complete: {}", escape(problem)));
    }
    let message = format!("the lock has {}", counted(problems.len() as u64, "problem"));
    ui::alert("hint: `pml lock` shows what would be written, and writes it");
    report::failed_document(json!({ "problems": problems }), Code::NotLocked, &message)?;
    Ok(ExitCode::from(FAILED))
}

/// Refuses a project whose files are not trusted: its servers are not known.
pub(super) fn require_trust(context: &ProjectContext) -> Result<()> {
    let Some(reason) = context.project.trust.reason() else { return Ok(()) };
    let hint = "`pml trust --show` shows what its files would start; `pml trust` trusts them";
    Err(HintedError::new(reason, hint).with_code(Code::Untrusted).into())
}

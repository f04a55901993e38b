//! The flags and subcommands of `pml lock`.

use super::diff::LockDiffCommand;
use super::update::LockUpdateCommand;
use super::why::LockWhyCommand;
use super::{check, review};
use crate::widening_permit::TrustOnceFlags;
use anyhow::Result;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Write the lock of all servers, check it, or compare it
///
/// `.pml/mcp.lock` says what programs of the project may run: packages with all that they depend
/// on, launch lines, scripts and URLs of servers, and the definitions of their tools. Commit it. A
/// run adds what it uses for the first time; `pml lock` adds everything at once: it installs what
/// is missing, starts each server and lists its tools. What differs from the lock is shown first.
/// A lock with conflicts of a merge is settled in the same way. Where an agent runs the command, it
/// is refused.
///
/// Exit codes: 0 the lock is written or has everything, 1 something could not be locked, or
/// `--check` found something.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct LockCommand {
    #[command(subcommand)]
    command: Option<LockSubcommand>,
    #[command(flatten)]
    write: LockWriteFlags,
}

#[derive(Subcommand)]
enum LockSubcommand {
    Update(LockUpdateCommand),
    Diff(LockDiffCommand),
    Why(LockWhyCommand),
}

/// The flags of writing and checking.
#[derive(Args)]
pub(super) struct LockWriteFlags {
    /// Write nothing and start nothing: only say what the lock lacks, or has otherwise
    #[arg(long)]
    check: bool,
    /// Do not ask for a yes on the terminal; without a terminal it is needed
    #[arg(long, short, conflicts_with = "check")]
    pub(super) yes: bool,
    /// Trust the project's files, whatever they say, for this command; no trust is recorded
    #[arg(long)]
    pub(super) trust: bool,
    /// Print exactly one line of JSON on stdout: the `changes`, whether the lock was `written`, and
    /// which servers `failed`
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl LockWriteFlags {
    /// Returns the trust that the command gives to the project's files.
    pub(super) fn files_trust(&self) -> Result<crate::project_context::ProjectFilesTrust> {
        TrustOnceFlags::trust_from_flags(self.trust, self.yes || self.check)
    }
}

impl LockCommand {
    pub(crate) fn run(self) -> Result<ExitCode> {
        match self.command {
            Some(LockSubcommand::Update(command)) => command.run("pml lock update"),
            Some(LockSubcommand::Diff(command)) => command.run(),
            Some(LockSubcommand::Why(command)) => command.run(),
            None if self.write.check => check::check(&self.write),
            None => review::write(&self.write),
        }
    }
}

//! `pml lock update` and `pml upgrade`: newer packages for servers, shown and agreed to first.

use super::check::require_trust;
use super::review::{LockWriter, confirm};
use crate::execute::runtime;
use crate::install::{find_packages, install_packages, named_servers, package_lines};
use crate::project;
use crate::project_context::ProjectContext;
use crate::report;
use crate::ui;
use crate::widening_permit::{self, TrustOnceFlags};
use anyhow::Result;
use clap::Args;
use pml::Store;
use pml::json::json;
use std::mem::ManuallyDrop;
use std::process::ExitCode;

/// Bring packages of servers to the newest version that their launch lines mean
///
/// Asks the registries again, whatever the lock has, and shows for each server which version would
/// replace which, and what changes in the packages that it depends on. After a yes they are
/// installed, without running code of them, the servers are started, and definitions of tools that
/// have changed are shown and asked about. Then the lock is written. Where an agent runs the
/// command, it is refused.
#[derive(Args)]
pub(crate) struct LockUpdateCommand {
    /// The servers; all that are packages if none is named
    #[arg(value_name = "SERVER")]
    servers: Vec<String>,
    /// Do not ask for a yes on the terminal; without a terminal it is needed
    #[arg(long, short)]
    yes: bool,
    /// Trust the project's files, whatever they say, for this command; no trust is recorded
    #[arg(long)]
    trust: bool,
    /// Print exactly one line of JSON on stdout: the `changes`, whether the lock was `written`, and
    /// which servers `failed`
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl LockUpdateCommand {
    /// Runs it under the name that the user typed.
    pub(crate) fn run(self, command: &str) -> Result<ExitCode> {
        let permit = widening_permit::refuse_agents(command)?;
        let trust = TrustOnceFlags::trust_from_flags(self.trust, self.yes)?;
        let context = ManuallyDrop::new(ProjectContext::open(trust)?);
        require_trust(&context)?;
        let permit = permit.require_person(command, self.yes)?;
        Store::make_folder(context.project.state_folder()).map_err(pml::Error::from)?;
        let servers = &context.servers;
        let names = named_servers(servers, &self.servers)?;
        ManuallyDrop::new(runtime()?).block_on(async {
            let doing = |name: &str| format!("asking for the newest package of `{name}`");
            let (newer, failed) =
                find_packages(&names, doing, async |name| servers.newer_package(name).await).await;
            if newer.is_empty() && failed.is_empty() {
                ui::print("the lock has the newest packages already")?;
                ui::document(&json!({ "changes": [], "written": false }))?;
                return Ok(ExitCode::SUCCESS);
            }
            newer.iter().for_each(|package| ui::alert(&package_lines(package)));
            let agreed = newer.is_empty() || self.yes || confirm(command, "install these")?;
            if !agreed {
                return Ok(report::declined("nothing is installed, and the lock is as before")?);
            }
            let journal = project::open_journal(context.project.durability)?;
            let (_, not_installed) = install_packages(servers, newer, &*journal).await;
            let failed = failed.into_iter().chain(not_installed);
            let failed = failed.map(|one| (one.server, one.error.message)).collect();
            let writer = LockWriter { context: &context, permit: &permit, command, yes: self.yes };
            writer.lock_servers_and_tools(failed).await
        })
    }
}

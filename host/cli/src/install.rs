//! The command `pml install`: installs the packages of servers before any program calls them.

use super::execute::runtime;
use super::progress;
use super::report::HintedError;
use super::terminal::Terminal;
use super::ui::{self, BOLD, HINT};
use crate::project_context::ProjectContext;
use crate::widening_permit::{self, TrustOnceFlags};
use anyhow::Result;
use clap::Args;
use indicatif::ProgressBar;
use pml::json::{Value, json};
use pml::{
    Clock, Journal, Servers, SystemClock,
    approval::{Package, describe_package},
    event::Progress,
    journal::{AuditEvent, AuditNote},
    text::{escape, in_one_line, nearest},
    tool::ProgressCallback,
};
use std::mem::ManuallyDrop;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

/// The command as a user types it.
const COMMAND: &str = "pml install";

/// Install the packages of servers
///
/// Servers whose command is `npx`, `bunx`, `npm exec`, `uvx` or `pipx run` are started from a
/// package that is installed into `.pml/deps`, in one exact version, without running code of it.
/// This installs what is missing, so that nobody has to be asked about it in the middle of a
/// program. What is there already stays as it is. Where an agent runs the command, it is refused.
#[derive(Args)]
pub(super) struct InstallCommand {
    /// The servers; all of the project's if none is named
    #[arg(value_name = "SERVER")]
    servers: Vec<String>,
    /// Do not ask for a yes on the terminal; without a terminal it is needed
    #[arg(long, short)]
    yes: bool,
    /// Only say what would be installed
    #[arg(long)]
    dry_run: bool,
    /// Trust the project's files, whatever they say, for this command; no trust is recorded
    #[arg(long)]
    trust: bool,
    /// Print exactly one line of JSON on stdout: what is `installed` now, or would be
    #[arg(long)]
    json: bool,
}

impl InstallCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let permit = match self.dry_run {
            true => None,
            false => Some(widening_permit::refuse_agents(COMMAND)?),
        };
        let trust = TrustOnceFlags::trust_from_flags(self.trust, self.yes)?;
        let context = ManuallyDrop::new(ProjectContext::open(trust)?);
        if let Some(reason) = context.project.trust.reason() {
            let hint =
                "`pml trust --show` shows what its files would start; `pml trust` trusts them";
            return Err(HintedError::new(reason, hint).into());
        }
        let servers = &context.servers;
        let names = self.names(servers)?;
        ManuallyDrop::new(runtime()?).block_on(async {
            let missing = missing_packages(servers, &names).await?;
            let Some(permit) = permit.filter(|_| !missing.is_empty()) else {
                return self.print_packages(&missing, "would install");
            };
            missing.iter().for_each(|package| ui::say(&package_lines(package)));
            permit.require_person(COMMAND, self.yes)?;
            if !self.yes && !confirm_install(missing.len())? {
                ui::say("nothing is installed");
                return Ok(ExitCode::FAILURE);
            }
            let journal = super::project::open_journal(context.project.durability)?;
            for package in &missing {
                install(servers, package, &*journal).await?;
            }
            self.print_packages(&missing, "installed")
        })
    }

    fn names(&self, servers: &Servers) -> Result<Vec<String>> {
        let all = servers.names();
        for name in &self.servers {
            if !all.contains(name) {
                let near = nearest(name, all.iter().map(String::as_str));
                let hint = match near.first() {
                    Some(near) => format!("did you mean `{}`?", escape(near)),
                    None => "`pml servers` lists those there are".into(),
                };
                return Err(HintedError::new(
                    format!("there is no server `{}`", escape(name)),
                    hint,
                )
                .into());
            }
        }
        Ok(if self.servers.is_empty() { all } else { self.servers.clone() })
    }

    fn print_packages(&self, packages: &[Package], what: &str) -> Result<ExitCode> {
        if self.json {
            let packages: Value = packages.iter().map(package_json).collect();
            ui::out(&json!({ what.replace(' ', "_"): packages }).to_string())?;
            return Ok(ExitCode::SUCCESS);
        }
        match packages {
            [] => ui::print("nothing to install: everything is there")?,
            packages => {
                for package in packages {
                    ui::print(&format!("{what} {BOLD}{}{BOLD:#}", name_and_version(package)))?;
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the packages that are not installed, at most one for each server.
async fn missing_packages(servers: &Servers, names: &[String]) -> Result<Vec<Package>> {
    let bar = progress::new_bar();
    let mut missing = Vec::new();
    for name in names {
        if let Some(bar) = &bar {
            bar.set_message(format!("looking for what `{}` needs", escape(name)));
            bar.tick();
        }
        missing.extend(servers.missing_package(name).await?);
    }
    finish(bar.as_ref());
    Ok(missing)
}

async fn install(servers: &Servers, package: &Package, journal: &dyn Journal) -> Result<()> {
    let bar = progress::new_bar();
    let (shown_bar, last_step) = (bar.clone(), Mutex::new(String::new()));
    let on_progress: ProgressCallback = Arc::new(move |step: Progress| match &shown_bar {
        Some(bar) => {
            bar.set_message(match step.done {
                0 => step.what,
                done => format!("{}, {done} packages", step.what),
            });
            bar.tick();
        }
        // Without a terminal, each step is printed once.
        None => {
            let mut last_step = last_step.lock().unwrap_or_else(PoisonError::into_inner);
            if *last_step != step.what {
                ui::say(&step.what);
                *last_step = step.what;
            }
        }
    });
    let installed = servers.install(package, on_progress).await;
    finish(bar.as_ref());
    let digest = installed?;
    let what = AuditEvent::Installed { package: package.clone(), digest };
    journal.audit(AuditNote::new(SystemClock.now(), None, what)).await.map_err(pml::Error::from)?;
    Ok(())
}

fn finish(bar: Option<&ProgressBar>) {
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn confirm_install(count: usize) -> Result<bool> {
    let terminal = ui::stderr_is_terminal().then(Terminal::open).flatten();
    let Some(terminal) = terminal else {
        return Err(HintedError::new(
            "no terminal to confirm on",
            "add `--yes` to install without one",
        )
        .into());
    };
    let them = if count == 1 { "it" } else { "them" };
    Ok(terminal.confirm(&format!("{HINT}pml install{HINT:#}: install {them}?"))?)
}

fn name_and_version(package: &Package) -> String {
    format!("{}@{}", escape(&package.name), escape(&package.version))
}

/// Returns a package as lines. All of their text comes from the registry.
fn package_lines(package: &Package) -> String {
    let changed = if package.changed { " (what is there has changed)" } else { "" };
    let mut line = format!("{} │ {}{changed}", escape(&package.server), describe_package(package));
    for beside in &package.beside {
        line += &format!("\n  and beside it │ {}", in_one_line(beside));
    }
    if let Some(starts) = package.starts_other() {
        line += &format!("\n  START the program of │ {}", in_one_line(starts));
    }
    line
}

fn package_json(package: &Package) -> Value {
    json!({
        "server": package.server,
        "name": package.name,
        "version": package.version,
        "size": package.size,
        "source": package.source,
        "integrity": package.integrity,
        "beside": package.beside,
        "program_of": package.program_of,
    })
}

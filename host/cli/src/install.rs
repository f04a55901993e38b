//! The command `pml install`: installs the packages of servers before any program calls them.

use super::command_error::error_report;
use super::execute::runtime;
use super::progress;
use super::quantity::size;
use super::report::{self, FAILED, HintedError};
use super::terminal::Terminal;
use super::ui::{self, BOLD, ERROR, HINT};
use crate::present_fields::present_fields;
use crate::project_context::ProjectContext;
use crate::widening_permit::{self, TrustOnceFlags};
use anyhow::Result;
use clap::Args;
use indicatif::ProgressBar;
use pml::json::{Value, json};
use pml::{
    Clock, Code, Journal, Servers, SystemClock,
    approval::{Package, describe_package},
    event::Progress,
    journal::{AuditEvent, AuditNote},
    project::UnusedPackages,
    run::ErrorReport,
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
/// package that is installed into your package cache, in one exact version, without running code of
/// it. This installs what is missing, so that nobody has to be asked about it in the middle of a
/// program. What is there already stays as it is. A package that cannot be installed does not keep
/// the others away; it is listed at the end. Where an agent runs the command, it is refused.
///
/// Exit codes: 0 everything is there, 1 something could not be installed.
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
    /// Fetch nothing: install only what is on this machine, in the package cache or the caches of npm
    /// and uv
    #[arg(long)]
    offline: bool,
    /// Trust the project's files, whatever they say, for this command; no trust is recorded
    #[arg(long)]
    trust: bool,
    /// Print exactly one line of JSON on stdout: what is `installed` now, or would be, and what
    /// `failed`
    #[arg(long, help_heading = "Output")]
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
            return Err(HintedError::new(reason, hint).with_code(Code::Untrusted).into());
        }
        let servers = &context.servers;
        let names = named_servers(servers, &self.servers)?;
        if self.offline {
            servers.refuse_fetching();
        }
        if let Some(unused) = context.project.unused_packages() {
            say_unused(&unused);
        }
        ManuallyDrop::new(runtime()?).block_on(async {
            let (missing, failed) = missing_packages(servers, &names).await;
            let Some(permit) = permit else {
                return print_packages(&missing, &failed, InstallStage::Planned);
            };
            if missing.is_empty() {
                return print_packages(&[], &failed, InstallStage::Done);
            }
            missing.iter().for_each(|package| ui::alert(&package_lines(package)));
            permit.require_person(COMMAND, self.yes)?;
            if !self.yes && !confirm_install(missing.len())? {
                return Ok(report::declined("nothing is installed")?);
            }
            let journal = super::project::open_journal(context.project.durability)?;
            let (installed, not_installed) = install_packages(servers, missing, &*journal).await;
            let failed: Vec<_> = failed.into_iter().chain(not_installed).collect();
            print_packages(&installed, &failed, InstallStage::Done)
        })
    }
}

/// Returns the servers that were named, or all of the project's if none was.
pub(super) fn named_servers(servers: &Servers, named: &[String]) -> Result<Vec<String>> {
    let all = servers.names();
    for name in named {
        if !all.contains(name) {
            let near = nearest(name, all.iter().map(String::as_str));
            let hint = match near.first() {
                Some(near) => format!("did you mean `{}`?", escape(near)),
                None => "`pml servers` lists those there are".into(),
            };
            let unknown = HintedError::new(format!("there is no server `{name}`"), hint);
            return Err(unknown.with_code(Code::ServerUnknown).into());
        }
    }
    Ok(if named.is_empty() { all } else { named.to_vec() })
}

/// Whether packages are installed, or would be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InstallStage {
    Planned,
    Done,
}

/// A server whose package cannot be installed.
pub(super) struct FailedInstall {
    pub(super) server: String,
    pub(super) error: ErrorReport,
}

impl FailedInstall {
    pub(super) fn new(server: &str, error: &anyhow::Error) -> FailedInstall {
        FailedInstall { server: server.to_owned(), error: error_report(error) }
    }

    fn json(&self) -> Value {
        json!({ "server": self.server, "error": self.error })
    }
}

/// Prints the packages, and after them those that failed.
fn print_packages(
    packages: &[Package],
    failed: &[FailedInstall],
    stage: InstallStage,
) -> Result<ExitCode> {
    let (verb, key) = match stage {
        InstallStage::Planned => ("would install", "would_install"),
        InstallStage::Done => ("installed", "installed"),
    };
    for package in packages {
        ui::print(&format!("{verb} {BOLD}{}{BOLD:#}", name_and_version(package)))?;
    }
    if packages.is_empty() && failed.is_empty() {
        ui::print("nothing to install: everything is there")?;
    }
    for one in failed {
        let mut error = one.error.clone();
        let server = format!("`{}`", one.server);
        if !error.message.starts_with(&server) {
            error.message = format!("{server}: {}", error.message);
        }
        ui::alert(&report::error_text(&error));
    }
    let packages: Value = packages.iter().map(package_json).collect();
    if failed.is_empty() {
        ui::document(&json!({ key: packages }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let names: Vec<_> = failed.iter().map(|one| one.server.as_str()).collect();
    let message = match stage {
        InstallStage::Planned => format!("no package is found for `{}`", names.join("`, `")),
        InstallStage::Done => format!("not installed: `{}`", names.join("`, `")),
    };
    ui::alert(&format!("{ERROR}error{ERROR:#}: {}", escape(&message)));
    let failed: Value = failed.iter().map(FailedInstall::json).collect();
    let found = json!({ key: packages, "failed": failed });
    report::failed_document(found, Code::CommandFailed, &message)?;
    Ok(ExitCode::from(FAILED))
}

/// Returns the packages that are not installed, at most one for each server, and the servers whose
/// package cannot be found.
pub(super) async fn missing_packages(
    servers: &Servers,
    names: &[String],
) -> (Vec<Package>, Vec<FailedInstall>) {
    let doing = |name: &str| format!("looking for what `{name}` needs");
    find_packages(names, doing, async |name| servers.missing_package(name).await).await
}

/// Asks for the package of each server, and shows the progress. Returns the packages, and the
/// servers for which there is an error.
pub(super) async fn find_packages(
    names: &[String],
    doing: impl Fn(&str) -> String,
    find: impl AsyncFn(&str) -> Result<Option<Package>, pml::Error>,
) -> (Vec<Package>, Vec<FailedInstall>) {
    let bar = progress::new_bar();
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    for name in names {
        if let Some(bar) = &bar {
            bar.set_message(doing(&escape(name)));
            bar.tick();
        }
        match find(name).await {
            Ok(package) => found.extend(package),
            Err(error) => failed.push(FailedInstall::new(name, &error.into())),
        }
    }
    finish(bar.as_ref());
    (found, failed)
}

/// Installs packages. One that cannot be installed does not keep the others away.
pub(super) async fn install_packages(
    servers: &Servers,
    packages: Vec<Package>,
    journal: &dyn Journal,
) -> (Vec<Package>, Vec<FailedInstall>) {
    let (mut installed, mut failed) = (Vec::new(), Vec::new());
    for package in packages {
        match install(servers, &package, journal).await {
            Ok(()) => installed.push(package),
            Err(error) => failed.push(FailedInstall::new(&package.server, &error)),
        }
    }
    (installed, failed)
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

/// Says that packages of an older pml are in the project.
fn say_unused(unused: &UnusedPackages) {
    let (folder, bytes) = (in_one_line(&unused.folder.to_string_lossy()), size(unused.size));
    ui::say(&format!(
        "packages of an older pml are not used any more: {folder} ({bytes})\n\
         {HINT}hint{HINT:#}: the folder can be removed"
    ));
}

fn finish(bar: Option<&ProgressBar>) {
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn confirm_install(count: usize) -> Result<bool> {
    let terminal = ui::stderr_is_terminal().then(Terminal::open).flatten();
    let Some(terminal) = terminal else {
        let hint = "add `--yes` to install without one";
        let error = HintedError::new("no terminal to confirm on", hint);
        return Err(error.with_code(Code::PersonRequired).into());
    };
    let them = if count == 1 { "it" } else { "them" };
    Ok(terminal.confirm(&format!("{HINT}pml install{HINT:#}: install {them}?"))?)
}

fn name_and_version(package: &Package) -> String {
    format!("{}@{}", escape(&package.name), escape(&package.version))
}

/// Returns a package as lines. All of their text comes from the registry.
pub(super) fn package_lines(package: &Package) -> String {
    let changed = if package.changed { " (what is there has changed)" } else { "" };
    let mut line = format!("{} │ {}{changed}", escape(&package.server), describe_package(package));
    for beside in &package.beside {
        line += &format!("\n  and beside it │ {}", in_one_line(beside));
    }
    if let Some(starts) = package.starts_other() {
        line += &format!("\n  START the program of │ {}", in_one_line(starts));
    }
    if !package.replaces.is_empty() {
        line += "\n  CHANGED since it was locked or approved:";
    }
    for difference in &package.replaces {
        line += &format!("\n    {}", in_one_line(&difference.part));
        for changed in difference.lines() {
            line += &format!("\n    │ {}", in_one_line(&changed));
        }
    }
    line
}

fn package_json(package: &Package) -> Value {
    present_fields(json!({
        "server": package.server,
        "name": package.name,
        "version": package.version,
        "size": package.size,
        "source": package.source,
        "integrity": package.integrity,
        "beside": package.beside,
        "program_of": package.program_of,
        "packages": package.packages,
        "closure": package.closure,
    }))
}

//! The command `pml cache`: shows what is in the user's package cache, and removes what nobody
//! needs.

use crate::present_fields::present_fields;
use crate::project::current_folder;
use crate::quantity::{counted, size};
use crate::table::{TableCell, table};
use crate::terminal::width_of_stdout;
use crate::trust::one_line;
use crate::ui::{self, BOLD, DIM, HINT};
use crate::widening_permit;
use anyhow::Result;
use clap::{Args, Subcommand};
use pml::json::{Value, json};
use pml::{
    Environment,
    project::{CachedPackage, PackageCache, PruneMode, PruneScope, locate},
    text::escape,
};
use std::process::ExitCode;

/// Show the package cache, and remove what no project needs
///
/// Packages that servers are started from are installed once for all of your projects: below
/// `$XDG_CACHE_HOME/pml`, else `~/.cache/pml`. That a package is there is no approval: each project
/// asks before it uses one.
#[derive(Args)]
pub(super) struct CacheCommand {
    #[command(subcommand)]
    command: CacheSubcommand,
}

#[derive(Subcommand)]
enum CacheSubcommand {
    Dir(CacheDirCommand),
    Size(CacheSizeCommand),
    Prune(CachePruneCommand),
}

/// Print the folder of the package cache
#[derive(Args)]
struct CacheDirCommand {
    /// Print exactly one line of JSON on stdout: `dir`
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// List what is in the package cache, and how big it is
#[derive(Args)]
struct CacheSizeCommand {
    /// Print exactly one line of JSON on stdout: `packages` and `size_bytes`
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// Remove packages that no project of yours has agreed to any more
///
/// A package that a running pml uses stays. What is removed can be installed again. Where an agent
/// runs the command, it is refused.
#[derive(Args)]
struct CachePruneCommand {
    /// Remove all packages that are not in use, also those that projects have agreed to
    #[arg(long)]
    all: bool,
    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,
    /// Print exactly one line of JSON on stdout: what is `removed` now, or would be, what is kept
    /// because it is `in_use`, and `freed_bytes`
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl CacheCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        match self.command {
            CacheSubcommand::Dir(command) => command.run(),
            CacheSubcommand::Size(command) => command.run(),
            CacheSubcommand::Prune(command) => command.run(),
        }
    }
}

fn cache() -> Result<PackageCache> {
    let environment = Environment::of_process();
    let root = locate(&current_folder()?, &environment);
    Ok(PackageCache::of(&environment, &root)?)
}

impl CacheDirCommand {
    fn run(self) -> Result<ExitCode> {
        let folder = cache()?.folder();
        let shown = folder.to_string_lossy();
        match self.json {
            true => ui::document(&json!({ "dir": shown }))?,
            false => ui::print(&escape(&shown))?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl CacheSizeCommand {
    fn run(self) -> Result<ExitCode> {
        let packages = cache()?.packages()?;
        let total: u64 = packages.iter().map(|package| package.size).sum();
        if self.json {
            let all: Value = packages.iter().map(package_json).collect();
            ui::document(&json!({ "packages": all, "size_bytes": total }))?;
            return Ok(ExitCode::SUCCESS);
        }
        if packages.is_empty() {
            ui::print("the package cache is empty")?;
            return Ok(ExitCode::SUCCESS);
        }
        let titles = ["PACKAGE", "PACKAGES", "SIZE", "PROJECTS", "STATE"];
        let mut rows: Vec<Vec<_>> = vec![titles.map(|title| TableCell::styled(title, BOLD)).into()];
        rows.extend(packages.iter().map(row));
        let mut lines = table(&rows, width_of_stdout());
        let count = counted(packages.len() as u64, "entry").replace("entrys", "entries");
        lines.push(format!("{count}, {} together", size(total)));
        ui::print(&lines.join("\n"))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl CachePruneCommand {
    fn run(self) -> Result<ExitCode> {
        let (mode, verb, key) = match self.dry_run {
            true => (PruneMode::DryRun, "would remove", "would_remove"),
            false => (PruneMode::Remove, "removed", "removed"),
        };
        if mode == PruneMode::Remove {
            widening_permit::refuse_agents("pml cache prune")?;
        }
        let scope = if self.all { PruneScope::All } else { PruneScope::Unneeded };
        let outcome = cache()?.prune(scope, mode)?;
        let (removed, in_use) = (&outcome.removed, &outcome.in_use);
        if self.json {
            let all = |packages: &[CachedPackage]| packages.iter().map(package_json).collect();
            let (removed, in_use): (Value, Value) = (all(removed), all(in_use));
            let freed = outcome.freed();
            ui::document(&json!({ key: removed, "in_use": in_use, "freed_bytes": freed }))?;
            return Ok(ExitCode::SUCCESS);
        }
        for package in removed {
            let (name, bytes) = (name_of(package), size(package.size));
            ui::print(&format!("{verb} {BOLD}{name}{BOLD:#} ({bytes})"))?;
        }
        for package in in_use {
            ui::say(&format!("{} stays, because a running pml uses it", name_of(package)));
        }
        match (removed.len() as u64, mode) {
            (0, _) => ui::print("there is nothing to remove")?,
            (_, PruneMode::DryRun) => {
                ui::print(&format!("{} would be freed", size(outcome.freed())))?;
            }
            (_, PruneMode::Remove) => {
                ui::print(&format!("{} freed", size(outcome.freed())))?;
            }
        }
        if removed.is_empty() && !self.all {
            ui::say(&format!(
                "packages that a project has agreed to stay\n{HINT}hint{HINT:#}: `--all` removes them too"
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn row(package: &CachedPackage) -> Vec<TableCell> {
    let packages = package.package.as_ref().map_or("-".into(), |found| found.packages.to_string());
    let state = match (package.in_use, &package.package) {
        (_, None) => "unusable",
        (true, _) => "in use",
        (false, _) if package.projects == 0 => "not needed",
        (false, _) => "",
    };
    vec![
        TableCell::plain(name_of(package)),
        TableCell::plain(packages),
        TableCell::plain(size(package.size)),
        TableCell::plain(package.projects.to_string()),
        TableCell::styled(state, DIM),
    ]
}

/// Returns the name and version of a package. What comes from its record is escaped.
fn name_of(package: &CachedPackage) -> String {
    match &package.package {
        Some(found) => one_line(&format!("{}@{}", found.name, found.version)),
        None => one_line(&package.entry),
    }
}

fn package_json(package: &CachedPackage) -> Value {
    let found = package.package.as_ref();
    present_fields(json!({
        "entry": package.entry,
        "ecosystem": package.ecosystem,
        "name": found.map(|found| &found.name),
        "version": found.map(|found| &found.version),
        "packages": found.map(|found| found.packages),
        "installed_at": found.map(|found| found.installed_at),
        "size_bytes": package.size,
        "projects": package.projects,
        "in_use": package.in_use,
    }))
}

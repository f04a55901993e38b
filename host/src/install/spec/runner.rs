//! The programs that run packages, and their known flags.

use crate::model::Ecosystem;

/// A program that runs packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PackageRunner {
    Npx,
    NpmExec,
    Bunx,
    Uvx,
    PipxRun,
}

/// The meaning of a runner's flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunnerFlag {
    /// It does not affect which package is meant.
    Harmless,
    /// It does not affect which package is meant, and a value follows.
    HarmlessValue,
    /// The package that contains the program. For npm also an additional package.
    Package,
    /// An additional package.
    Beside,
    /// The version of Python.
    Python,
}

impl PackageRunner {
    /// Returns the runner that a launch line starts, and its arguments. A path to the runner is
    /// recognised, and so are its names on Windows.
    pub(super) fn of<'a>(
        command: &str,
        arguments: &'a [String],
    ) -> Option<(PackageRunner, &'a [String])> {
        let name = command.rsplit(['/', '\\']).next().unwrap_or(command).to_ascii_lowercase();
        let name = [".cmd", ".exe", ".ps1"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(&name)
            .to_owned();
        let behind = |words: &[&str]| {
            let (first, rest) = arguments.split_at_checked(words.len())?;
            first.iter().eq(words).then_some(rest)
        };
        match name.as_str() {
            "npx" => Some((PackageRunner::Npx, arguments)),
            "bunx" => Some((PackageRunner::Bunx, arguments)),
            "uvx" => Some((PackageRunner::Uvx, arguments)),
            "npm" => {
                behind(&["exec"]).or_else(|| behind(&["x"])).map(|r| (PackageRunner::NpmExec, r))
            }
            "bun" => behind(&["x"]).map(|rest| (PackageRunner::Bunx, rest)),
            "uv" => behind(&["tool", "run"]).map(|rest| (PackageRunner::Uvx, rest)),
            "pipx" => behind(&["run"]).map(|rest| (PackageRunner::PipxRun, rest)),
            _ => None,
        }
    }

    /// Returns its name, as people write it.
    pub(super) fn name(self) -> &'static str {
        match self {
            PackageRunner::Npx => "npx",
            PackageRunner::NpmExec => "npm exec",
            PackageRunner::Bunx => "bunx",
            PackageRunner::Uvx => "uvx",
            PackageRunner::PipxRun => "pipx run",
        }
    }

    /// Returns the ecosystem of its packages.
    pub(super) fn ecosystem(self) -> Ecosystem {
        match self {
            PackageRunner::Npx | PackageRunner::NpmExec | PackageRunner::Bunx => Ecosystem::Npm,
            PackageRunner::Uvx | PackageRunner::PipxRun => Ecosystem::Pypi,
        }
    }

    /// Returns the meaning of a flag, or `None` if it is unknown. Flags that control prompts,
    /// verbosity and the cache are harmless. So is the one that refuses install scripts, since pml
    /// does that anyway.
    pub(super) fn flag(self, flag: &str) -> Option<RunnerFlag> {
        Some(match (self, flag) {
            (
                PackageRunner::Npx | PackageRunner::NpmExec | PackageRunner::Bunx,
                "-p" | "--package",
            ) => RunnerFlag::Package,
            (PackageRunner::Npx | PackageRunner::NpmExec, "-y" | "--yes") => RunnerFlag::Harmless,
            (
                PackageRunner::Npx | PackageRunner::NpmExec,
                "-q"
                | "--quiet"
                | "-s"
                | "--silent"
                | "--verbose"
                | "--prefer-offline"
                | "--prefer-online"
                | "--ignore-existing"
                | "--ignore-scripts"
                | "--no-fund"
                | "--no-audit"
                | "--no-update-notifier"
                | "--no-progress",
            ) => RunnerFlag::Harmless,
            (PackageRunner::Npx | PackageRunner::NpmExec, "--loglevel") => {
                RunnerFlag::HarmlessValue
            }
            (PackageRunner::Bunx, "--silent" | "--verbose" | "-y" | "--yes") => {
                RunnerFlag::Harmless
            }
            (PackageRunner::Uvx, "--from") | (PackageRunner::PipxRun, "--spec") => {
                RunnerFlag::Package
            }
            (PackageRunner::Uvx, "--with" | "-w") => RunnerFlag::Beside,
            (PackageRunner::Uvx, "-p" | "--python") | (PackageRunner::PipxRun, "--python") => {
                RunnerFlag::Python
            }
            (
                PackageRunner::Uvx,
                "-q" | "--quiet" | "-v" | "--verbose" | "--no-progress" | "--isolated"
                | "--no-config" | "--no-env-file" | "--native-tls" | "-n" | "--no-cache"
                | "--refresh" | "-U" | "--upgrade" | "--no-build",
            ) => RunnerFlag::Harmless,
            (PackageRunner::PipxRun, "-q" | "--quiet" | "-v" | "--verbose" | "--no-cache") => {
                RunnerFlag::Harmless
            }
            _ => return None,
        })
    }
}

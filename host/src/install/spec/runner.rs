//! The programs that run packages, and the flags of theirs that are known.

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

/// What a flag of a runner means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunnerFlag {
    /// It changes nothing that matters here.
    Harmless,
    /// The same, and a value follows.
    HarmlessValue,
    /// The package that the program is in; for npm also one beside it.
    Package,
    /// A package beside it.
    Beside,
    /// The version of Python.
    Python,
}

impl PackageRunner {
    /// Returns the runner that a launch line starts, and the words behind it. A path to it counts,
    /// and so does what it is called on Windows.
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

    /// Returns how it is written.
    pub(super) fn name(self) -> &'static str {
        match self {
            PackageRunner::Npx => "npx",
            PackageRunner::NpmExec => "npm exec",
            PackageRunner::Bunx => "bunx",
            PackageRunner::Uvx => "uvx",
            PackageRunner::PipxRun => "pipx run",
        }
    }

    /// Returns where its packages come from.
    pub(super) fn ecosystem(self) -> Ecosystem {
        match self {
            PackageRunner::Npx | PackageRunner::NpmExec | PackageRunner::Bunx => Ecosystem::Npm,
            PackageRunner::Uvx | PackageRunner::PipxRun => Ecosystem::Pypi,
        }
    }

    /// Returns what a flag means, if it is known. Those that only say whether to ask, how loudly to
    /// speak and how to use a cache are harmless; so is one that refuses install scripts, which we
    /// do anyway.
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

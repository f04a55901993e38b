//! The programs that run packages, and the flags of theirs that are known.

use crate::model::Ecosystem;

/// A program that runs packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runner {
    Npx,
    NpmExec,
    Bunx,
    Uvx,
    PipxRun,
}

/// What a flag of a runner means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
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

impl Runner {
    /// Returns the runner that a launch line starts, and the words behind it. A path to it counts, and so does what it is called
    /// on Windows.
    pub(super) fn of<'a>(command: &str, arguments: &'a [String]) -> Option<(Runner, &'a [String])> {
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
            "npx" => Some((Runner::Npx, arguments)),
            "bunx" => Some((Runner::Bunx, arguments)),
            "uvx" => Some((Runner::Uvx, arguments)),
            "npm" => behind(&["exec"]).or_else(|| behind(&["x"])).map(|r| (Runner::NpmExec, r)),
            "bun" => behind(&["x"]).map(|rest| (Runner::Bunx, rest)),
            "uv" => behind(&["tool", "run"]).map(|rest| (Runner::Uvx, rest)),
            "pipx" => behind(&["run"]).map(|rest| (Runner::PipxRun, rest)),
            _ => None,
        }
    }

    /// Returns how it is written.
    pub(super) fn name(self) -> &'static str {
        match self {
            Runner::Npx => "npx",
            Runner::NpmExec => "npm exec",
            Runner::Bunx => "bunx",
            Runner::Uvx => "uvx",
            Runner::PipxRun => "pipx run",
        }
    }

    /// Returns where its packages come from.
    pub(super) fn ecosystem(self) -> Ecosystem {
        match self {
            Runner::Npx | Runner::NpmExec | Runner::Bunx => Ecosystem::Npm,
            Runner::Uvx | Runner::PipxRun => Ecosystem::Pypi,
        }
    }

    /// Returns what a flag means, if it is known. Those that only say whether to ask, how loudly to speak and how to use a
    /// cache are harmless; so is one that refuses install scripts, which we do anyway.
    pub(super) fn flag(self, flag: &str) -> Option<Flag> {
        Some(match (self, flag) {
            (Runner::Npx | Runner::NpmExec | Runner::Bunx, "-p" | "--package") => Flag::Package,
            (Runner::Npx | Runner::NpmExec, "-y" | "--yes") => Flag::Harmless,
            (
                Runner::Npx | Runner::NpmExec,
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
            ) => Flag::Harmless,
            (Runner::Npx | Runner::NpmExec, "--loglevel") => Flag::HarmlessValue,
            (Runner::Bunx, "--silent" | "--verbose" | "-y" | "--yes") => Flag::Harmless,
            (Runner::Uvx, "--from") | (Runner::PipxRun, "--spec") => Flag::Package,
            (Runner::Uvx, "--with" | "-w") => Flag::Beside,
            (Runner::Uvx, "-p" | "--python") | (Runner::PipxRun, "--python") => Flag::Python,
            (
                Runner::Uvx,
                "-q" | "--quiet" | "-v" | "--verbose" | "--no-progress" | "--isolated"
                | "--no-config" | "--no-env-file" | "--native-tls" | "-n" | "--no-cache"
                | "--refresh" | "-U" | "--upgrade" | "--no-build",
            ) => Flag::Harmless,
            (Runner::PipxRun, "-q" | "--quiet" | "-v" | "--verbose" | "--no-cache") => {
                Flag::Harmless
            }
            _ => return None,
        })
    }
}

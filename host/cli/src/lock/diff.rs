//! `pml lock diff`: compares the lock with the one of another revision of the repository.

use super::show::{change_lines, changes_json};
use crate::project;
use crate::report::HintedError;
use crate::ui;
use anyhow::{Context, Result};
use clap::Args;
use pml::json::json;
use pml::project::locate;
use pml::{Code, Environment, lock::LockFile, text::escape};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Maximum length of a revision's name.
const MAX_REVISION: usize = 200;

/// Show how the lock differs from that of another revision
///
/// Compares `.pml/mcp.lock` as it is on the disk with the one that git has. Only git is started,
/// and no server.
#[derive(Args)]
pub(super) struct LockDiffCommand {
    /// The revision: a branch, a tag or a commit
    #[arg(value_name = "REV", default_value = "HEAD")]
    revision: String,
    /// Print exactly one line of JSON on stdout: the `changes`
    #[arg(long, help_heading = "Output")]
    json: bool,
}

impl LockDiffCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (folder, environment) = (project::current_folder()?, Environment::of_process());
        let root = locate(&folder, &environment);
        let file = LockFile::in_folder(root.join(".pml"));
        let before = match text_in_git(&root, &self.revision, &environment)? {
            Some(text) => {
                LockFile::parse(&text, Path::new(&format!("{}:mcp.lock", self.revision)))?
            }
            None => pml::lock::Lock::default(),
        };
        let now = file.read()?.unwrap_or_default();
        let changes = before.changes(&now);
        match changes.is_empty() {
            true => ui::print(&format!("the lock is as in `{}`", escape(&self.revision)))?,
            false => ui::print(&change_lines(&changes, &now).join("\n"))?,
        }
        ui::document(&json!({ "changes": changes_json(&changes) }))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the lock of a revision, or `None` if it has none.
fn text_in_git(root: &Path, revision: &str, environment: &Environment) -> Result<Option<String>> {
    // git would read it as an option, or as another file.
    let plain = !revision.starts_with('-') && !revision.contains(':');
    if revision.is_empty() || revision.len() > MAX_REVISION || !plain {
        let message = format!("`{}` is not the name of a revision", escape(revision));
        return Err(HintedError::usage(message, "name a branch, a tag or a commit").into());
    }
    let git = environment.program("git", Path::new("/"), None).ok_or_else(|| {
        HintedError::new("there is no `git` on the PATH", "install git").with_code(Code::Config)
    })?;
    let git = |arguments: &[&str]| {
        // A repository may come from anybody. Nothing that it configures is started, nothing is
        // fetched, and a folder counts as one only by its `.git`.
        let mut command = Command::new(&git);
        command.env_clear();
        command.envs(std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "HOME"));
        for (name, value) in [
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_ALLOW_PROTOCOL", "none"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
        ] {
            command.env(name, value);
        }
        for setting in [
            "safe.bareRepository=explicit",
            "protocol.allow=never",
            "core.sshCommand=false",
            "core.fsmonitor=false",
            "core.hooksPath=/dev/null",
            "core.pager=cat",
            "credential.helper=",
        ] {
            command.args(["-c", setting]);
        }
        command.args(["--no-pager", "-C"]).arg(root).args(arguments).stdin(Stdio::null());
        command.output().context("cannot start git")
    };
    let known = git(&[
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &format!("{revision}^{{commit}}"),
    ])?;
    if !known.status.success() {
        let message = format!("git does not know `{}` here", escape(revision));
        let hint = "`git log` lists the commits; a project without git has no other revision";
        return Err(HintedError::new(message, hint).with_code(Code::Config).into());
    }
    let commit = String::from_utf8_lossy(&known.stdout).trim().to_owned();
    let unreadable = || {
        let message = format!("git cannot read the lock of `{}`", escape(revision));
        HintedError::new(message, "`git fsck` says what is missing").with_code(Code::Config)
    };
    let listed = git(&["ls-tree", &commit, "--", "./.pml/mcp.lock"])?;
    if !listed.status.success() {
        return Err(unreadable().into());
    }
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    // `MODE TYPE ID<tab>PATH`
    let Some(blob) = listed.split_whitespace().nth(2) else { return Ok(None) };
    let shown = git(&["cat-file", "blob", blob])?;
    match shown.status.success() {
        true => Ok(Some(String::from_utf8_lossy(&shown.stdout).into_owned())),
        false => Err(unreadable().into()),
    }
}

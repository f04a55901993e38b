//! How a program is started.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A launch line of absolute paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The variables that it needs.
    pub env: BTreeMap<String, String>,
}

impl Launch {
    pub(super) fn new(command: PathBuf) -> Launch {
        Launch { command: text(&command), args: Vec::new(), env: BTreeMap::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Launch {
        self.args.push(text(Path::new(&argument)));
        self
    }

    /// Adds a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Launch {
        self.env.insert(name.into(), text(Path::new(&value)));
        self
    }

    /// The entry that names it in `.mcp.json`.
    pub fn entry(&self) -> Value {
        json!({ "command": self.command, "args": self.args, "env": self.env })
    }

    /// The line, to be started in `folder` with no more variables than it needs, and its three
    /// streams in pipes.
    pub fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.command);
        command
            .args(&self.args)
            .current_dir(folder)
            .env_clear()
            .env("HOME", folder)
            .envs(&self.env);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

fn text(path: &Path) -> String {
    path.to_str().expect("paths of tests are UTF-8").into()
}

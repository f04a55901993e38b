//! Processes that can be killed in the middle of a run, and the tools that count what reaches them.

use crate::commands::example;
use crate::{Counter, RemoteTools};
use pml::json::{self, Value};
use pml::{CallId, RunId};
use std::io::{BufRead, BufReader, Lines, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

/// A project for processes of `host/examples/survivor.rs`, and tools in this process that count
/// what reaches them.
pub struct SurvivorProject {
    folder: TempDir,
}

impl SurvivorProject {
    /// Makes a project in a folder of its own, and serves the tools.
    #[expect(clippy::new_without_default, reason = "it makes a folder and a thread")]
    pub fn new() -> SurvivorProject {
        let folder = TempDir::new().expect("a folder");
        Arc::new(Counter::default()).serve(&folder.path().join("tools"));
        SurvivorProject { folder }
    }

    /// Returns how often a call reached the tools. Calls of processes that are dead by now have
    /// been counted.
    pub fn seen(&self, run: RunId, call: CallId) -> u64 {
        RemoteTools(self.path("tools")).seen(run, call)
    }

    /// Returns the path of a file of the project.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts another process on this project.
    pub fn start(&self, verb: &str, what: &str, cut: Option<(usize, &str)>) -> Survivor {
        let mut command = Command::new(example("survivor"));
        command.arg(verb).arg(self.path(".pml")).arg(self.path("tools")).arg(what);
        if let Some((write, when)) = cut {
            command.args([&write.to_string(), when]);
        }
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the example starts");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        Survivor { child, lines }
    }
}

/// A process of `host/examples/survivor.rs`.
pub struct Survivor {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Survivor {
    /// Returns the next line it prints.
    pub fn line(&mut self) -> Option<String> {
        self.lines.next().map(|line| line.expect("UTF-8"))
    }

    /// Ends it with SIGKILL.
    pub fn kill(mut self) {
        self.child.kill().expect("it is there");
        self.child.wait().expect("it ends");
    }

    /// Waits for its end and returns how the run ended; or kills it, if it says that it is cut, and
    /// returns `None`.
    pub fn end(mut self) -> Option<Value> {
        match self.line().as_deref() {
            Some("cut") => {
                self.kill();
                None
            }
            ending => {
                assert!(self.child.wait().expect("it ends").success());
                Some(json::from_str(ending.expect("a line")).expect("JSON"))
            }
        }
    }

    /// Waits for its end. Returns the ending, or what it says on stderr if it was refused.
    pub fn outcome(mut self) -> Result<Value, String> {
        let line = self.line();
        let mut stderr = String::new();
        let read = self.child.stderr.take().expect("piped").read_to_string(&mut stderr);
        read.expect("UTF-8");
        self.child.wait().expect("it ends");
        line.map(|line| json::from_str(&line).expect("JSON")).ok_or(stderr)
    }
}

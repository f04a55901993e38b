//! Processes that can be killed in the middle of a run, and the tools that count what reaches them.

use crate::support::example;
use pml::json::{self, Value};
use pml_kit::Counter;
use std::io::{BufRead, BufReader, Lines, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

/// A project, and tools in this process that count what reaches them.
pub(crate) struct Bench {
    folder: TempDir,
    pub(crate) counter: Arc<Counter>,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        let folder = TempDir::new().expect("a folder");
        let counter = Arc::new(Counter::default());
        counter.serve(&folder.path().join("tools"));
        Bench { folder, counter }
    }

    /// A file of the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts another process on this project.
    pub(crate) fn start(&self, verb: &str, what: &str, cut: Option<(usize, &str)>) -> Survivor {
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
pub(crate) struct Survivor {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Survivor {
    /// The next line it says.
    pub(crate) fn line(&mut self) -> Option<String> {
        self.lines.next().map(|line| line.expect("UTF-8"))
    }

    /// Ends it with SIGKILL.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it is there");
        self.child.wait().expect("it ends");
    }

    /// How it ended, unless it is to be killed.
    pub(crate) fn end(mut self) -> Option<Value> {
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
    pub(crate) fn outcome(mut self) -> Result<Value, String> {
        let line = self.line();
        let mut stderr = String::new();
        let read = self.child.stderr.take().expect("piped").read_to_string(&mut stderr);
        read.expect("UTF-8");
        self.child.wait().expect("it ends");
        line.map(|line| json::from_str(&line).expect("JSON")).ok_or(stderr)
    }
}

//! The process of a server, from its start to its end.

use super::environment;
use super::group::SupervisedGroup;
use crate::model::{Secret, describe_exit};
use crate::upstream::output_tail::OutputTail;
use crate::upstream::stdio::line_reader::{self, BoundedLine, LineReader};
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Time for a server to end after its stdin is closed. Servers need up to half a second.
const GRACE: Duration = Duration::from_secs(1);

/// Time for a server to end after SIGTERM.
const TERM_GRACE: Duration = Duration::from_millis(500);

/// Time to wait for the status and the last output of a server that is ending.
const LAST_OUTPUT: Duration = Duration::from_millis(200);

/// Maximum length of a line of stderr. Longer ones are cut.
const STDERR_LINE: usize = 8 << 10;

/// A running server. When dropped, it is killed with all processes that it started.
#[derive(Debug)]
pub(in super::super) struct ServerProcess {
    // Dropped first, while the group's id is still ours.
    group: SupervisedGroup,
    child: Child,
    stderr: JoinHandle<()>,
}

/// The command line of a server.
pub(in super::super) struct CommandLine<'a> {
    pub(in super::super) command: &'a str,
    pub(in super::super) arguments: &'a [String],
    pub(in super::super) environment: &'a [(String, Secret)],
    pub(in super::super) folder: &'a Path,
}

impl ServerProcess {
    /// Starts a server in its own group. Its stderr is added to `tail`.
    pub(in super::super) fn start(
        line: &CommandLine<'_>,
        tail: Arc<OutputTail>,
    ) -> Result<(ServerProcess, ChildStdin, ChildStdout), String> {
        let CommandLine { command: program, arguments, environment, folder } = line;
        if !folder.is_dir() {
            return Err(format!("its folder does not exist: {}", folder.display()));
        }
        let group = SupervisedGroup::new()
            .map_err(|error| format!("`/bin/sh` cannot watch over it: {error}"))?;
        let mut command = Command::new(program);
        command.args(*arguments).current_dir(folder);
        environment::set_environment(&mut command, environment);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        group.adopt(&mut command);
        command.kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                format!("there is no program `{}`", tail.secrets().safe_text(program))
            }
            _ => format!("`{}` does not start: {error}", tail.secrets().safe_text(program)),
        })?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("its input and output cannot be connected".into());
        };
        let stderr = tokio::spawn(read_stderr(stderr, tail));
        Ok((ServerProcess { group, child, stderr }, stdin, stdout))
    }

    /// Returns the id of its process.
    pub(in super::super) fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Returns the id of its group.
    pub(in super::super) fn group(&self) -> Option<i32> {
        self.group.id()
    }

    /// Returns how it ended, if it has or does so within a moment. Then its last output is in its
    /// tail.
    pub(in super::super) async fn wait_exit(&mut self) -> Option<String> {
        let status = timeout(LAST_OUTPUT, self.child.wait()).await.ok()?.ok()?;
        let _ = timeout(LAST_OUTPUT, &mut self.stderr).await;
        Some(describe_exit(status))
    }

    /// Ends the server, whose stdin is closed already: waits a little, then sends SIGTERM to it and
    /// all processes that it started, then kills them.
    pub(in super::super) async fn stop(mut self) {
        if timeout(GRACE, self.child.wait()).await.is_err() {
            self.group.terminate();
            let _ = timeout(TERM_GRACE, self.child.wait()).await;
        }
        // Processes that it started may still run.
        self.group.terminate();
        self.group.end().await;
        let _ = self.child.wait().await;
        self.stderr.abort();
    }
}

/// Stores the last lines of stderr.
async fn read_stderr(stderr: ChildStderr, tail: Arc<OutputTail>) {
    let mut lines = LineReader::new(stderr, STDERR_LINE);
    while let Ok(Some(line)) = lines.next().await {
        match line {
            BoundedLine::Whole(line) => tail.push(line),
            BoundedLine::TooLong(ends) => tail.push_cut(&ends[..ends.len().min(line_reader::ENDS)]),
        }
    }
}

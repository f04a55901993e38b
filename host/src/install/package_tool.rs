//! Runs a package manager to its end, with limited output and time, and leaves no process behind.
//!
//! The tool runs in a process group whose leader is a shell. Beside the tool, the shell starts a
//! watcher that reads from a pipe. Only this process has the other end. When it closes the pipe, or
//! ends in whatever way, the watcher kills the group, itself included. So the id of the group stays
//! in use as long as the pipe is open, and cannot belong to another group.

use super::error::{InstallError, last_lines};
use crate::model::{Secret, describe_exit, escape, format_span};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;
use tracing::debug;

/// Maximum size of a tool's output, in bytes. For a package with thousands of versions it is a few
/// megabytes.
const MAX_STDOUT: usize = 16 << 20;

/// Maximum number of bytes of stderr that are stored.
const MAX_STDERR: usize = 64 << 10;

/// Starts the tool and its watcher. The watcher uses only builtins of the shell. It holds none of
/// the tool's streams, since this process waits until those are closed.
const WATCHED_SCRIPT: &str = "exec 3<&0; { while read -r _ <&3; do :; done; kill -KILL 0; } >/dev/null 2>&1 & \
    exec \"$@\" 3<&- </dev/null";

/// Whether a tool may reach a registry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fetching {
    /// It may.
    #[default]
    Allowed,
    /// It uses only what is on this machine.
    Refused,
}

/// A tool and how to start it.
#[derive(Clone, Copy)]
pub(super) struct PackageTool<'a> {
    /// Its name in messages.
    pub(super) name: &'a str,
    /// The path of its program.
    pub(super) program: &'a Path,
    /// Its environment variables. It gets no others.
    pub(super) variables: &'a [(String, Secret)],
    /// Its environment variables for steps that do not fetch.
    pub(super) keyless: &'a [(String, Secret)],
    /// The folder it runs in.
    pub(super) folder: &'a Path,
    /// Its action and the package that it is for, in messages.
    pub(super) doing: &'static str,
    pub(super) package: &'a str,
    /// Whether it may reach a registry.
    pub(super) fetching: Fetching,
    /// Time limit.
    pub(super) timeout: Duration,
}

/// The exit status and output of a tool.
pub(super) struct PackageToolOutput {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// A process group that is killed when it is dropped.
struct PackageToolGroup {
    child: Child,
    _watcher_pipe: Option<ChildStdin>,
}

impl Drop for PackageToolGroup {
    fn drop(&mut self) {
        // Kills at once, before the watcher notices. The id still belongs to the group, see the
        // module's documentation.
        #[cfg(unix)]
        if let Some(group) = self.child.id().and_then(|id| i32::try_from(id).ok())
            && let Some(group) = rustix::process::Pid::from_raw(group)
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl<'a> PackageTool<'a> {
    /// Returns the same tool with other variables.
    pub(super) fn with_variables(self, variables: &'a [(String, Secret)]) -> PackageTool<'a> {
        PackageTool { variables, ..self }
    }

    /// Returns the same tool for a step that does not fetch, without any key.
    pub(super) fn without_keys(self) -> PackageTool<'a> {
        self.with_variables(self.keyless)
    }

    /// Returns the same tool with another program, which does part of the work.
    pub(super) fn with_program(self, program: &'a Path) -> PackageTool<'a> {
        PackageTool { program, ..self }
    }

    /// Runs the tool to its end.
    pub(super) async fn run<S: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<PackageToolOutput, InstallError> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", WATCHED_SCRIPT, "sh"]).arg(self.program).args(arguments);
        command.current_dir(self.folder).env_clear();
        command.envs(self.variables.iter().map(|(name, value)| (name, value.reveal())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| self.failure(&error.to_string(), &[]))?;
        let (watcher_pipe, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut group = PackageToolGroup { child, _watcher_pipe: watcher_pipe };
        let work = async {
            let read =
                tokio::try_join!(read_bounded(stdout, MAX_STDOUT), read_tail(stderr, MAX_STDERR));
            let (stdout, stderr) = read.map_err(|reason| self.failure(reason, &[]))?;
            let status = group.child.wait().await;
            let status = status.map_err(|error| self.failure(&error.to_string(), &stderr))?;
            let (tool, doing, success) = (self.name, self.doing, status.success());
            let (stdout_bytes, stderr_bytes) = (stdout.len(), stderr.len());
            debug!(target: "pml::install", tool, doing, success, stdout_bytes, stderr_bytes, "tool ended");
            Ok(PackageToolOutput { status, stdout, stderr })
        };
        timeout(self.timeout, work).await.unwrap_or_else(|_| {
            Err(self.failure(&format!("it took longer than {}", format_span(self.timeout)), &[]))
        })
    }

    /// Returns the error for a tool that failed.
    pub(super) fn failure(&self, reason: &str, stderr: &[u8]) -> InstallError {
        InstallError::ToolFailed {
            tool: self.name.into(),
            doing: self.doing,
            package: escape(self.package).into_owned(),
            reason: escape(reason).into_owned(),
            output: last_lines(stderr),
        }
    }

    /// Returns the tool's output if it succeeded.
    pub(super) fn check_success(&self, output: PackageToolOutput) -> Result<Vec<u8>, InstallError> {
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(self.failure(&describe_exit(output.status), &output.stderr)),
        }
    }

    /// Returns the error for output that cannot be parsed.
    pub(super) fn unreadable(&self, reason: &str) -> InstallError {
        InstallError::Unreadable {
            tool: self.name.into(),
            package: escape(self.package).into_owned(),
            reason: escape(reason).into_owned(),
        }
    }
}

/// Reads to the end. Fails if there are more than `limit` bytes.
async fn read_bounded(
    stream: Option<impl AsyncRead + Unpin>,
    limit: usize,
) -> Result<Vec<u8>, &'static str> {
    let mut bytes = Vec::new();
    let stream = stream.ok_or("it has no pipes")?;
    // A read error counts as the end of the stream.
    let _ = stream.take(limit as u64 + 1).read_to_end(&mut bytes).await;
    if bytes.len() > limit { Err("it prints without end") } else { Ok(bytes) }
}

/// Reads to the end and returns the last `limit` bytes.
async fn read_tail(
    stream: Option<impl AsyncRead + Unpin>,
    limit: usize,
) -> Result<Vec<u8>, &'static str> {
    let (mut tail, mut chunk) = (Vec::new(), [0; 8 << 10]);
    let mut stream = stream.ok_or("it has no pipes")?;
    while let Ok(read @ 1..) = stream.read(&mut chunk).await {
        tail.extend_from_slice(&chunk[..read]);
        if tail.len() > 2 * limit {
            tail.drain(..tail.len() - limit);
        }
    }
    tail.drain(..tail.len().saturating_sub(limit));
    Ok(tail)
}

//! Runs a package manager to its end, with limited output and time, and leaves no process behind.
//!
//! The tool runs in a process group whose leader is a shell. Beside the tool, the shell starts a
//! watcher that reads from a pipe. Only this process has the other end. When it closes the pipe, or
//! ends in whatever way, the watcher kills the group, itself included. So the id of the group stays
//! in use as long as the pipe is open, and cannot belong to another group.

use super::error::{InstallError, last_words};
use crate::model::{Secret, describe_exit, escape, span};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;
use tracing::debug;

/// Maximum size of a tool's output, in bytes. For a package with thousands of versions it is a few
/// megabytes.
const STDOUT: usize = 16 << 20;

/// Maximum number of bytes of stderr that are stored.
const STDERR: usize = 64 << 10;

/// Starts the tool and its watcher. The watcher uses only builtins of the shell. It holds none of
/// the tool's streams, since this process waits until those are closed.
const WATCHED: &str = "exec 3<&0; { while read -r _ <&3; do :; done; kill -KILL 0; } >/dev/null 2>&1 & \
    exec \"$@\" 3<&- </dev/null";

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
    /// What it does, and to which package, in messages.
    pub(super) doing: &'static str,
    pub(super) package: &'a str,
    /// Time limit.
    pub(super) patience: Duration,
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
    _leash: Option<ChildStdin>,
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
    pub(super) fn with(self, variables: &'a [(String, Secret)]) -> PackageTool<'a> {
        PackageTool { variables, ..self }
    }

    /// Returns the same tool for a step that does not fetch, without any key.
    pub(super) fn without_keys(self) -> PackageTool<'a> {
        self.with(self.keyless)
    }

    /// Returns the same tool with another program, which does part of the work.
    pub(super) fn by(self, program: &'a Path) -> PackageTool<'a> {
        PackageTool { program, ..self }
    }

    /// Runs the tool to its end.
    pub(super) async fn run<S: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<PackageToolOutput, InstallError> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", WATCHED, "sh"]).arg(self.program).args(arguments);
        command.current_dir(self.folder).env_clear();
        command.envs(self.variables.iter().map(|(name, value)| (name, value.reveal())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn().map_err(|error| self.failed(&error.to_string(), &[]))?;
        let (leash, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut group = PackageToolGroup { child, _leash: leash };
        let work = async {
            let read = tokio::try_join!(first(stdout, STDOUT), last(stderr, STDERR));
            let (stdout, stderr) = read.map_err(|why| self.failed(why, &[]))?;
            let status = group.child.wait().await;
            let status = status.map_err(|error| self.failed(&error.to_string(), &stderr))?;
            let (tool, doing, success) = (self.name, self.doing, status.success());
            let (stdout_bytes, stderr_bytes) = (stdout.len(), stderr.len());
            debug!(target: "pml::install", tool, doing, success, stdout_bytes, stderr_bytes, "tool ended");
            Ok(PackageToolOutput { status, stdout, stderr })
        };
        timeout(self.patience, work).await.unwrap_or_else(|_| {
            Err(self.failed(&format!("it took longer than {}", span(self.patience)), &[]))
        })
    }

    /// Returns the error for a tool that failed.
    pub(super) fn failed(&self, reason: &str, said: &[u8]) -> InstallError {
        InstallError::ToolFailed {
            tool: self.name.into(),
            doing: self.doing,
            package: escape(self.package).into_owned(),
            reason: escape(reason).into_owned(),
            said: last_words(said),
        }
    }

    /// Returns the tool's output if it succeeded.
    pub(super) fn succeeded(&self, ended: PackageToolOutput) -> Result<Vec<u8>, InstallError> {
        match ended.status.success() {
            true => Ok(ended.stdout),
            false => Err(self.failed(&describe_exit(ended.status), &ended.stderr)),
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

/// Reads to the end. Fails if there are more than `most` bytes.
async fn first(
    stream: Option<impl AsyncRead + Unpin>,
    most: usize,
) -> Result<Vec<u8>, &'static str> {
    let mut bytes = Vec::new();
    let stream = stream.ok_or("it has no pipes")?;
    // A read error counts as the end of the stream.
    let _ = stream.take(most as u64 + 1).read_to_end(&mut bytes).await;
    if bytes.len() > most { Err("it prints without end") } else { Ok(bytes) }
}

/// Reads to the end and returns the last `most` bytes.
async fn last(
    stream: Option<impl AsyncRead + Unpin>,
    most: usize,
) -> Result<Vec<u8>, &'static str> {
    let (mut kept, mut chunk) = (Vec::new(), [0; 8 << 10]);
    let mut stream = stream.ok_or("it has no pipes")?;
    while let Ok(read @ 1..) = stream.read(&mut chunk).await {
        kept.extend_from_slice(&chunk[..read]);
        if kept.len() > 2 * most {
            kept.drain(..kept.len() - most);
        }
    }
    kept.drain(..kept.len().saturating_sub(most));
    Ok(kept)
}

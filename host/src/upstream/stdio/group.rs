//! A process group that does not outlive this process.
//!
//! Servers start processes of their own (`npx` starts a shell that starts node). None may remain,
//! even if this process is killed. So each group begins with a supervisor: a shell that reads from
//! a pipe. Only this process has the other end. When it ends, in whatever way, the pipe closes, and
//! the supervisor ends the group, itself included.
//!
//! **Invariant:** the id of the group stays in use as long as the supervisor is not reaped. So the
//! supervisor is reaped last, and a signal to the group never reaches another process.
//!
//! A process that leaves its group on purpose (a daemon) is not ended.

use std::io;
use std::process::Stdio;
use tokio::process::{Child, ChildStdin, Command};

/// Waits for the end of its stdin with builtins only, then gives the group a second to end by
/// itself. It ignores the signals that it sends to the group, except the last one, which cannot be
/// ignored. If it is interrupted before the trap is set, the group has no other processes yet.
#[cfg(unix)]
const SUPERVISOR: &str = "trap '' HUP INT QUIT TERM PIPE; while read -r _; do :; done; \
    kill -TERM 0; sleep 1; kill -KILL 0";

/// A process group and its supervisor.
#[derive(Debug)]
pub(super) struct SupervisedGroup {
    supervisor: Child,
    /// The pipe whose end tells the supervisor that this process ended.
    supervisor_stdin: Option<ChildStdin>,
    #[cfg(unix)]
    id: i32,
}

#[cfg(unix)]
impl SupervisedGroup {
    /// Starts a supervisor and its group.
    pub(super) fn new() -> io::Result<SupervisedGroup> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SUPERVISOR]).current_dir("/");
        command.env_clear().envs(super::environment::base().filter(|(name, _)| *name == "PATH"));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.process_group(0).kill_on_drop(true);
        let mut supervisor = command.spawn()?;
        let id = supervisor.id().and_then(|id| i32::try_from(id).ok());
        let id = id.ok_or_else(|| io::Error::other("the supervisor is already gone"))?;
        Ok(SupervisedGroup { supervisor_stdin: supervisor.stdin.take(), supervisor, id })
    }

    /// Returns the group's id.
    pub(super) fn id(&self) -> Option<i32> {
        Some(self.id)
    }

    /// Makes `command` join the group when it is started.
    pub(super) fn adopt(&self, command: &mut Command) {
        command.process_group(self.id);
    }

    /// Sends SIGTERM to all processes of the group.
    pub(super) fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    /// Sends SIGKILL to all processes of the group.
    fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        // Not reaped yet: see the invariant.
        if self.supervisor.id().is_some()
            && let Some(group) = rustix::process::Pid::from_raw(self.id)
        {
            // The group is empty, or a process changed its user. There is nothing more to do.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}

#[cfg(not(unix))]
impl SupervisedGroup {
    /// Fails, since there are no process groups on this system.
    pub(super) fn new() -> io::Result<SupervisedGroup> {
        Err(io::Error::other("servers that are processes need a unix system"))
    }

    pub(super) fn id(&self) -> Option<i32> {
        None
    }

    pub(super) fn adopt(&self, _: &mut Command) {}

    pub(super) fn terminate(&self) {}

    fn kill(&self) {}
}

impl SupervisedGroup {
    /// Ends all processes of the group and waits for the supervisor.
    pub(super) async fn end(mut self) {
        self.kill();
        self.supervisor_stdin = None;
        // An error means that it was reaped elsewhere.
        let _ = self.supervisor.wait().await;
    }
}

impl Drop for SupervisedGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

//! A process group that does not outlive us.
//!
//! Servers start processes of their own (`npx` starts a shell that starts node), and none may be
//! left behind, even when we are killed and can do nothing more. So each group begins with a
//! supervisor: a shell that holds the end of a pipe whose other end only we have. When we end, in
//! whatever way, the pipe closes, and the supervisor ends the group, itself included.
//!
//! **Invariant:** the group's id stays ours for as long as the supervisor is not reaped, so that a
//! signal to the group never reaches a stranger: the supervisor is reaped last.
//!
//! What leaves its group on purpose (a daemon) is not followed.

use std::io;
use std::process::Stdio;
use tokio::process::{Child, ChildStdin, Command};

/// Waits for the end of its stdin with builtins only, then gives the group a second to end by
/// itself. It ignores the signals that it sends to the group, until the one that nobody can ignore.
/// Should it be cut short before the trap is set, the group holds nobody but itself.
#[cfg(unix)]
const SUPERVISOR: &str = "trap '' HUP INT QUIT TERM PIPE; while read -r _; do :; done; \
    kill -TERM 0; sleep 1; kill -KILL 0";

/// A process group and its supervisor.
#[derive(Debug)]
pub(super) struct SupervisedGroup {
    supervisor: Child,
    /// The pipe that tells the supervisor of our end.
    leash: Option<ChildStdin>,
    #[cfg(unix)]
    id: i32,
}

#[cfg(unix)]
impl SupervisedGroup {
    /// Begins a group.
    pub(super) fn new() -> io::Result<SupervisedGroup> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", SUPERVISOR]).current_dir("/");
        command.env_clear().envs(super::environment::base().filter(|(name, _)| *name == "PATH"));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.process_group(0).kill_on_drop(true);
        let mut supervisor = command.spawn()?;
        let id = supervisor.id().and_then(|id| i32::try_from(id).ok());
        let id = id.ok_or_else(|| io::Error::other("the supervisor is already gone"))?;
        Ok(SupervisedGroup { leash: supervisor.stdin.take(), supervisor, id })
    }

    /// Returns the group's id.
    pub(super) fn id(&self) -> Option<i32> {
        Some(self.id)
    }

    /// Has `command` join the group when it is started.
    pub(super) fn adopt(&self, command: &mut Command) {
        command.process_group(self.id);
    }

    /// Asks all of the group to end.
    pub(super) fn ask(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    /// Ends all of the group at once.
    fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        // Not reaped yet: see the invariant.
        if self.supervisor.id().is_some()
            && let Some(group) = rustix::process::Pid::from_raw(self.id)
        {
            // Nobody is left, or somebody changed user: nothing more can be done.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}

#[cfg(not(unix))]
impl SupervisedGroup {
    /// There are no groups here: a server is ended alone, when its handle is dropped.
    pub(super) fn new() -> io::Result<SupervisedGroup> {
        Err(io::Error::other("servers that are processes need a unix system"))
    }

    pub(super) fn id(&self) -> Option<i32> {
        None
    }

    pub(super) fn adopt(&self, _: &mut Command) {}

    pub(super) fn ask(&self) {}

    fn kill(&self) {}
}

impl SupervisedGroup {
    /// Ends all of the group and waits for the supervisor.
    pub(super) async fn end(mut self) {
        self.kill();
        self.leash = None;
        // An error means that it was reaped elsewhere.
        let _ = self.supervisor.wait().await;
    }
}

impl Drop for SupervisedGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

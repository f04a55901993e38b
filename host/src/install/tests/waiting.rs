//! Waits for conditions, and checks whether processes exist.

use std::fs;
use std::path::Path;
use std::time::Duration;

/// Longer than anything here takes on a busy machine.
pub(super) const LONG: Duration = Duration::from_secs(120);

/// Polls until `done` returns `true`, since the observed state sends no notifications.
pub(super) async fn eventually(what: &str, done: impl Fn() -> bool) {
    let polling = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, polling).await.unwrap_or_else(|_| panic!("never: {what}"));
}

/// Reports whether a process exists and is not a zombie.
pub(super) fn is_alive(pid: i32) -> bool {
    match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => !stat[stat.rfind(')').unwrap_or(0)..].starts_with(") Z"),
        Err(_) if Path::new("/proc/self").exists() => false,
        Err(_) => {
            let pid = rustix::process::Pid::from_raw(pid).expect("not zero");
            rustix::process::test_kill_process(pid).is_ok()
        }
    }
}

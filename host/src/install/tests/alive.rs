//! Checks whether processes exist.

use std::fs;
use std::path::Path;

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

//! The CPU clock of the thread that reads it.

use std::time::Duration;

/// Returns the CPU time that this thread has used, where the OS tells.
#[cfg(unix)]
pub(crate) fn thread_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).ok()
}

/// Returns the CPU time that this thread has used, where the OS tells.
#[cfg(not(unix))]
pub(crate) fn thread_time() -> Option<Duration> {
    None
}

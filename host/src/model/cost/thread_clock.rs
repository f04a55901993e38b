//! The CPU clock of the current thread.

use std::time::Duration;

/// Returns the CPU time that this thread has used, or `None` if the OS does not report it.
#[cfg(unix)]
pub(crate) fn thread_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).ok()
}

/// Returns the CPU time that this thread has used, or `None` if the OS does not report it.
#[cfg(not(unix))]
pub(crate) fn thread_time() -> Option<Duration> {
    None
}

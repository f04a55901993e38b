//! Describes how a process ended.

use std::process::ExitStatus;

/// Returns how a process ended unexpectedly, as the end of a sentence.
pub(crate) fn describe_exit(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("it was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("it ended with exit status {code}"),
        None => "it ended".into(),
    }
}

//! The status of a server.

use crate::model::ProtocolEra;
use std::time::Duration;

/// The current status of a server. Texts that came from it are escaped.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Its name in the configuration.
    pub name: String,
    /// Its state.
    pub state: ServerState,
    /// Its protocol era; from an earlier start, if it does not run.
    pub era: Option<ProtocolEra>,
    /// The negotiated revision of MCP; from an earlier start, if it does not run.
    pub protocol: Option<String>,
    /// The name that it reports.
    pub title: Option<String>,
    /// The version that it reports.
    pub version: Option<String>,
    /// The number of its tools; from an earlier start, if it does not run.
    pub tool_count: Option<usize>,
    /// Tools that it lists and that cannot be called, with reasons.
    pub skipped_tools: Vec<String>,
    /// The time from its start until it had listed its tools; from an earlier start, if it does not
    /// run.
    pub startup_time: Option<Duration>,
    /// The id of its process.
    pub pid: Option<u32>,
    /// Memory of its process and of all processes that it started, in bytes, where the OS reports
    /// it.
    pub memory: Option<u64>,
    /// The last lines of its stderr.
    pub stderr: Vec<String>,
    /// The number of lines on its stdout that were not messages.
    pub noise_lines: u64,
    /// The number of starts in this process after the first one.
    pub restarts: u32,
}

/// The state of a server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ServerState {
    /// It was not needed yet, or not for a while.
    Idle,
    /// It is being started or reached.
    Starting,
    /// It answers.
    Running,
    /// It failed. The next use starts it again.
    Failed {
        /// The reason.
        reason: String,
    },
    /// It failed, and is not started again for a while.
    BackingOff {
        /// The reason.
        reason: String,
        /// The time until it may be started again.
        retry_in: Duration,
    },
    /// It cannot be started: variables that it declares are not set.
    Missing {
        /// The missing variables.
        variables: Vec<String>,
    },
    /// pml is closing.
    Closed,
}

/// Returns the memory of the processes of each group, in bytes, in the order of `groups`.
#[cfg(target_os = "linux")]
pub(super) fn memory(groups: &[Option<i32>]) -> Vec<Option<u64>> {
    let mut sums = vec![None; groups.len()];
    if groups.iter().all(Option::is_none) {
        return sums;
    }
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        if !name.to_str().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit())) {
            continue;
        }
        let Some((group, bytes)) = process(&entry.path()) else { continue };
        if let Some(at) = groups.iter().position(|wanted| *wanted == Some(group)) {
            *sums[at].get_or_insert(0) += bytes;
        }
    }
    sums
}

/// Returns a process's group and its memory in bytes.
#[cfg(target_os = "linux")]
fn process(folder: &std::path::Path) -> Option<(i32, u64)> {
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    // The name before it is in parentheses and may contain any characters.
    let fields = &stat[stat.rfind(')')? + 1..];
    let group = fields.split_ascii_whitespace().nth(2)?.parse().ok()?;
    let status = std::fs::read_to_string(folder.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some((group, kilobytes << 10))
}

/// Returns `None` for all groups, since reading memory is not implemented for this OS.
#[cfg(not(target_os = "linux"))]
pub(super) fn memory(groups: &[Option<i32>]) -> Vec<Option<u64>> {
    vec![None; groups.len()]
}

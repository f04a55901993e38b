//! What there is to say about a server.

use crate::model::ProtocolEra;
use std::time::Duration;

/// A server as it is now. Texts that came from it are escaped.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Its name in the configuration.
    pub name: String,
    /// Whether it runs.
    pub state: ServerState,
    /// How it wants to be talked to; from an earlier start, if it does not run.
    pub era: Option<ProtocolEra>,
    /// The revision of MCP that was agreed on; from an earlier start, if it does not run.
    pub protocol: Option<String>,
    /// What it calls itself.
    pub title: Option<String>,
    /// Which version it says it is.
    pub version: Option<String>,
    /// How many tools it lists; from an earlier start, if it does not run.
    pub tools: Option<usize>,
    /// Tools that it lists and that cannot be called, and why.
    pub left_out: Vec<String>,
    /// How long it took until it had listed its tools; from an earlier start, if it does not run.
    pub started_in: Option<Duration>,
    /// Its process.
    pub pid: Option<u32>,
    /// Bytes of memory that its process and all that it started hold, where the OS says.
    pub memory: Option<u64>,
    /// The last lines of its stderr.
    pub stderr: Vec<String>,
    /// How many lines on its stdout were not messages.
    pub noise: u64,
    /// How often it was started in this process after the first time.
    pub restarts: u32,
}

/// Whether a server runs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ServerState {
    /// Nobody needed it yet, or not for a while.
    Idle,
    /// It is being started or reached.
    Starting,
    /// It answers.
    Running,
    /// It failed; the next use starts it again.
    Failed {
        /// Why.
        reason: String,
    },
    /// It failed, and is left alone for a while.
    BackingOff {
        /// Why.
        reason: String,
        /// How long.
        again_in: Duration,
    },
    /// It cannot be started: variables that it declares are not set.
    Missing {
        /// Which.
        variables: Vec<String>,
    },
    /// We are about to end.
    Closed,
}

/// Returns the bytes of memory that the processes of each group hold, in the order of `groups`.
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

/// Returns a process's group and the bytes it holds.
#[cfg(target_os = "linux")]
fn process(folder: &std::path::Path) -> Option<(i32, u64)> {
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    // The name before it is in parentheses and may hold anything.
    let fields = &stat[stat.rfind(')')? + 1..];
    let group = fields.split_ascii_whitespace().nth(2)?.parse().ok()?;
    let status = std::fs::read_to_string(folder.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    Some((group, kilobytes << 10))
}

/// Returns nothing: this OS is not asked.
#[cfg(not(target_os = "linux"))]
pub(super) fn memory(groups: &[Option<i32>]) -> Vec<Option<u64>> {
    vec![None; groups.len()]
}

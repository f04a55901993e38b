//! The signals of the process: Ctrl-C, SIGTERM, the end of its terminal (SIGHUP) and SIGQUIT.

use super::interrupt::say_how_to_go_on;
use anyhow::{Context, Result};
use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The signals that end the process.
const SIGNALS: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

/// How long the process lives on if nobody reads what it says. A reader takes it at once.
const WRITE_TIME: Duration = Duration::from_secs(1);

/// Signals that are kept from ending the process, until somebody handles them.
#[must_use]
pub(super) struct CaughtSignals {
    arrived: UnixStream,
    /// The number of the latest signal.
    latest: Arc<AtomicUsize>,
    /// What is done about SIGINT and SIGTERM.
    actions: Vec<SigId>,
}

impl CaughtSignals {
    /// Catches signals from now on. It is the first thing that the process does: a signal that
    /// comes before ends it without a word.
    pub(super) fn catch() -> Result<CaughtSignals> {
        CaughtSignals::register().context("cannot listen for signals")
    }

    fn register() -> io::Result<CaughtSignals> {
        let (arrived, sender) = UnixStream::pair()?;
        let latest = Arc::new(AtomicUsize::new(0));
        let mut actions = Vec::new();
        for signal in SIGNALS {
            let is_asked = [SIGINT, SIGTERM].contains(&signal);
            // `nohup pml` lives on when its terminal is closed.
            if !is_asked && is_ignored(signal) {
                continue;
            }
            let number = usize::try_from(signal).unwrap_or_default();
            let noted = signal_hook::flag::register_usize(signal, latest.clone(), number)?;
            let woken = signal_hook::low_level::pipe::register(signal, sender.try_clone()?)?;
            if is_asked {
                actions.extend([noted, woken]);
            }
        }
        Ok(CaughtSignals { arrived, latest, actions })
    }

    /// Ends the process at the first signal, in whatever state it is: running, parsing, or blocked
    /// on its output. It first says how to go on. A second signal does not cut that short, because
    /// some programs send two at once; a reader who does not read does.
    pub(super) fn end_process(self) -> Result<EndingSignals> {
        self.listen().context("cannot listen for signals")
    }

    fn listen(self) -> io::Result<EndingSignals> {
        let CaughtSignals { mut arrived, latest, actions } = self;
        let (first, begin) = std::sync::mpsc::channel::<i32>();
        let say_and_end = move || {
            if let Ok(signal) = begin.recv() {
                say_how_to_go_on(signal);
                signal_hook::low_level::exit(128 + signal);
            }
        };
        let wait = move || {
            if arrived.read_exact(&mut [0]).is_ok() {
                let signal = i32::try_from(latest.load(Ordering::SeqCst)).unwrap_or(SIGINT);
                // The other thread waits for it as long as the process lives.
                let _ = first.send(signal);
                std::thread::sleep(WRITE_TIME);
                signal_hook::low_level::exit(128 + signal);
            }
        };
        std::thread::Builder::new().name("pml interrupt".into()).spawn(say_and_end)?;
        std::thread::Builder::new().name("pml signals".into()).spawn(wait)?;
        Ok(EndingSignals { actions })
    }
}

/// Signals that end the process.
pub(super) struct EndingSignals {
    actions: Vec<SigId>,
}

impl EndingSignals {
    /// Leaves SIGINT and SIGTERM to a command that handles them itself, and does so already.
    pub(super) fn leave_to_command(self) {
        for action in self.actions {
            signal_hook::low_level::unregister(action);
        }
    }
}

/// Reports whether whoever started the process wants a signal to be ignored. Where the system does
/// not say it, nobody does.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    is_in_ignored_mask(&status, signal)
}

fn is_in_ignored_mask(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::is_in_ignored_mask;
    use signal_hook::consts::{SIGHUP, SIGQUIT};

    #[test]
    fn what_the_starter_ignores_is_read_from_the_mask() {
        let status = "Name:\tpml\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000004\n";
        assert!(is_in_ignored_mask(status, SIGHUP));
        assert!(!is_in_ignored_mask(status, SIGQUIT));
        assert!(!is_in_ignored_mask("", SIGHUP));
    }
}

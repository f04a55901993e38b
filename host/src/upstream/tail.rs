//! The last that a server said beside the protocol: its stderr, and lines on stdout that are not messages.
//!
//! **Invariant:** bounded, whatever a server writes; what is read out is escaped, and the server's own secrets are hidden.

use crate::model::{Secret, cut, escape};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Enough for a stack trace.
const LINES: usize = 50;

/// And for the message above it.
const BYTES: usize = 8 << 10;

/// Longer lines are cut.
const LINE: usize = 500;

/// Shorter values would hide parts of ordinary words.
const SECRET: usize = 6;

/// Keeps the last lines.
#[derive(Debug, Default)]
pub(super) struct Tail {
    lines: Mutex<Lines>,
    secrets: Vec<Secret>,
}

#[derive(Debug, Default)]
struct Lines {
    kept: VecDeque<String>,
    bytes: usize,
    /// Lines on stdout that were not messages.
    noise: u64,
}

impl Tail {
    /// Returns an empty tail that will not show these values.
    pub(super) fn new(secrets: Vec<Secret>) -> Tail {
        Tail { lines: Mutex::default(), secrets }
    }

    /// Keeps a line, and forgets the oldest if there are too many.
    pub(super) fn push(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end();
        if !text.is_empty() {
            self.lock().push(cut(text, LINE));
        }
    }

    /// Keeps a line that should have been a message.
    pub(super) fn noise(&self, line: &[u8]) {
        self.lock().noise += 1;
        self.push(&line[..line.len().min(4 * LINE)]);
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        *self.lock() = Lines::default();
    }

    /// Returns how many lines should have been messages.
    pub(super) fn noises(&self) -> u64 {
        self.lock().noise
    }

    /// Returns the last `count` lines, fit to be shown.
    pub(super) fn last(&self, count: usize) -> Vec<String> {
        let lines = self.lock();
        let start = lines.kept.len().saturating_sub(count);
        lines.kept.range(start..).map(|line| self.shown(line)).collect()
    }

    fn shown(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for secret in self.secrets.iter().map(Secret::reveal) {
            if secret.len() >= SECRET && line.contains(secret) {
                line = line.replace(secret, "…");
            }
        }
        escape(&line).into_owned()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    fn push(&mut self, line: String) {
        self.bytes += line.len();
        self.kept.push_back(line);
        while self.kept.len() > LINES || self.bytes > BYTES {
            let Some(oldest) = self.kept.pop_front() else { return };
            self.bytes -= oldest.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES, LINES, Tail};
    use crate::model::Secret;

    #[test]
    fn the_last_lines_are_kept_and_no_more() {
        let tail = Tail::default();
        for index in 0..1000 {
            tail.push(format!("line {index}\n").as_bytes());
        }
        let last = tail.last(usize::MAX);
        assert_eq!((last.len(), last.last().map(String::as_str)), (LINES, Some("line 999")));
        assert_eq!(tail.last(1), ["line 999"]);
        for _ in 0..1000 {
            tail.push("x".repeat(100_000).as_bytes());
        }
        assert!(tail.last(usize::MAX).iter().map(String::len).sum::<usize>() <= BYTES);
    }

    #[test]
    fn what_is_shown_is_escaped_and_holds_no_secret() {
        let tail = Tail::new(vec![Secret::new("hunter22"), Secret::new("a")]);
        tail.push(b"\x1b[2Jkey=hunter22 at \xff");
        assert_eq!(tail.last(9), ["\\u{1b}[2Jkey=… at \u{fffd}"]);
    }
}

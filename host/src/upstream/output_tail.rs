//! The last output of a server outside of the protocol: its stderr, and lines on stdout that are
//! not messages.
//!
//! **Invariant:** the size is bounded, whatever a server writes. Returned lines are escaped, and
//! the server's own secrets are hidden.

use super::secrets::ServerSecrets;
use crate::model::{cut, escape};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of lines: enough for a stack trace.
const MAX_LINES: usize = 50;

/// Maximum size in bytes: enough for a stack trace with its message.
const MAX_BYTES: usize = 8 << 10;

/// Maximum length of a line. Longer ones are cut.
const MAX_LINE: usize = 500;

/// Stores the last lines.
#[derive(Debug, Default)]
pub(super) struct OutputTail {
    lines: Mutex<TailLines>,
    secrets: Arc<ServerSecrets>,
}

#[derive(Debug, Default)]
struct TailLines {
    stored: VecDeque<String>,
    bytes: usize,
    /// Number of lines on stdout that were not messages.
    noise: u64,
    /// Number of all lines, including those that are no longer stored.
    total: u64,
}

impl OutputTail {
    /// Returns an empty tail that hides these values.
    pub(super) fn new(secrets: Arc<ServerSecrets>) -> OutputTail {
        OutputTail { lines: Mutex::default(), secrets }
    }

    /// Returns the values that are hidden.
    pub(super) fn secrets(&self) -> &Arc<ServerSecrets> {
        &self.secrets
    }

    /// Adds a line, and drops the oldest if there are too many.
    pub(super) fn push(&self, line: &[u8]) {
        self.store(&self.secrets.hide(String::from_utf8_lossy(line).trim_end()));
    }

    /// Adds the beginning of a line.
    pub(super) fn push_cut(&self, beginning: &[u8]) {
        // The cut may have split a character.
        let text = String::from_utf8_lossy(beginning);
        self.store(&self.secrets.hide_cut(text.trim_end_matches(char::REPLACEMENT_CHARACTER)));
    }

    fn store(&self, text: &str) {
        if !text.is_empty() {
            self.lock().push(cut(text, MAX_LINE));
        }
    }

    /// Adds a line that should have been a message.
    pub(super) fn push_noise(&self, line: &[u8]) {
        self.lock().noise += 1;
        match line.get(..8 * MAX_LINE) {
            None => self.push(line),
            Some(beginning) => self.push_cut(beginning),
        }
    }

    /// Drops all lines and counts.
    pub(super) fn clear(&self) {
        *self.lock() = TailLines::default();
    }

    /// Returns the number of lines that should have been messages.
    pub(super) fn noise_count(&self) -> u64 {
        self.lock().noise
    }

    /// Returns the number of all lines.
    pub(super) fn count(&self) -> u64 {
        self.lock().total
    }

    /// Returns the last `count` lines, safe to show.
    pub(super) fn last(&self, count: usize) -> Vec<String> {
        let lines = self.lock();
        let start = lines.stored.len().saturating_sub(count);
        lines.stored.range(start..).map(|line| escape(line).into_owned()).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, TailLines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TailLines {
    fn push(&mut self, line: String) {
        self.total += 1;
        self.bytes += line.len();
        self.stored.push_back(line);
        while self.stored.len() > MAX_LINES || self.bytes > MAX_BYTES {
            let Some(oldest) = self.stored.pop_front() else { return };
            self.bytes -= oldest.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, MAX_LINES, OutputTail};
    use std::sync::Arc;

    #[test]
    fn the_last_lines_are_kept_and_no_more() {
        let tail = OutputTail::default();
        for index in 0..1000 {
            tail.push(format!("line {index}\n").as_bytes());
        }
        let last = tail.last(usize::MAX);
        assert_eq!((last.len(), last.last().map(String::as_str)), (MAX_LINES, Some("line 999")));
        assert_eq!(tail.count(), 1000);
        assert_eq!(tail.last(1), ["line 999"]);
        for _ in 0..1000 {
            tail.push("x".repeat(100_000).as_bytes());
        }
        assert!(tail.last(usize::MAX).iter().map(String::len).sum::<usize>() <= MAX_BYTES);
    }

    #[test]
    fn what_is_shown_is_escaped_and_holds_no_secret() {
        let tail = OutputTail::new(Arc::new(["hunter22", "a"].into()));
        tail.push(b"\x1b[2Jkey=hunter22 at \xff");
        assert_eq!(tail.last(9), ["\\u{1b}[2Jkey=[hidden: 8 characters] at \u{fffd}"]);
    }

    #[test]
    fn a_secret_across_a_cut_does_not_leave_its_beginning() {
        let tail = OutputTail::new(Arc::new(["hunter22"].into()));
        tail.push(format!("{}hunter22 and more", "x".repeat(495)).as_bytes());
        tail.push_noise(format!("{}hunter22", "hunter22".repeat(499) + "xxx").as_bytes());
        tail.push_cut("é: hunte".as_bytes());
        tail.push_cut(&"key: hunter22é".as_bytes()[..14]);
        let shown = tail.last(9);
        assert!(shown.len() == 4 && shown.iter().all(|line| !line.contains("hunt")), "{shown:?}");
        assert_eq!(shown[2..], ["é: [hidden: 5 characters]", "key: [hidden: 8 characters]"]);
    }
}

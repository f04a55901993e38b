//! The console lines of a run, which every client reads from its own position.
//!
//! **Invariant:** memory is bounded: for the start of the run, and for the position of each client
//! that has read, at most as many bytes are stored as one answer shows.

use super::client::ClientId;
use crate::model::ConsoleLine;
use std::collections::{BTreeMap, VecDeque};

/// Bytes of console output that are stored from a position on: no answer shows more.
const MAX_BYTES: u64 = 16 << 10;

/// Lines that a client has not read yet.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ConsoleExcerpt {
    /// The lines, in order.
    pub lines: Vec<ConsoleLine>,
    /// Number of further lines that exceeded the limit.
    pub dropped: u32,
}

/// The console output of a run.
#[derive(Default)]
pub(super) struct ConsoleLog {
    end: ConsolePosition,
    stored: VecDeque<StoredLine>,
    /// The position up to which each client has read. A client that has read no lines is absent: it
    /// begins at the start.
    read: BTreeMap<ClientId, ConsolePosition>,
}

/// A position between two lines.
#[derive(Clone, Copy, Default)]
struct ConsolePosition {
    lines: u64,
    bytes: u64,
}

struct StoredLine {
    line: ConsoleLine,
    start: ConsolePosition,
}

impl StoredLine {
    /// Reports whether an excerpt from `position` on shows this line.
    fn is_shown_from(&self, position: ConsolePosition) -> bool {
        let end = self.start.bytes + self.line.text.len() as u64;
        self.start.lines >= position.lines && end - position.bytes <= MAX_BYTES
    }
}

impl ConsoleLog {
    /// Adds a line.
    pub(super) fn push(&mut self, line: &ConsoleLine) {
        let stored = StoredLine { line: line.clone(), start: self.end };
        self.end.lines += 1;
        self.end.bytes += line.text.len() as u64;
        if self.is_needed(&stored) {
            self.stored.push_back(stored);
        }
    }

    fn is_needed(&self, line: &StoredLine) -> bool {
        let mut positions = self.read.values().copied().chain([ConsolePosition::default()]);
        positions.any(|position| line.is_shown_from(position))
    }

    /// Returns the lines that a client has not read yet.
    pub(super) fn unread(&self, client: ClientId) -> ConsoleExcerpt {
        let from = self.read.get(&client).copied().unwrap_or_default();
        let shown = self.stored.iter().filter(|stored| stored.is_shown_from(from));
        let lines: Vec<ConsoleLine> = shown.map(|stored| stored.line.clone()).collect();
        let dropped = self.end.lines - from.lines - lines.len() as u64;
        ConsoleExcerpt { lines, dropped: u32::try_from(dropped).unwrap_or(u32::MAX) }
    }

    /// Returns the lines that a client has not read yet, and marks them as read.
    pub(super) fn read(&mut self, client: ClientId) -> ConsoleExcerpt {
        let excerpt = self.unread(client);
        self.read.insert(client, self.end);
        self.drop_unneeded();
        excerpt
    }

    /// Forgets the positions of clients.
    pub(super) fn forget(&mut self, clients: &[ClientId]) {
        for client in clients {
            self.read.remove(client);
        }
        self.drop_unneeded();
    }

    fn drop_unneeded(&mut self) {
        let stored = std::mem::take(&mut self.stored);
        self.stored = stored.into_iter().filter(|line| self.is_needed(line)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Client;
    use super::{ConsoleLog, MAX_BYTES};
    use crate::model::{ConsoleLevel, ConsoleLine};
    use tokio::sync::watch;

    fn line(text: &str) -> ConsoleLine {
        ConsoleLine { level: ConsoleLevel::Log, text: text.into() }
    }

    fn texts(excerpt: super::ConsoleExcerpt) -> Vec<String> {
        excerpt.lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn each_client_reads_from_its_own_position() {
        let client = || Client::new(watch::Sender::new(false)).id();
        let (first, second, mut log) = (client(), client(), ConsoleLog::default());
        log.push(&line("one"));
        assert_eq!(texts(log.read(first)), ["one"]);
        log.push(&line("two"));
        assert_eq!(texts(log.unread(first)), ["two"]);
        assert_eq!(texts(log.unread(first)), ["two"]);
        assert_eq!(texts(log.read(second)), ["one", "two"]);
        assert!(texts(log.read(second)).is_empty());
        assert_eq!(texts(log.read(first)), ["two"]);
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_left_out_is_counted() {
        let client = || Client::new(watch::Sender::new(false)).id();
        let (first, second, mut log) = (client(), client(), ConsoleLog::default());
        let long = line(&"x".repeat(MAX_BYTES as usize / 2));
        for _ in 0..5 {
            log.push(&long);
        }
        assert_eq!(log.stored.len(), 2);
        let excerpt = log.read(first);
        assert_eq!((excerpt.lines.len(), excerpt.dropped), (2, 3));
        for _ in 0..3 {
            log.push(&long);
        }
        let (read, other) = (log.unread(first), log.unread(second));
        assert_eq!((read.lines.len(), read.dropped), (2, 1));
        assert_eq!((other.lines.len(), other.dropped), (2, 6));
        for _ in 0..10 {
            log.read(first);
            log.push(&long);
        }
        assert_eq!(log.stored.len(), 3);
        log.forget(&[first]);
        assert_eq!(log.stored.len(), 2);
    }
}

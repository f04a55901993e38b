//! Lines for a log that somebody else keeps: what they are about goes on, whether it is read or
//! not.

use super::ui;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

/// Lines that wait to be written, at most: whoever does not read misses the rest.
const WAITING: usize = 256;

/// How long the end waits for what is still to be written.
const PATIENCE: Duration = Duration::from_millis(200);

/// Writes lines to stderr, in a thread of its own.
#[derive(Clone)]
pub(super) struct StderrNoticeWriter(Arc<SyncSender<StderrNotice>>);

enum StderrNotice {
    Line(String),
    /// All that came before is written.
    Flush(Sender<()>),
}

impl StderrNoticeWriter {
    /// Begins.
    pub(super) fn new() -> StderrNoticeWriter {
        let (sender, notes): (_, Receiver<StderrNotice>) = sync_channel(WAITING);
        std::thread::spawn(move || {
            for note in notes {
                match note {
                    StderrNotice::Line(line) => ui::say(&line),
                    // Nobody waits any more.
                    StderrNotice::Flush(done) => drop(done.send(())),
                }
            }
        });
        StderrNoticeWriter(Arc::new(sender))
    }

    /// Writes a line, sooner or later.
    pub(super) fn say(&self, line: &str) {
        let _ = self.0.try_send(StderrNotice::Line(line.into()));
    }

    /// Waits until everything is written, though not for long.
    pub(super) fn finish(&self) {
        let (done, written) = channel();
        if self.0.try_send(StderrNotice::Flush(done)).is_ok() {
            let _ = written.recv_timeout(PATIENCE);
        }
    }
}

//! Lines for a log that somebody else keeps: what they are about goes on, whether it is read or not.

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
pub(super) struct Notices(Arc<SyncSender<Note>>);

enum Note {
    Line(String),
    /// All that came before is written.
    Done(Sender<()>),
}

impl Notices {
    /// Begins.
    pub(super) fn new() -> Notices {
        let (sender, notes): (_, Receiver<Note>) = sync_channel(WAITING);
        std::thread::spawn(move || {
            for note in notes {
                match note {
                    Note::Line(line) => ui::say(&line),
                    // Nobody waits any more.
                    Note::Done(done) => drop(done.send(())),
                }
            }
        });
        Notices(Arc::new(sender))
    }

    /// Writes a line, sooner or later.
    pub(super) fn say(&self, line: &str) {
        let _ = self.0.try_send(Note::Line(line.into()));
    }

    /// Waits until everything is written, though not for long.
    pub(super) fn finish(&self) {
        let (done, written) = channel();
        if self.0.try_send(Note::Done(done)).is_ok() {
            let _ = written.recv_timeout(PATIENCE);
        }
    }
}

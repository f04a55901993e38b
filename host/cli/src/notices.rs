//! Lines on stderr of `pml stdio`, which the client may store as a log. They are written by a
//! thread of their own, so that serving never waits for a reader.

use super::ui;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

/// Most lines that can wait to be written; further ones are dropped while nobody reads.
const QUEUE_LENGTH: usize = 256;

/// Longest time that `finish` waits for lines that are not written yet.
const FINISH_TIMEOUT: Duration = Duration::from_millis(200);

/// Writes lines to stderr in a thread of its own.
#[derive(Clone)]
pub(super) struct StderrNoticeWriter(Arc<SyncSender<StderrNotice>>);

enum StderrNotice {
    Line(String),
    /// A request to confirm that all earlier lines are written.
    Flush(Sender<()>),
}

impl StderrNoticeWriter {
    /// Starts the thread.
    pub(super) fn new() -> StderrNoticeWriter {
        let (sender, notices): (_, Receiver<StderrNotice>) = sync_channel(QUEUE_LENGTH);
        std::thread::spawn(move || {
            for notice in notices {
                match notice {
                    StderrNotice::Line(line) => ui::say(&line),
                    // An error means that `finish` does not wait any more.
                    StderrNotice::Flush(done) => drop(done.send(())),
                }
            }
        });
        StderrNoticeWriter(Arc::new(sender))
    }

    /// Queues a line. It is dropped if the queue is full.
    pub(super) fn say(&self, line: &str) {
        let _ = self.0.try_send(StderrNotice::Line(line.into()));
    }

    /// Waits until all queued lines are written, but no longer than the timeout.
    pub(super) fn finish(&self) {
        let (done, written) = channel();
        if self.0.try_send(StderrNotice::Flush(done)).is_ok() {
            let _ = written.recv_timeout(FINISH_TIMEOUT);
        }
    }
}

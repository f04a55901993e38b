//! The console of one run. Every line is stored, and reported once.

use crate::event::{Event, EventSink};
use crate::model::{ConsoleLine, RunId};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// The lines that a program has written. A rebuilt program writes all lines again; those that were
/// reported before are not reported again.
pub(super) struct RunConsole {
    run: RunId,
    events: Arc<dyn EventSink>,
    lines: Mutex<Vec<ConsoleLine>>,
    written: AtomicU64,
    /// How many lines were reported, by any process.
    reported: Arc<AtomicU64>,
}

impl RunConsole {
    /// Returns an empty console. `reported` outlives it: it counts for the run, in any process.
    pub(super) fn new(
        run: RunId,
        events: Arc<dyn EventSink>,
        reported: Arc<AtomicU64>,
    ) -> RunConsole {
        RunConsole { run, events, lines: Mutex::default(), written: AtomicU64::new(0), reported }
    }

    /// Returns a callback that takes each line as the guest writes it.
    pub(super) fn on_line(self: Arc<RunConsole>) -> Box<dyn FnMut(&ConsoleLine) + Send> {
        Box::new(move |line| self.line(line))
    }

    fn line(&self, line: &ConsoleLine) {
        let written = self.written.fetch_add(1, Relaxed) + 1;
        if written > self.reported.load(Relaxed) {
            self.reported.store(written, Relaxed);
            self.events.event(&Event::Console { run: self.run, line: line.clone() });
        }
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.clone());
    }

    /// Returns how many lines the program has written.
    pub(super) fn written(&self) -> u64 {
        self.written.load(Relaxed)
    }

    /// Takes all lines.
    pub(super) fn take(&self) -> Vec<ConsoleLine> {
        std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

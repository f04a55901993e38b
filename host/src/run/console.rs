//! The console of one run: every line is kept, and told once.

use crate::event::{Event, EventSink};
use crate::model::{ConsoleLine, RunId};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// What a program has written. A rebuilt program writes everything again: what was told before is
/// not told again.
pub(super) struct RunConsole {
    run: RunId,
    events: Arc<dyn EventSink>,
    lines: Mutex<Vec<ConsoleLine>>,
    written: AtomicU64,
    /// How many lines were told, by anybody.
    told: Arc<AtomicU64>,
}

impl RunConsole {
    /// Returns an empty console. `told` outlives it: it counts for the run, whoever runs it.
    pub(super) fn new(run: RunId, events: Arc<dyn EventSink>, told: Arc<AtomicU64>) -> RunConsole {
        RunConsole { run, events, lines: Mutex::default(), written: AtomicU64::new(0), told }
    }

    /// Returns what takes each line as it comes out of the guest.
    pub(super) fn on_line(self: Arc<RunConsole>) -> Box<dyn FnMut(&ConsoleLine) + Send> {
        Box::new(move |line| self.line(line))
    }

    fn line(&self, line: &ConsoleLine) {
        let written = self.written.fetch_add(1, Relaxed) + 1;
        if written > self.told.load(Relaxed) {
            self.told.store(written, Relaxed);
            self.events.event(&Event::Console { run: self.run, line: line.clone() });
        }
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.clone());
    }

    /// How many lines the program has written.
    pub(super) fn written(&self) -> u64 {
        self.written.load(Relaxed)
    }

    /// Takes all lines.
    pub(super) fn take(&self) -> Vec<ConsoleLine> {
        std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

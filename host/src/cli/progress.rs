//! A line on the terminal that says what a run is at. It comes from the run's events, and is gone when the run is over.

use super::quantity::counted;
use super::ui;
use crate::{Event, escape};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often the line moves.
const TICK: Duration = Duration::from_millis(100);

/// Ticks that calls are out before there is a line: most are back before anybody could read it.
const PATIENCE: u32 = 3;

/// Longest name of a tool that is shown.
const NAME: usize = 60;

/// What a run is at.
pub(super) struct Progress {
    /// Nothing where nobody would see it.
    bar: Option<ProgressBar>,
    calls: Mutex<Calls>,
}

/// Returns a line on stderr that is not drawn yet, if that is a terminal.
pub(super) fn line() -> Option<ProgressBar> {
    ui::stderr_is_terminal().then(|| {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{spinner:.cyan} {msg} {elapsed:.dim}");
        // The template is ours and right; with a wrong one the default would do.
        bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
    })
}

#[derive(Default)]
struct Calls {
    done: u64,
    out: BTreeMap<u64, String>,
    /// Ticks since calls have been out.
    ticks: u32,
}

impl Progress {
    /// Returns a line on stderr, if that is a terminal.
    pub(super) fn new() -> Progress {
        Progress { bar: line(), calls: Mutex::default() }
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the line, for ever.
    pub(super) async fn moves(&self) -> Infallible {
        loop {
            tokio::time::sleep(TICK).await;
            let mut calls = self.calls();
            calls.ticks = if calls.out.is_empty() { 0 } else { calls.ticks + 1 };
            if let Some(bar) = self.bar.as_ref().filter(|_| calls.ticks >= PATIENCE) {
                bar.set_message(calls.message());
                bar.tick();
            }
        }
    }

    /// Takes note of an event.
    pub(super) fn event(&self, event: &Event) {
        match event {
            Event::CallStarted { call, tool, .. } => {
                let name = escape(tool.as_str()).chars().take(NAME).collect();
                self.calls().out.insert(call.0, name);
            }
            Event::CallSettled { call, .. } | Event::CallDropped { call, .. } => {
                let mut calls = self.calls();
                calls.done += u64::from(calls.out.remove(&call.0).is_some());
            }
            // The terminal is needed for something else.
            Event::Asked { .. } | Event::Ended { .. } => self.aside(|| {}),
            _ => {}
        }
    }

    /// Writes something else meanwhile; the line comes back with its next move.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        let shown = std::mem::take(&mut self.calls().ticks) >= PATIENCE;
        if let Some(bar) = self.bar.as_ref().filter(|_| shown) {
            bar.finish_and_clear();
            bar.reset();
        }
        write()
    }
}

impl Calls {
    fn message(&self) -> String {
        let done = format!("{} done", counted(self.done, "call"));
        match (self.out.values().next_back(), self.out.len()) {
            (None, _) => done,
            (Some(tool), 1) => format!("{done}, calling {tool}"),
            (Some(tool), out) => format!("{done}, calling {tool} and {} more", out - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Calls;

    #[test]
    fn the_line_says_what_is_done_and_what_is_out() {
        let mut calls = Calls::default();
        assert_eq!(calls.message(), "0 calls done");
        calls.out.insert(1, "a:b".into());
        assert_eq!(calls.message(), "0 calls done, calling a:b");
        calls.out.insert(2, "c:d".into());
        calls.done = 1;
        assert_eq!(calls.message(), "1 call done, calling c:d and 1 more");
    }
}

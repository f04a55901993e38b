//! What is noticed of a run while it goes on: what it calls, what failed, and what it wrote.

use super::answer::ToolFailure;
use pml::{CallId, ConsoleLine, Event, EventSink, ToolName, escape};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Failures that an answer lists, at most.
const FAILURES: usize = 50;

/// Console output that is kept for the next answer: no answer shows more.
const CONSOLE: usize = 16 << 10;

/// Watches one run.
#[derive(Default)]
pub(super) struct RunWatcher {
    seen: Mutex<RunActivity>,
    /// How often something happened that is worth telling: it only grows.
    count: watch::Sender<u64>,
}

#[derive(Default)]
struct RunActivity {
    done: u64,
    out: BTreeMap<CallId, ToolName>,
    /// What is being brought about for a call, and how far it is.
    doing: Option<(CallId, String)>,
    failures: Vec<ToolFailure>,
    /// What became of what was allowed for good, in words.
    kept: Vec<String>,
    lines: Vec<ConsoleLine>,
    size: usize,
    dropped: u32,
}

impl RunWatcher {
    fn seen(&self) -> MutexGuard<'_, RunActivity> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what changes whenever something is worth telling.
    pub(super) fn count(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }

    /// How far the run is, as a line for people.
    pub(super) fn progress(&self) -> String {
        let seen = self.seen();
        if let Some((_, doing)) = &seen.doing {
            return doing.clone();
        }
        let done = match seen.done {
            1 => "1 call done".into(),
            done => format!("{done} calls done"),
        };
        let line = match seen.out.last_key_value() {
            Some((_, tool)) if seen.out.len() == 1 => format!("{done}, calling {tool}"),
            Some((_, tool)) => format!("{done}, calling {tool} and {} more", seen.out.len() - 1),
            None => done,
        };
        escape(&line).into_owned()
    }

    /// Returns whether no call is out.
    pub(super) fn is_quiet(&self) -> bool {
        let seen = self.seen();
        seen.out.is_empty() && seen.doing.is_none()
    }

    /// Takes the calls that failed.
    pub(super) fn failures(&self) -> Vec<ToolFailure> {
        std::mem::take(&mut self.seen().failures)
    }

    /// Takes what became of what was allowed for good.
    pub(super) fn kept(&self) -> Vec<String> {
        std::mem::take(&mut self.seen().kept)
    }

    /// Takes what the program wrote since it was last taken, and how many lines of it were too many.
    pub(super) fn lines(&self) -> (Vec<ConsoleLine>, u32) {
        let mut seen = self.seen();
        seen.size = 0;
        (std::mem::take(&mut seen.lines), std::mem::take(&mut seen.dropped))
    }
}

impl EventSink for RunWatcher {
    fn event(&self, event: &Event) {
        let mut seen = self.seen();
        match event {
            Event::Console { line, .. } => {
                seen.size += line.text.len();
                match seen.size > CONSOLE {
                    true => seen.dropped += 1,
                    false => seen.lines.push(line.clone()),
                }
                return;
            }
            Event::CallStarted { call, tool, .. } => {
                seen.doing = None;
                seen.out.insert(*call, tool.clone());
            }
            Event::Progress { call, progress, .. } => {
                let what = escape(&progress.what);
                let line = match progress.total {
                    Some(total) => format!("{what} ({} of {total})", progress.done),
                    None => what.into_owned(),
                };
                seen.doing = Some((*call, line));
            }
            Event::CallSettled { call, error, .. } => {
                seen.doing.take_if(|(doing, _)| doing == call);
                let tool = seen.out.remove(call);
                seen.done += 1;
                if let (Some(tool), Some(error)) = (tool, error)
                    && seen.failures.len() < FAILURES
                {
                    seen.failures.push(ToolFailure { tool, error: error.clone() });
                }
            }
            Event::Asked { .. } => seen.doing = None,
            Event::Kept { tool, error, .. } => {
                let tool = escape(tool.as_str());
                seen.kept.push(match error {
                    None => format!("`{tool}` is allowed for good: it is in `.pml.json`"),
                    Some(error) => {
                        format!("`{tool}` is allowed for this run only: {}", escape(error))
                    }
                });
                return;
            }
            Event::CallDropped { call, .. } => {
                seen.doing.take_if(|(doing, _)| doing == call);
                drop(seen.out.remove(call));
            }
            _ => return,
        }
        drop(seen);
        self.count.send_modify(|count| *count += 1);
    }
}

//! What is noticed of a run while it goes on: what it calls, and what failed.

use super::answer::ToolFailure;
use crate::{CallId, Event, EventSink, ToolName, escape};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// Failures that an answer lists, at most.
const FAILURES: usize = 50;

/// Watches one run.
#[derive(Default)]
pub(super) struct Watcher {
    seen: Mutex<Seen>,
    /// Something is worth telling the client.
    pub(super) changed: Notify,
}

#[derive(Default)]
struct Seen {
    /// How often something happened: it only grows.
    count: u64,
    done: u64,
    out: BTreeMap<CallId, ToolName>,
    failures: Vec<ToolFailure>,
}

impl Watcher {
    /// How far the run is, as a number that grows and a line for people.
    pub(super) fn progress(&self) -> (f64, String) {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let done = match seen.done {
            1 => "1 call done".into(),
            done => format!("{done} calls done"),
        };
        let line = match seen.out.last_key_value() {
            Some((_, tool)) if seen.out.len() == 1 => format!("{done}, calling {tool}"),
            Some((_, tool)) => format!("{done}, calling {tool} and {} more", seen.out.len() - 1),
            None => done,
        };
        (seen.count as f64, escape(&line).into_owned())
    }

    /// Takes the calls that failed.
    pub(super) fn failures(&self) -> Vec<ToolFailure> {
        std::mem::take(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner).failures)
    }
}

impl EventSink for Watcher {
    fn event(&self, event: &Event) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::CallStarted { call, tool, .. } => {
                seen.out.insert(*call, tool.clone());
            }
            Event::CallSettled { call, error, .. } => {
                let tool = seen.out.remove(call);
                seen.done += 1;
                if let (Some(tool), Some(error)) = (tool, error)
                    && seen.failures.len() < FAILURES
                {
                    seen.failures.push(ToolFailure { tool, error: error.clone() });
                }
            }
            Event::CallDropped { call, .. } => drop(seen.out.remove(call)),
            _ => return,
        }
        seen.count += 1;
        drop(seen);
        self.changed.notify_one();
    }
}

//! Collects the events of a run: its calls, and its console output.

use super::client::{Client, ClientId};
use super::console_log::{ConsoleExcerpt, ConsoleLog};
use crate::event::{Event, EventSink};
use crate::model::{CallId, CallProgress, Constraint, Progress, ToolName};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Collects the events of one run.
#[derive(Default)]
pub struct RunWatcher {
    activity: Mutex<RunActivity>,
    /// The number of events that change a progress report. It only grows.
    count: watch::Sender<u64>,
}

/// The result of writing a permanent grant for a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GrantNote {
    /// The tool that was allowed.
    pub tool: ToolName,
    /// The conditions on its arguments; none if it is allowed with any.
    pub constraints: Vec<Constraint>,
    /// Why the grant could not be written, if so: then it applies to this run only.
    pub error: Option<String>,
}

/// The progress of a run.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RunProgress {
    /// Number of calls that are settled.
    pub calls_done: u64,
    /// Number of calls in flight.
    pub calls_in_flight: usize,
    /// The tool of the newest call in flight.
    pub newest_call: Option<ToolName>,
    /// The preparation of a call that was not sent yet, such as an installation.
    pub preparation: Option<Progress>,
    /// What the tool of a call in flight reported, if nothing else has happened since.
    pub reported: Option<ReportedProgress>,
}

/// The progress that the tool of a call reported.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReportedProgress {
    /// The tool.
    pub tool: ToolName,
    /// How far it is.
    pub progress: CallProgress,
}

#[derive(Default)]
struct RunActivity {
    calls_done: u64,
    calls_in_flight: BTreeMap<CallId, ToolName>,
    preparation: Option<(CallId, Progress)>,
    reported: Option<(CallId, CallProgress)>,
    grant_notes: Vec<GrantNote>,
    console: ConsoleLog,
}

impl RunWatcher {
    fn lock(&self) -> MutexGuard<'_, RunActivity> {
        self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a number that grows whenever [`RunWatcher::progress`] changes.
    pub fn count(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }

    /// Returns the progress of the run.
    pub fn progress(&self) -> RunProgress {
        let activity = self.lock();
        RunProgress {
            calls_done: activity.calls_done,
            calls_in_flight: activity.calls_in_flight.len(),
            newest_call: activity.calls_in_flight.last_key_value().map(|(_, tool)| tool.clone()),
            preparation: activity.preparation.as_ref().map(|(_, progress)| progress.clone()),
            reported: activity.reported(),
        }
    }

    /// Reports whether no call is in flight or being prepared.
    pub fn is_quiet(&self) -> bool {
        let activity = self.lock();
        activity.calls_in_flight.is_empty() && activity.preparation.is_none()
    }

    /// Returns the lines that a client has not read yet, and marks them as read.
    pub fn read_lines(&self, client: &Client) -> ConsoleExcerpt {
        self.lock().console.read(client.id())
    }

    /// Returns the lines that a client has not read yet, without marking them as read.
    pub fn unread_lines(&self, client: &Client) -> ConsoleExcerpt {
        self.lock().console.unread(client.id())
    }

    /// Forgets the positions of clients that are gone.
    pub(super) fn forget_clients(&self, clients: &[ClientId]) {
        if !clients.is_empty() {
            self.lock().console.forget(clients);
        }
    }

    /// Takes the results of writing permanent grants.
    pub(super) fn take_grant_notes(&self) -> Vec<GrantNote> {
        std::mem::take(&mut self.lock().grant_notes)
    }
}

impl RunActivity {
    fn reported(&self) -> Option<ReportedProgress> {
        let (call, progress) = self.reported.clone()?;
        let tool = self.calls_in_flight.get(&call)?.clone();
        Some(ReportedProgress { tool, progress })
    }

    /// Records what the tool of a call reports. Reports whether it is news: a report may come late,
    /// and one before it may come after it.
    fn apply_report(&mut self, call: CallId, progress: &CallProgress) -> bool {
        let is_older = |(of, newest): &(CallId, CallProgress)| {
            *of == call && progress.done.total_cmp(&newest.done).is_lt()
        };
        let is_news = self.calls_in_flight.contains_key(&call)
            && !self.reported.as_ref().is_some_and(is_older);
        if is_news {
            self.reported = Some((call, progress.clone()));
        }
        is_news
    }

    /// Applies an event. Reports whether it changes the progress.
    fn apply(&mut self, event: &Event) -> bool {
        match event {
            Event::CallProgress { call, progress, .. } => {
                return self.apply_report(*call, progress);
            }
            Event::Console { line, .. } => {
                self.console.push(line);
                return false;
            }
            Event::CallStarted { call, tool, .. } => {
                (self.preparation, self.reported) = (None, None);
                self.calls_in_flight.insert(*call, tool.clone());
            }
            Event::Progress { call, progress, .. } => {
                self.preparation = Some((*call, progress.clone()));
            }
            Event::CallSettled { call, .. } => {
                self.preparation.take_if(|(prepared, _)| prepared == call);
                self.reported = None;
                self.calls_in_flight.remove(call);
                self.calls_done += 1;
            }
            Event::Asked { .. } => self.preparation = None,
            Event::GrantWritten { tool, constraints, error, .. } => {
                self.grant_notes.push(GrantNote {
                    tool: tool.clone(),
                    constraints: constraints.clone(),
                    error: error.clone(),
                });
                return false;
            }
            Event::CallDropped { call, .. } => {
                self.preparation.take_if(|(prepared, _)| prepared == call);
                self.calls_in_flight.remove(call);
            }
            _ => return false,
        }
        true
    }
}

impl EventSink for RunWatcher {
    fn event(&self, event: &Event) {
        let changes = self.lock().apply(event);
        if changes {
            self.count.send_modify(|count| *count += 1);
        }
    }
}

impl fmt::Debug for RunWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunWatcher").field("progress", &self.progress()).finish_non_exhaustive()
    }
}

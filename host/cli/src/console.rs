//! Prints the events of a run: its console lines, its progress, its calls with `--verbose`, and the
//! tools that were allowed permanently during it.

use super::execute::JournalStorage;
use super::interrupt::{WayOn, set_way_on};
use super::output::{self, Verbosity};
use super::progress::ProgressLine;
use super::ui::{self, BAD, DIM, WARNING};
use pml::{
    Event, ToolName,
    approval::{Constraint, describe_constraints},
    event::{ConsoleLevel, ConsoleLine},
    text::{escape, format_span, in_one_line},
    tool::CallError,
};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Prints a run's console lines as they arrive. Once a line cannot be written, the caller ends the
/// program.
pub(super) struct ConsolePrinter {
    storage: JournalStorage,
    progress: ProgressLine,
    write_error: Mutex<Option<io::Error>>,
    reader_gone: Notify,
    /// A line for each tool that was always allowed, or that could not be.
    grants: Mutex<Vec<String>>,
    /// The calls that were sent, with the time of each.
    in_flight: Mutex<BTreeMap<u64, (ToolName, Instant)>>,
}

impl ConsolePrinter {
    /// Returns a printer for a run with this storage.
    pub(super) fn new(storage: JournalStorage) -> ConsolePrinter {
        ConsolePrinter {
            storage,
            progress: ProgressLine::new(),
            write_error: Mutex::default(),
            reader_gone: Notify::new(),
            grants: Mutex::default(),
            in_flight: Mutex::default(),
        }
    }

    /// Handles an event of the run.
    pub(super) fn on_event(&self, event: &Event) {
        self.progress.on_event(event);
        match event {
            Event::Started { run, .. } | Event::Resumed { run, .. } => {
                set_way_on(WayOn::Run(*run, self.storage));
            }
            Event::CallStarted { call, tool, .. } => {
                let began = now();
                lock(&self.in_flight).insert(call.number(), (tool.clone(), began));
            }
            Event::CallSettled { call, error, .. } => self.settle(call.number(), error.as_ref()),
            Event::CallDropped { call, .. } => drop(lock(&self.in_flight).remove(&call.number())),
            Event::Console { line, .. } => self.print(line),
            Event::GrantWritten { tool, constraints, error, .. } => {
                lock(&self.grants).push(grant_line(tool, constraints, error.as_deref()));
            }
            _ => {}
        }
    }

    /// Waits until a console line cannot be written, which means that the reader has closed the
    /// stream.
    pub(super) async fn reader_gone(&self) {
        self.reader_gone.notified().await;
    }

    /// Redraws the progress line, forever.
    pub(super) async fn animate(&self) -> Infallible {
        self.progress.animate().await
    }

    /// Removes the progress line, prints which tools were allowed permanently, and returns the
    /// first write error if there was one.
    pub(super) fn close(&self) -> io::Result<()> {
        self.progress.suspend(|| {
            for line in std::mem::take(&mut *lock(&self.grants)) {
                ui::say(&line);
            }
        });
        lock(&self.write_error).take().map_or(Ok(()), Err)
    }

    fn settle(&self, call: u64, error: Option<&CallError>) {
        let Some((tool, began)) = lock(&self.in_flight).remove(&call) else { return };
        if output::verbosity() == Verbosity::Verbose {
            let line = call_line(call, &tool, error, began.elapsed());
            self.progress.suspend(|| ui::say(&line));
        }
    }

    fn print(&self, line: &ConsoleLine) {
        let printed = self.progress.suspend(|| match line.level {
            ConsoleLevel::Warn | ConsoleLevel::Error => ui::err(&line.text),
            _ => ui::out(&line.text),
        });
        if let Err(error) = printed {
            lock(&self.write_error).get_or_insert(error);
            self.reader_gone.notify_one();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a span for the user; no program sees it")]
fn now() -> Instant {
    Instant::now()
}

/// Returns the line about a call that has its result.
fn call_line(call: u64, tool: &ToolName, error: Option<&CallError>, took: Duration) -> String {
    let (tool, took) = (in_one_line(tool.as_str()), format_span(took));
    match error {
        None => format!("{DIM}call {call}: {tool} took {took}{DIM:#}"),
        Some(error) => {
            let code = in_one_line(&error.code);
            format!("{DIM}call {call}: {tool} {BAD}failed{BAD:#}{DIM} after {took}: {code}{DIM:#}")
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the line that reports an `always` decision with its conditions: saved, or valid for this
/// run only and why.
fn grant_line(tool: &ToolName, constraints: &[Constraint], error: Option<&str>) -> String {
    let tool = escape(tool.as_str());
    let only = match constraints.is_empty() {
        true => String::new(),
        false => format!(" with {}", in_one_line(&describe_constraints(constraints))),
    };
    match error {
        None => format!("`{tool}` is now always allowed{only}: `.pml.json` has it"),
        Some(error) => format!(
            "{WARNING}warning{WARNING:#}: `{tool}` is allowed{only} for this run only: {}",
            escape(error).replace('\n', "\n    ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{Constraint, call_line, grant_line};
    use pml::{Code, tool::CallError};
    use std::time::Duration;

    #[test]
    fn each_call_is_told_with_its_time_and_its_failure() {
        let tool = "box:count".parse().unwrap();
        let shown = |error: Option<&CallError>| {
            let line = call_line(3, &tool, error, Duration::from_millis(12));
            anstream::adapter::strip_str(&line).to_string()
        };
        assert_eq!(shown(None), "call 3: box:count took 12ms");
        let error = CallError::new(Code::ToolFailed, "no");
        assert_eq!(shown(Some(&error)), "call 3: box:count failed after 12ms: TOOL_FAILED");
    }

    #[test]
    fn what_is_allowed_for_good_is_told_with_where_it_stands_or_why_it_does_not() {
        let tool = "box:count".parse().unwrap();
        assert_eq!(
            grant_line(&tool, &[], None),
            "`box:count` is now always allowed: `.pml.json` has it"
        );
        let under = Constraint::new("path", pml::approval::Condition::Under("/n".into()));
        assert_eq!(
            grant_line(&tool, &[under], None),
            "`box:count` is now always allowed with `path` under `/n`: `.pml.json` has it"
        );
        let failed = grant_line(&tool, &[], Some("it is read-only\u{1b}[2J\nhint: all is well"));
        let failed = anstream::adapter::strip_str(&failed).to_string();
        assert_eq!(
            failed,
            "warning: `box:count` is allowed for this run only: \
             it is read-only\\u{1b}[2J\n    hint: all is well"
        );
    }
}

//! Prints the events of a run: its console lines, its progress, and the tools that were allowed
//! permanently during it.

use super::progress::ProgressLine;
use super::ui::{self, WARNING};
use pml::{
    Event, ToolName,
    event::{ConsoleLevel, ConsoleLine},
    text::escape,
};
use std::convert::Infallible;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Prints a run's console lines as they arrive. Once a line cannot be written, the caller ends the
/// program.
pub(super) struct ConsolePrinter {
    json: bool,
    progress: ProgressLine,
    write_error: Mutex<Option<io::Error>>,
    reader_gone: Notify,
    /// Tools that were allowed permanently, each with the error if the grant could not be saved.
    grants: Mutex<Vec<(ToolName, Option<String>)>>,
}

impl ConsolePrinter {
    /// Returns a printer for a run. With `json`, stdout is reserved for the result, and all console
    /// lines are written to stderr.
    pub(super) fn new(json: bool) -> ConsolePrinter {
        ConsolePrinter {
            json,
            progress: ProgressLine::new(),
            write_error: Mutex::default(),
            reader_gone: Notify::new(),
            grants: Mutex::default(),
        }
    }

    /// Handles an event of the run.
    pub(super) fn on_event(&self, event: &Event) {
        self.progress.on_event(event);
        match event {
            Event::Console { line, .. } => self.print(line),
            Event::GrantWritten { tool, error, .. } => {
                lock(&self.grants).push((tool.clone(), error.clone()));
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
            for (tool, error) in std::mem::take(&mut *lock(&self.grants)) {
                ui::say(&grant_line(&tool, error.as_deref()));
            }
        });
        lock(&self.write_error).take().map_or(Ok(()), Err)
    }

    fn print(&self, line: &ConsoleLine) {
        let printed = self.progress.suspend(|| match line.level {
            ConsoleLevel::Warn | ConsoleLevel::Error => ui::err(&line.text),
            _ if self.json => ui::err(&line.text),
            _ => ui::out(&line.text),
        });
        if let Err(error) = printed {
            lock(&self.write_error).get_or_insert(error);
            self.reader_gone.notify_one();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the line that reports an `always` decision: saved, or valid for this run only and why.
fn grant_line(tool: &ToolName, error: Option<&str>) -> String {
    let tool = escape(tool.as_str());
    match error {
        None => format!("`{tool}` is allowed for good now: .pml.json"),
        Some(error) => format!(
            "{WARNING}warning{WARNING:#}: that `{tool}` is allowed holds for this run only: {}",
            escape(error).replace('\n', "\n    ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::grant_line;

    #[test]
    fn what_is_allowed_for_good_is_told_with_where_it_stands_or_why_it_does_not() {
        let tool = "box:count".parse().unwrap();
        assert_eq!(grant_line(&tool, None), "`box:count` is allowed for good now: .pml.json");
        let failed = grant_line(&tool, Some("it is read-only\u{1b}[2J\nhint: all is well"));
        let failed = anstream::adapter::strip_str(&failed).to_string();
        assert_eq!(
            failed,
            "warning: that `box:count` is allowed holds for this run only: \
             it is read-only\\u{1b}[2J\n    hint: all is well"
        );
    }
}

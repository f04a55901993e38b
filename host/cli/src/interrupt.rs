//! What is said when a signal ends the process: how to go on.
//!
//! **Invariant:** the way on is global, because a process has one set of signals. It says only what
//! holds at any moment until it is replaced.

use super::identify::short;
use super::ui::{self, ERROR, HINT};
use super::{execute::JournalStorage, output, prompt};
use pml::json::{Value, json};
use pml::{Code, RunId, run::ErrorReport};
use signal_hook::consts::SIGINT;
use signal_hook::low_level::signal_name;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The way on after an interrupt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum WayOn {
    /// The command has not begun.
    #[default]
    NotBegun,
    /// Being interrupted is how the command ends.
    End,
    /// What to do next.
    Hint(String),
    /// A file that can be watched again, as it was typed.
    Watch(String),
    /// A run can be resumed, or is lost with the process.
    Run(RunId, JournalStorage),
}

impl WayOn {
    /// Returns the way on after a command that changes nothing.
    pub(super) fn run_again() -> WayOn {
        WayOn::Hint("nothing was changed: run it again".into())
    }

    fn hint(&self) -> Option<String> {
        match self {
            WayOn::NotBegun => Some("nothing was done: run it again".into()),
            WayOn::End => None,
            WayOn::Hint(hint) => Some(hint.clone()),
            WayOn::Watch(file) => Some(format!("`pml run -w {file}` watches again")),
            WayOn::Run(run, JournalStorage::OnDisk) => {
                Some(format!("`pml run --resume {}` goes on where it was cut off", short(*run)))
            }
            WayOn::Run(_, JournalStorage::InMemory) => {
                Some("the run is forgotten: it was run with `--no-journal`".into())
            }
        }
    }

    fn run(&self) -> Option<RunId> {
        match self {
            WayOn::Run(run, _) => Some(*run),
            _ => None,
        }
    }
}

static WAY_ON: Mutex<WayOn> = Mutex::new(WayOn::NotBegun);

fn way_on() -> MutexGuard<'static, WayOn> {
    WAY_ON.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets what is said about going on if the process is interrupted from now on.
pub(super) fn set_way_on(way: WayOn) {
    *way_on() = way;
}

/// Says how to go on after a signal: on stderr, and in the document if one is due.
pub(super) fn say_how_to_go_on(signal: i32) {
    let way = way_on().clone();
    let report = report(&way, signal);
    // The document comes first: it is promised, whatever happens to stderr.
    if output::is_document_due() {
        // If nobody reads it, there is nobody to tell.
        let _ = ui::document(&document(&way, &report));
    }
    let has_told = prompt::print_open_questions();
    if !has_told && way != WayOn::End {
        // The terminal has shown `^C` in this line.
        let line_end = if ui::stderr_is_terminal() { "\n" } else { "" };
        ui::alert(&format!("{line_end}{}", notice(&report)));
    }
    // The command itself may be writing it.
    ui::finish_document();
}

fn report(way: &WayOn, signal: i32) -> ErrorReport {
    let message = match (way, signal) {
        (WayOn::Watch(file), _) => format!("stopped watching {file}"),
        (_, SIGINT) => "interrupted".into(),
        (_, signal) => format!("stopped by {}", signal_name(signal).unwrap_or("a signal")),
    };
    let mut report = ErrorReport::new(Code::Interrupted, message);
    report.hint = way.hint();
    report
}

fn notice(report: &ErrorReport) -> String {
    let hint = report.hint.as_deref().map(|hint| format!("\n{HINT}hint{HINT:#}: {hint}"));
    format!("{ERROR}{}{ERROR:#}{}", report.message, hint.unwrap_or_default())
}

fn document(way: &WayOn, report: &ErrorReport) -> Value {
    let mut document = json!({ "error": report });
    if let Some(run) = way.run() {
        document["status"] = json!("error");
        document["run_id"] = json!(run);
    }
    document
}

#[cfg(test)]
mod tests {
    use super::{WayOn, document, notice, report};
    use crate::execute::JournalStorage;
    use crate::identify::short;
    use pml::RunId;
    use pml::json::json;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

    #[test]
    fn a_run_that_was_cut_off_is_named_with_the_command_that_goes_on() {
        let run = RunId::new();
        let way = WayOn::Run(run, JournalStorage::OnDisk);
        let report = report(&way, SIGINT);
        let text = anstream::adapter::strip_str(&notice(&report)).to_string();
        let hint = format!("`pml run --resume {}` goes on where it was cut off", short(run));
        assert_eq!(text, format!("interrupted\nhint: {hint}"));
        let expected = json!({ "status": "error", "run_id": run, "error": { "code": "INTERRUPTED",
            "type": "INTERRUPTED", "message": "interrupted", "hint": hint } });
        assert_eq!(document(&way, &report), expected);
    }

    #[test]
    fn a_run_without_a_journal_is_not_promised_back() {
        let way = WayOn::Run(RunId::new(), JournalStorage::InMemory);
        let text = notice(&report(&way, SIGTERM));
        assert!(text.contains("stopped by SIGTERM") && text.contains("is forgotten"), "{text}");
        assert!(!text.contains("--resume"), "{text}");
        assert_eq!(report(&WayOn::End, SIGINT).hint, None);
    }

    #[test]
    fn a_watched_file_is_named_with_the_command_that_watches_it_again() {
        let text = notice(&report(&WayOn::Watch("sum.ts".into()), SIGINT));
        let text = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(text, "stopped watching sum.ts\nhint: `pml run -w sum.ts` watches again");
    }

    #[test]
    fn each_signal_is_named() {
        let told = |signal| report(&WayOn::NotBegun, signal);
        assert_eq!(told(SIGHUP).message, "stopped by SIGHUP");
        assert_eq!(told(SIGQUIT).message, "stopped by SIGQUIT");
        assert_eq!(told(SIGINT).hint.as_deref(), Some("nothing was done: run it again"));
    }
}

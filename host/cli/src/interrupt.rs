//! Ctrl-C and SIGTERM: ends the process in whatever state it is, and says how to go on.
//!
//! **Invariant:** the way on is global, because a process has one set of signals. It says only what
//! holds at any moment until it is replaced.

use super::command_error::{INTERRUPTED, TERMINATED};
use super::identify::short;
use super::ui::{self, ERROR, HINT};
use super::{execute::JournalStorage, output, prompt};
use anyhow::{Context, Result};
use pml::json::{Value, json};
use pml::{Code, RunId, run::ErrorReport};
use signal_hook::consts::{SIGINT, SIGTERM};
#[cfg(not(unix))]
use std::sync::atomic::AtomicBool;
#[cfg(unix)]
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The way on after an interrupt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum WayOn {
    /// Being interrupted is how the command ends.
    #[default]
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

static WAY_ON: Mutex<WayOn> = Mutex::new(WayOn::End);

fn way_on() -> MutexGuard<'static, WayOn> {
    WAY_ON.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets what is said about going on if the process is interrupted from now on.
pub(super) fn set_way_on(way: WayOn) {
    *way_on() = way;
}

/// Ends the process at the first Ctrl-C or SIGTERM, in whatever state it is: running, parsing, or
/// blocked on its output. It first says how to go on. A second signal does not cut that short,
/// because some programs send two at once; a reader who does not read does.
pub(super) fn end_on_signals() -> Result<()> {
    listen().context("cannot listen for signals")
}

/// How long the process lives on if nobody reads what it says. A reader takes it at once.
#[cfg(unix)]
const WRITE_TIME: std::time::Duration = std::time::Duration::from_secs(1);

#[cfg(unix)]
fn listen() -> std::io::Result<()> {
    use std::io::Read;
    let (mut arrived, sender) = std::os::unix::net::UnixStream::pair()?;
    let received = Arc::new(AtomicUsize::new(0));
    for (signal, code) in [(SIGINT, INTERRUPTED), (SIGTERM, TERMINATED)] {
        signal_hook::flag::register_usize(signal, received.clone(), code.into())?;
        signal_hook::low_level::pipe::register(signal, sender.try_clone()?)?;
    }
    let (first, begin) = std::sync::mpsc::channel::<i32>();
    let say_and_end = move || {
        if let Ok(code) = begin.recv() {
            say_how_to_go_on(u8::try_from(code).unwrap_or(INTERRUPTED));
            signal_hook::low_level::exit(code);
        }
    };
    let wait = move || {
        if arrived.read_exact(&mut [0]).is_ok() {
            let code = received.load(Ordering::SeqCst) as i32;
            // The other thread waits for it as long as the process lives.
            let _ = first.send(code);
            std::thread::sleep(WRITE_TIME);
            signal_hook::low_level::exit(code);
        }
    };
    std::thread::Builder::new().name("pml interrupt".into()).spawn(say_and_end)?;
    std::thread::Builder::new().name("pml signals".into()).spawn(wait)?;
    Ok(())
}

#[cfg(not(unix))]
fn listen() -> std::io::Result<()> {
    for (signal, code) in [(SIGINT, INTERRUPTED), (SIGTERM, TERMINATED)] {
        let at_once = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_shutdown(signal, code.into(), at_once)?;
    }
    Ok(())
}

fn say_how_to_go_on(code: u8) {
    let way = way_on().clone();
    let report = report(&way, code);
    let has_told = prompt::print_open_questions();
    if !has_told && way != WayOn::End {
        // The terminal has shown `^C` in this line.
        let line_end = if ui::stderr_is_terminal() { "\n" } else { "" };
        ui::alert(&format!("{line_end}{}", notice(&report)));
    }
    if output::is_document_due() {
        // If nobody reads it, there is nobody to tell.
        let _ = ui::document(&document(&way, &report));
    }
    // The command itself may be writing it.
    ui::finish_document();
}

fn report(way: &WayOn, code: u8) -> ErrorReport {
    let message = match (way, code) {
        (WayOn::Watch(file), _) => format!("stopped watching {file}"),
        (_, TERMINATED) => "stopped by SIGTERM".into(),
        _ => "interrupted".into(),
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
    use crate::command_error::{INTERRUPTED, TERMINATED};
    use crate::execute::JournalStorage;
    use crate::identify::short;
    use pml::RunId;
    use pml::json::json;

    #[test]
    fn a_run_that_was_cut_off_is_named_with_the_command_that_goes_on() {
        let run = RunId::new();
        let way = WayOn::Run(run, JournalStorage::OnDisk);
        let report = report(&way, INTERRUPTED);
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
        let text = notice(&report(&way, TERMINATED));
        assert!(text.contains("stopped by SIGTERM") && text.contains("is forgotten"), "{text}");
        assert!(!text.contains("--resume"), "{text}");
        assert_eq!(report(&WayOn::End, INTERRUPTED).hint, None);
    }

    #[test]
    fn a_watched_file_is_named_with_the_command_that_watches_it_again() {
        let text = notice(&report(&WayOn::Watch("sum.ts".into()), INTERRUPTED));
        let text = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(text, "stopped watching sum.ts\nhint: `pml run -w sum.ts` watches again");
    }
}

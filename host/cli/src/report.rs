//! Reports errors and failures on stderr: message, causes, hint and exit code. This is the only
//! place that translates them.

use super::command_error::error_report;
pub(super) use super::command_error::{
    BROKEN_PIPE, FAILED, HintedError, INTERRUPTED, TERMINATED, UsageError, WAITING, exit_code,
};
use super::execute::JournalStorage;
use super::identify::short;
use super::output;
use super::prompt::needed_answer;
use super::quantity::counted;
use super::terminal::width_of_stderr;
use super::ui::{self, DIM, ERROR, HINT, WARNING};
use super::wrap::wrap;
use pml::json::{Value, json};
use pml::{
    Code, Ending, Environment, Failure, Outcome, Question, RunId,
    approval::lines_of_ask_with,
    project::agent_variable,
    run::{AbortedRun, ErrorReport},
    text::{Redactor, cut_to_columns, escape, in_one_line},
};
use std::io;
use std::process::ExitCode;

/// Most tools that are named in a list of completed calls, and most columns of each name.
const MAX_TOOLS: usize = 20;
const MAX_TOOL_COLUMNS: usize = 60;

/// Reports an error that ended a command, and returns its exit code. With `--json`, the error is
/// the document too.
pub(super) fn error(error: &anyhow::Error) -> ExitCode {
    if let Some(io) = error.downcast_ref::<io::Error>()
        && io.kind() == io::ErrorKind::BrokenPipe
    {
        return ExitCode::from(BROKEN_PIPE);
    }
    ui::alert(&error_text(&error_report(error)));
    error_document(error)
}

/// Writes an error that stderr has already as the document, and returns its exit code.
pub(super) fn error_document(error: &anyhow::Error) -> ExitCode {
    // If stdout cannot be written, stderr has the error.
    let _ = ui::document(&json!({ "error": error_report(error) }));
    ui::finish_document();
    exit_code(error)
}

/// Writes the document of a command that has written none: a document is promised, and must not
/// be forgotten. Returns the exit code of the command.
pub(super) fn close_document(code: ExitCode) -> ExitCode {
    if !output::is_document_due() {
        ui::finish_document();
        return code;
    }
    match ui::document(&closing_document(code)) {
        Ok(()) => code,
        Err(error) => self::error(&error.into()),
    }
}

fn closing_document(code: ExitCode) -> Value {
    match code == ExitCode::SUCCESS {
        true => json!({}),
        false => {
            let message = "the command failed: stderr says why";
            json!({ "error": ErrorReport::new(Code::CommandFailed, message) })
        }
    }
}

/// Writes the document of a command that failed after it found something: what it found, and the
/// error, which stderr has already.
pub(super) fn failed_document(mut found: Value, code: Code, message: &str) -> io::Result<()> {
    found["error"] = json!(ErrorReport::new(code, message));
    ui::document(&found)
}

/// Does the same, and reports the error on stderr.
pub(super) fn fail_with_document(found: Value, code: Code, message: &str) -> io::Result<()> {
    ui::alert(&error_text(&ErrorReport::new(code, message)));
    failed_document(found, code, message)
}

/// Says that a person said no, which is no error to them, and returns the exit code.
pub(super) fn declined(message: &str) -> io::Result<ExitCode> {
    ui::say(message);
    failed_document(json!({}), Code::Declined, message)?;
    Ok(ExitCode::from(FAILED))
}

/// Returns an error as text: message, causes, code frame, hint.
pub(super) fn error_text(report: &ErrorReport) -> String {
    let mut text = format!("{ERROR}error{ERROR:#}: {}", quote(&report.message));
    if let Some(position) = &report.position {
        text += &format!(": {}", quote(&position.to_string()));
    }
    for cause in &report.causes {
        text += &cause_line(cause);
    }
    if let Some(frame) = &report.code_frame {
        text += &format!("\n{frame}");
    }
    if let Some(hint) = &report.hint {
        text += &format!("\n{HINT}hint{HINT:#}: {}", quote(hint));
    }
    text
}

/// Reports why a program failed.
pub(super) fn failure(failure: &Failure) {
    let (unhandled, what) = (unhandled(failure.code), describe(failure));
    let mut text = format!("{ERROR}error{ERROR:#}: {unhandled}{what}");
    for cause in &failure.causes {
        text += &cause_line(cause);
    }
    if let Some(frame) = &failure.code_frame {
        text += &format!("\n{}", frame.trim_end());
    }
    let mut last = None;
    for frame in failure.stack.iter().filter(|frame| last.replace(*frame) != Some(*frame)).take(10)
    {
        let function = frame.function.as_deref().map(in_one_line);
        let at = if frame.is_async { "at async" } else { "at" };
        text += &match function {
            Some(name) => format!("\n    {DIM}{at} {name} ({}){DIM:#}", frame.position),
            None => format!("\n    {DIM}{at} {}{DIM:#}", frame.position),
        };
    }
    if let Some(hint) = hint_of(failure) {
        // It may name what the program named.
        text += &format!("\n{HINT}hint{HINT:#}: {}", in_one_line(&hint));
    }
    ui::alert(&text);
}

/// Reports why a single call failed. The program around it is not shown, because pml wrote it.
pub(super) fn call_failed(failure: &Failure) {
    let code = failure.error_code.as_deref().unwrap_or(failure.code.as_str());
    let message = quote(&failure.message);
    // The last stderr lines of a server may follow the first line; the code belongs before them.
    let (first, rest) = message.split_at(message.find('\n').unwrap_or(message.len()));
    let mut text = format!("{ERROR}error{ERROR:#}: {first} [{}]{rest}", in_one_line(code));
    if let Some(hint) = hint_of(failure) {
        // It may name what the program named.
        text += &format!("\n{HINT}hint{HINT:#}: {}", in_one_line(&hint));
    }
    ui::alert(&text);
}

/// Prints the questions that a program waits for, and how to answer them.
pub(super) fn waiting(questions: &[Question], storage: JournalStorage, redactor: &Redactor) {
    let width = width_of_stderr();
    for question in questions {
        let mut text = format!("{WARNING}waiting{WARNING:#}: {}", needed_answer(question));
        for ask in &question.asks {
            if question.asks.len() > 1 {
                text += &format!("\n  {DIM}ask {}{DIM:#}", ask.id);
            }
            for line in lines_of_ask_with(ask, redactor) {
                let line = format!("  {line}");
                text += &format!("\n{}", width.map_or(line.clone(), |width| wrap(&line, width)));
            }
        }
        let hint = waiting_hint(question, storage);
        ui::alert(&format!("{text}\n{HINT}hint{HINT:#}: {hint}"));
    }
}

/// Returns how a question can be answered.
pub(super) fn waiting_hint(question: &Question, storage: JournalStorage) -> String {
    match storage {
        JournalStorage::OnDisk => match agent_variable(&Environment::of_process()) {
            // An agent is not asked, and the hint does not say how to answer.
            Some(variable) => format!(
                "an agent runs this command (`{variable}` is set), so nobody is asked here: a person answers in \
                 a terminal of their own, `pml approvals` lists it there"
            ),
            None => format!("`pml approve {}` goes on", question.id),
        },
        JournalStorage::InMemory => {
            "the run is forgotten: to answer later, run it without `--no-journal`".into()
        }
    }
}

/// Reports that a person ended a run, with its completed calls and how to go on.
pub(super) fn aborted(aborted: &AbortedRun, run: RunId) {
    let (message, who) = (quote(&aborted.message), quote(&aborted.who));
    let mut text = format!("{ERROR}error{ERROR:#}: {message} [ABORTED]\n  {DIM}by{DIM:#}: {who}");
    if !aborted.interrupted.is_empty() {
        let calls = completed_calls(aborted.interrupted.iter().map(|call| call.tool.as_str()));
        text += &format!("\n  {DIM}sent without an answer, may have had an effect{DIM:#}: {calls}");
    }
    let completed = completed_calls(aborted.completed.iter().map(|call| call.tool.as_str()));
    let hint = match aborted.replan {
        true => replan_hint(run),
        false => format!("`pml run --resume {} FILE` takes up what was completed", short(run)),
    };
    text += &format!("\n  {DIM}completed{DIM:#}: {completed}\n{HINT}hint{HINT:#}: {hint}");
    ui::alert(&text);
}

/// Returns how to go on after a person asked for a better program.
pub(super) fn replan_hint(run: RunId) -> String {
    let run = short(run);
    format!("a better program is wanted: `pml run --resume {run} FILE` takes up what was completed")
}

/// Lists completed calls by tool, in the order of each tool's first call.
fn completed_calls<'a>(tools: impl Iterator<Item = &'a str>) -> String {
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for tool in tools {
        match counts.iter_mut().find(|(known, _)| *known == tool) {
            Some((_, count)) => *count += 1,
            None => counts.push((tool, 1)),
        }
    }
    let all = counts.iter().map(|(_, count)| count).sum();
    let more = counts.len().saturating_sub(MAX_TOOLS);
    let named = counts.iter().take(MAX_TOOLS).map(|(tool, count)| match count {
        1 => cut_to_columns(&in_one_line(tool), MAX_TOOL_COLUMNS),
        count => format!("{} ({count})", cut_to_columns(&in_one_line(tool), MAX_TOOL_COLUMNS)),
    });
    let named = named.chain((more > 0).then(|| format!("{more} more"))).collect::<Vec<_>>();
    match all {
        0 => "no call".into(),
        all => format!("{}: {}", counted(all, "call"), named.join(", ")),
    }
}

/// Says that nobody answered a question in time.
pub(super) const EXPIRED_MESSAGE: &str = "nobody answered in time: the run is over";

/// Returns how to go on after a question expired.
pub(super) fn expired_hint(run: RunId) -> String {
    format!("`pml run --resume {run} FILE` takes up what it has done")
}

/// Reports that nobody answered a question in time.
pub(super) fn expired(run: RunId) {
    let hint = expired_hint(run);
    ui::alert(&format!(
        "{ERROR}error{ERROR:#}: {EXPIRED_MESSAGE} [EXPIRED]\n{HINT}hint{HINT:#}: {hint}"
    ));
}

/// Prints warnings about an outcome: further errors that nobody handled, abandoned calls and
/// dropped console lines.
pub(super) fn outcome_warnings(outcome: &Outcome) {
    for failure in &outcome.unhandled {
        let at = failure.position.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
        let (unhandled, what) = (unhandled(failure.code), describe(failure));
        ui::say(&format!("{WARNING}warning{WARNING:#}: {unhandled}{what}{at}"));
    }
    for call in &outcome.abandoned {
        let hint = match &outcome.ending {
            Ending::Finished(_) => format!("\n{HINT}hint{HINT:#}: `await` it"),
            // The call had no effect, and the program is not at fault.
            ending if !call.sent && ending.was_cut_short() => continue,
            _ => String::new(),
        };
        let what = call.describe(&outcome.ending);
        ui::say(&format!("{WARNING}warning{WARNING:#}: {what}{hint}"));
    }
    if outcome.dropped_lines > 0 {
        ui::say(&format!(
            "{WARNING}warning{WARNING:#}: the console is full: {} more lines were dropped",
            outcome.dropped_lines
        ));
    }
}

/// Escapes a program's text and indents its further lines, so that it cannot be mistaken for a line
/// of pml.
fn quote(text: &str) -> String {
    escape(text).replace('\n', "\n    ")
}

/// Returns the line that shows a cause.
fn cause_line(cause: &str) -> String {
    format!("\n  {DIM}because{DIM:#}: {}", quote(cause))
}

/// Returns the words before an error that the program threw: nobody caught it.
fn unhandled(code: Code) -> &'static str {
    match code {
        Code::Threw => "uncaught ",
        Code::UnhandledRejection => "unhandled rejection: ",
        _ => "",
    }
}

/// Returns one line about a failure: the thrown error, or the limit that was hit.
fn describe(failure: &Failure) -> String {
    let message = quote(&failure.message);
    match failure.code {
        Code::Threw | Code::UnhandledRejection if failure.name.is_empty() => message,
        Code::Threw | Code::UnhandledRejection => {
            let code = failure.error_code.as_deref().map(in_one_line);
            let code = code.map(|code| format!(" [{code}]")).unwrap_or_default();
            let name = quote(&failure.name);
            match message.is_empty() {
                true => format!("{name}{code}"),
                false => format!("{name}{code}: {message}"),
            }
        }
        code => format!("{message} [{code}]"),
    }
}

/// Returns the hint of a failure: its own, or what helps against its code on the command line.
pub(super) fn hint_of(failure: &Failure) -> Option<String> {
    failure.hint.clone().or_else(|| hint(failure.code).map(Into::into))
}

fn hint(code: Code) -> Option<&'static str> {
    match code {
        Code::CpuTime => Some("raise the limit with `--cpu-time`, as in `--cpu-time 1m`"),
        Code::Timeout => Some("raise the limit with `--timeout`, as in `--timeout 30m`"),
        Code::Memory => Some("raise the limit with `--memory`, as in `--memory 256M`"),
        Code::JournalSize => Some(
            "raise the limit with `--journal-size`, as in `--journal-size 1G`, or send and read less",
        ),
        Code::ResultNotJson => {
            Some("return plain data: objects, arrays, strings, numbers, booleans, null")
        }
        Code::ResultSize => Some("return less, or a summary of it"),
        Code::Stalled => {
            Some("some promise in the program is never resolved: look for a missing `resolve()`")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{closing_document, completed_calls, describe};
    use pml::json::{from_value, json};
    use pml::{Code, Failure};
    use std::process::ExitCode;

    #[test]
    fn a_command_that_writes_no_document_of_its_own_still_has_one() {
        assert_eq!(closing_document(ExitCode::SUCCESS), json!({}));
        assert_eq!(closing_document(ExitCode::FAILURE)["error"]["code"], "COMMAND_FAILED");
    }

    #[test]
    fn no_line_of_a_thrown_error_begins_like_one_of_pml() {
        let thrown = json!({
            "code": Code::Threw.as_str(),
            "name": "Error\nwarning: a",
            "message": "no\nwarning: b",
            "error_code": "X\n2026-01-01 INFO pml::run: forged",
        });
        let failure: Failure = from_value(thrown).expect("a failure");
        let text = describe(&failure);
        assert!(text.contains("[X\\n2026-01-01 INFO pml::run: forged]"), "{text}");
        let rest = text.lines().skip(1);
        assert!(rest.clone().count() == 2 && rest.clone().all(|line| line.starts_with("    ")));
    }

    #[test]
    fn what_was_completed_is_counted_by_tool() {
        assert_eq!(completed_calls(std::iter::empty()), "no call");
        assert_eq!(completed_calls(["a:b"].into_iter()), "1 call: a:b");
        let calls = ["c:d", "a:b", "c:d", "x\u{1b}\ny"];
        assert_eq!(completed_calls(calls.into_iter()), "4 calls: c:d (2), a:b, x\\u{1b}\\ny");
        let many: Vec<_> = (0..30).map(|number| format!("a:b{number}")).collect();
        assert!(completed_calls(many.iter().map(String::as_str)).ends_with(", a:b19, 10 more"));
    }
}

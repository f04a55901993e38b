//! Reports errors and failures on stderr: message, causes, hint and exit code. This is the only
//! place that translates them.

use super::execute::JournalStorage;
use super::identify::short;
use super::quantity::counted;
use super::terminal::width_of_stderr;
use super::ui::{self, DIM, ERROR, HINT, WARNING};
use super::wrap::wrap;
use pml::json::{Value, json};
use pml::{
    Code, Ending, Environment, Error, Failure, Outcome, Question, RunId,
    approval::lines_of_ask_with,
    error::ErrorClass,
    project::agent_variable,
    run::AbortedRun,
    text::{Redactor, cut_to_columns, escape, in_one_line},
};
use std::io;
use std::process::ExitCode;

/// Exit code: the program failed, or the user's files are wrong.
pub(super) const FAILED: u8 = 1;
const USAGE: u8 = 2;
const BROKEN_PIPE: u8 = 3;
/// Exit code: the program waits for a person.
pub(super) const WAITING: u8 = 4;
/// Exit code: stopped by Ctrl-C.
pub(super) const INTERRUPTED: u8 = 130;
/// Exit code: stopped by SIGTERM.
pub(super) const TERMINATED: u8 = 143;
const INTERNAL: u8 = 255;

/// Most tools that are named in a list of completed calls, and most columns of each name.
const MAX_TOOLS: usize = 20;
const MAX_TOOL_COLUMNS: usize = 60;

/// An error about a flag whose value is wrong in a way that clap cannot check.
#[derive(Debug)]
pub(super) struct UsageError(pub(super) String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// An error with a hint about what to do.
#[derive(Debug)]
pub(super) struct HintedError {
    message: String,
    hint: String,
    code: u8,
}

impl HintedError {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> HintedError {
        HintedError { message: message.into(), hint: hint.into(), code: FAILED }
    }

    /// Returns an error about wrong usage, which has its own exit code.
    pub(super) fn usage(message: impl Into<String>, hint: impl Into<String>) -> HintedError {
        HintedError { code: USAGE, ..HintedError::new(message, hint) }
    }
}

impl std::fmt::Display for HintedError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for HintedError {}

/// Reports arguments that clap refuses. Help and version are printed to stdout.
pub(super) fn usage(error: &clap::Error) -> ExitCode {
    match error.print() {
        Ok(()) if error.use_stderr() => ExitCode::from(USAGE),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => self::error(&error.into()),
    }
}

/// Reports an error that ended a command, and returns its exit code.
pub(super) fn error(error: &anyhow::Error) -> ExitCode {
    if let Some(io) = error.downcast_ref::<io::Error>()
        && io.kind() == io::ErrorKind::BrokenPipe
    {
        return ExitCode::from(BROKEN_PIPE);
    }
    let mut text = format!("{ERROR}error{ERROR:#}: {}", quote(&error.to_string()));
    for cause in error.chain().skip(1) {
        text += &cause_line(&cause.to_string());
    }
    let pml_error = error.downcast_ref::<Error>();
    let hinted = error.downcast_ref::<HintedError>().map(|hinted| hinted.hint.as_str());
    if let Some(hint) = pml_error.and_then(Error::hint).or(hinted) {
        text += &format!("\n{HINT}hint{HINT:#}: {hint}");
    }
    ui::say(&text);
    if error.is::<UsageError>() {
        return ExitCode::from(USAGE);
    }
    if let Some(hinted) = error.downcast_ref::<HintedError>() {
        return ExitCode::from(hinted.code);
    }
    match pml_error.map(|error| error.kind().class()) {
        Some(ErrorClass::Internal) => ExitCode::from(INTERNAL),
        Some(ErrorClass::Usage) if pml_error.is_some_and(|error| error.kind() == Code::Config) => {
            ExitCode::from(USAGE)
        }
        _ => ExitCode::from(FAILED),
    }
}

/// Returns an error as JSON.
pub(super) fn error_json(error: &anyhow::Error) -> Value {
    let pml_error = error.downcast_ref::<Error>();
    let hinted = error.downcast_ref::<HintedError>().map(|hinted| hinted.hint.as_str());
    json!({
        "code": pml_error.map(|error| error.kind().as_str()),
        "message": error.to_string(),
        "causes": error.chain().skip(1).map(|cause| cause.to_string()).collect::<Vec<_>>(),
        "hint": pml_error.and_then(Error::hint).or(hinted),
    })
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
        text += &match function {
            Some(name) => format!("\n    {DIM}at {name} ({}){DIM:#}", frame.position),
            None => format!("\n    {DIM}at {}{DIM:#}", frame.position),
        };
    }
    if let Some(hint) = failure.hint.clone().or_else(|| hint(failure.code).map(Into::into)) {
        text += &format!("\n{HINT}hint{HINT:#}: {hint}");
    }
    ui::say(&text);
}

/// Reports why a single call failed. The program around it is not shown, because pml wrote it.
pub(super) fn call_failed(failure: &Failure) {
    let code = failure.error_code.as_deref().unwrap_or(failure.code.as_str());
    let message = quote(&failure.message);
    // The last stderr lines of a server may follow the first line; the code belongs before them.
    let (first, rest) = message.split_at(message.find('\n').unwrap_or(message.len()));
    let mut text = format!("{ERROR}error{ERROR:#}: {first} [{}]{rest}", in_one_line(code));
    if let Some(hint) = failure.hint.clone().or_else(|| hint(failure.code).map(Into::into)) {
        text += &format!("\n{HINT}hint{HINT:#}: {hint}");
    }
    ui::say(&text);
}

/// Prints the questions that a program waits for, and how to answer them.
pub(super) fn waiting(questions: &[Question], storage: JournalStorage, redactor: &Redactor) {
    let width = width_of_stderr();
    for question in questions {
        let calls = match question.asks.len() {
            1 => "a call waits".into(),
            calls => format!("{calls} calls wait"),
        };
        let mut text = format!("{WARNING}waiting{WARNING:#}: {calls} for a person");
        for ask in &question.asks {
            if question.asks.len() > 1 {
                text += &format!("\n  {DIM}ask {}{DIM:#}", ask.id);
            }
            for line in lines_of_ask_with(ask, redactor) {
                let line = format!("  {line}");
                text += &format!("\n{}", width.map_or(line.clone(), |width| wrap(&line, width)));
            }
        }
        let hint = match storage {
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
        };
        ui::say(&format!("{text}\n{HINT}hint{HINT:#}: {hint}"));
    }
}

/// Reports that a person ended a run. If a better program is wanted, it also lists the completed
/// calls.
pub(super) fn aborted(aborted: &AbortedRun, run: RunId) {
    let (message, who) = (quote(&aborted.message), quote(&aborted.who));
    let mut text = format!("{ERROR}error{ERROR:#}: {message} [ABORTED]\n  {DIM}by{DIM:#}: {who}");
    if aborted.replan {
        let completed = completed_calls(aborted.completed.iter().map(|call| call.tool.as_str()));
        text += &format!(
            "\n  {DIM}completed{DIM:#}: {completed}\n\
             {HINT}hint{HINT:#}: a better program is wanted: `pml run --resume {} FILE` takes up what was completed",
            short(run)
        );
    }
    ui::say(&text);
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
        1 => cut_to_columns(&one_line(tool), MAX_TOOL_COLUMNS),
        count => format!("{} ({count})", cut_to_columns(&one_line(tool), MAX_TOOL_COLUMNS)),
    });
    let named = named.chain((more > 0).then(|| format!("{more} more"))).collect::<Vec<_>>();
    match all {
        0 => "no call".into(),
        all => format!("{}: {}", counted(all, "call"), named.join(", ")),
    }
}

/// Reports that nobody answered a question in time.
pub(super) fn expired(run: RunId) {
    ui::say(&format!(
        "{ERROR}error{ERROR:#}: nobody answered in time: the run is over [EXPIRED]\n\
         {HINT}hint{HINT:#}: `pml run --resume {run} FILE` takes up what it has done"
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
        let (number, tool) = (call.call, in_one_line(&call.tool));
        let not_awaited =
            format!("the program ended without waiting for it\n{HINT}hint{HINT:#}: `await` it");
        let (what, why) = match (call.sent, cut_short(&outcome.ending)) {
            (true, false) => ("was cancelled", not_awaited),
            (false, false) => ("was never sent", not_awaited),
            (true, true) => ("was cancelled", "it may have had an effect".into()),
            // The call had no effect, and the program is not at fault.
            (false, true) => continue,
        };
        ui::say(&format!("{WARNING}warning{WARNING:#}: call {number} of `{tool}` {what}: {why}"));
    }
    if outcome.dropped_lines > 0 {
        ui::say(&format!(
            "{WARNING}warning{WARNING:#}: the console is full: {} more lines were dropped",
            outcome.dropped_lines
        ));
    }
}

/// Reports whether a person or a limit ended the program, which may still have been waiting for its
/// calls.
fn cut_short(ending: &Ending) -> bool {
    match ending {
        Ending::Aborted(_) | Ending::Expired(_) => true,
        Ending::Failed(failure) => {
            matches!(failure.code, Code::CpuTime | Code::Timeout | Code::Memory | Code::Calls)
        }
        _ => false,
    }
}

/// Escapes a program's text and indents its further lines, so that it cannot be mistaken for a line
/// of pml.
fn quote(text: &str) -> String {
    escape(text).replace('\n', "\n    ")
}

/// Escapes a program's text and joins it into one line.
fn one_line(text: &str) -> String {
    escape(text).replace(['\n', '\t'], " ")
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
    use super::{completed_calls, describe};
    use pml::json::{from_value, json};
    use pml::{Code, Failure};

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
        assert_eq!(completed_calls(calls.into_iter()), "4 calls: c:d (2), a:b, x\\u{1b} y");
        let many: Vec<_> = (0..30).map(|number| format!("a:b{number}")).collect();
        assert!(completed_calls(many.iter().map(String::as_str)).ends_with(", a:b19, 10 more"));
    }
}

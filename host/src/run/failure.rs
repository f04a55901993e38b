//! The failure of a program, with its position in the user's own source.

use crate::error::Error;
use crate::model::{Code, ErrorClass, WorkSlice, cut};
use crate::run::run_request::StartError;
use crate::run::tool_failure::{ToolFailure, refusal_parts};
use crate::sandbox::{ClockUse, GuestFailure, GuestFailureKind, StopReason};
use crate::source::{
    FaultTrace, Position, Program, RawFault, SourceError, StackFrame, UnplacedFailure,
};
use serde::{Deserialize, Deserializer, Serialize};

/// The hint for a program that waits for the clock in a loop.
const CLOCK_HINT: &str = "the clock stands still while JavaScript runs, so a loop that waits for it \
    never ends: write `await new Promise(r => setTimeout(r, ms))`";

/// The hint for a rejection that nobody handled.
const UNHANDLED_HINT: &str = "nobody waited for this promise: `await` it, or add `.catch(…)` to it";

/// The hint for a dynamic import whose specifier the program computed.
const COMPUTED_IMPORT_HINT: &str = "write the path out, as in `import(\"./part.ts\")`: what a program imports is read before it runs";

/// Longest hint of the guest, in characters. It may hold a name that the program chose.
const GUEST_HINT: usize = 200;

/// A failure of a program: what, where, and why. Name, message and stack come from the program and
/// may hold anything; show them escaped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// The stable code. A code that this version does not know reads as `INTERNAL`.
    #[serde(deserialize_with = "read_code")]
    pub code: Code,
    /// Name of the error thrown, such as `TypeError`; empty where nothing was thrown.
    pub name: String,
    /// What happened.
    pub message: String,
    /// The `code` that the thrown error carried: `TOOL_DENIED`, or one of the program's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// What the error says caused it, outermost first, and the errors that an `AggregateError`
    /// holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// The position in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// The calls that led there, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<StackFrame>,
    /// The source around the position, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_frame: Option<String>,
    /// Advice on how to fix it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Failure {
    /// Returns the class of the failure: the party that can fix it.
    pub fn class(&self) -> ErrorClass {
        self.code.class()
    }
}

/// Reads a code. A newer pml may have written one that is not known here.
fn read_code<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Code, D::Error> {
    let text = String::deserialize(deserializer)?;
    let known = Code::ALL.iter().copied().find(|code| code.as_str() == text);
    Ok(known.unwrap_or(Code::Internal))
}

/// Returns a failure without a position.
pub(super) fn plain(code: Code, message: impl Into<String>) -> Failure {
    Failure {
        code,
        name: String::new(),
        message: message.into(),
        error_code: None,
        causes: Vec::new(),
        position: None,
        stack: Vec::new(),
        code_frame: None,
        hint: None,
    }
}

/// Returns the failure of a program that was stopped.
pub(super) fn of_stop(stop: &StopReason) -> Failure {
    let hint = match stop {
        StopReason::CpuTime(_, ClockUse::Watched) => Some(CLOCK_HINT.into()),
        _ => None,
    };
    Failure { hint, ..plain(stop.code(), stop.to_string()) }
}

/// Returns the failure of a script that does not load. A file that cannot be read is an error.
pub(super) fn of_source(error: &SourceError) -> StartError {
    let code = error.code();
    if matches!(code.class(), ErrorClass::Usage | ErrorClass::Internal) {
        let mut usage = Error::new(code, error.to_string());
        if let Some(hint) = error.hint() {
            usage = usage.with_hint(hint);
        }
        if let Some(source) = std::error::Error::source(error) {
            usage = usage.with_source(source.to_string());
        }
        return usage.into();
    }
    of_syntax(error).into()
}

/// Returns the failure of a script with an error in its text.
fn of_syntax(error: &SourceError) -> Failure {
    Failure {
        position: error.position(),
        code_frame: error.code_frame().map(|frame| frame.to_string()),
        hint: error.hint().map(str::to_owned),
        ..plain(error.code(), error.to_string())
    }
}

/// Returns the failure that the guest reports, placed in the source. `failed` are the calls that
/// failed, one of which may be what the program threw.
pub(super) fn of_fault(
    program: &Program,
    fault: GuestFailure,
    failed: &[ToolFailure],
    run: &WorkSlice<'_>,
) -> Failure {
    let code = match fault.kind {
        GuestFailureKind::Threw => Code::Threw,
        GuestFailureKind::UnhandledRejection => Code::UnhandledRejection,
        GuestFailureKind::Syntax => Code::Syntax,
        GuestFailureKind::Stack => Code::Stack,
        GuestFailureKind::NotJson => Code::ResultNotJson,
        GuestFailureKind::ResultSize => Code::ResultSize,
        GuestFailureKind::Stalled => Code::Stalled,
    };
    let raw = RawFault {
        stack: &fault.stack,
        message: if fault.name == "TypeError" { &fault.message } else { "" },
        tool: thrown_tool(&fault, failed),
        unplaced: unplaced(&fault),
    };
    let FaultTrace { frames: mut stack, message, hint: text_hint } =
        program.explain(&raw, Some(run));
    if code == Code::Syntax {
        let reported = stack.first().map(|frame| &frame.position);
        if let Some(error) = program.early_error(&fault.message, reported, Some(run)) {
            return of_syntax(&error);
        }
    }
    let import = import_of(program, &fault, &mut stack);
    let (import_position, import_hint) = import.unzip();
    let position = import_position.or_else(|| stack.first().map(|frame| frame.position.clone()));
    let code_frame = position.as_ref().and_then(|position| program.code_frame(position));
    let own =
        thrown_refusal(&fault, failed).map(|(message, hint)| (message.to_owned(), hint.into()));
    let (refusal, refusal_hint) = own.unzip();
    let hint = fault.hint.map(|hint| cut(&hint, GUEST_HINT)).or_else(|| import_hint.flatten());
    let hint = hint.or(refusal_hint).or_else(|| absent(&fault.name, &fault.message));
    let hint = hint.or(text_hint);
    let unhandled = (code == Code::UnhandledRejection).then(|| UNHANDLED_HINT.to_owned());
    Failure {
        hint: hint.or(unhandled),
        name: fault.name,
        error_code: fault.code,
        causes: fault.causes,
        position,
        stack,
        code_frame: code_frame.map(|frame| frame.to_string()),
        ..plain(code, message.or(refusal).unwrap_or(fault.message))
    }
}

/// Returns what the guest cannot place: a value without a stack, or a wait without an end.
fn unplaced(fault: &GuestFailure) -> Option<UnplacedFailure<'_>> {
    match fault.kind {
        GuestFailureKind::Stalled => Some(UnplacedFailure::Stalled),
        GuestFailureKind::Threw | GuestFailureKind::UnhandledRejection
            if fault.stack.is_empty() && fault.name.is_empty() =>
        {
            Some(UnplacedFailure::Thrown(&fault.message))
        }
        _ => None,
    }
}

/// Returns the message and the hint of a call that pml refused, if its error is what the program
/// threw.
fn thrown_refusal<'f>(
    fault: &'f GuestFailure,
    failed: &[ToolFailure],
) -> Option<(&'f str, &'f str)> {
    let code = fault.code.as_deref().filter(|_| fault.name == "ToolError")?;
    failed.iter().find(|failed| failed.code == code && failed.has_text(&fault.message))?;
    refusal_parts(code, &fault.message)
}

/// Returns the tool whose error the program threw, if the failed calls leave no doubt.
fn thrown_tool<'f>(fault: &GuestFailure, failed: &'f [ToolFailure]) -> Option<&'f str> {
    if fault.name != "ToolError" {
        return None;
    }
    let code = fault.code.as_deref().unwrap_or_default();
    let mut same = failed
        .iter()
        .filter(|failed| failed.code == code && fault.message.starts_with(&failed.error));
    let first = same.next()?;
    same.all(|other| other.tool == first.tool).then_some(first.tool.as_str())
}

/// Returns the position of the dynamic import that failed, and a hint. The frame of the stack that
/// it failed in gets the same position.
fn import_of(
    program: &Program,
    fault: &GuestFailure,
    stack: &mut [StackFrame],
) -> Option<(Position, Option<String>)> {
    if fault.code.as_deref() != Some(Code::ImportRefused.as_str()) {
        return None;
    }
    let reported = stack.first().map(|frame| frame.position.clone());
    match program.refused_import(&fault.message, reported.as_ref()) {
        Some((refused, location)) => {
            if let Some(frame) = stack.first_mut() {
                frame.position = location.position.clone();
            }
            Some((location.position, refused.hint.clone()))
        }
        // A specifier that the program computed.
        None => reported.map(|position| (position, Some(COMPUTED_IMPORT_HINT.into()))),
    }
}

/// Returns a hint for a global name that other runtimes have.
fn absent(name: &str, message: &str) -> Option<String> {
    let missing = message.strip_suffix(" is not defined").filter(|_| name == "ReferenceError")?;
    let missing = missing.trim_matches('\'');
    let instead = match missing {
        "fetch" | "XMLHttpRequest" | "WebSocket" => {
            "there is no network: call a tool with `mcp.server.tool(args)`"
        }
        "require" => {
            "there is no `require`: import a file of the workspace by its relative path, or call a tool"
        }
        "process" | "Deno" | "Bun" => "there is no process: take settings from `inputs`",
        "Buffer" => "there is no `Buffer`: use `Uint8Array`, `TextEncoder` or `atob`",
        "Intl" => "there is no `Intl`: format dates and numbers by hand, or call a tool",
        "setImmediate" => "use `setTimeout` or `queueMicrotask`",
        "WeakRef" | "FinalizationRegistry" => "programs must not see when garbage is collected",
        _ => return None,
    };
    Some(instead.into())
}

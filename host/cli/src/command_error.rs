//! Errors of commands: their exit codes, and what programs read about them.

use pml::run::ErrorReport;
use pml::{Code, Error, error::ErrorClass};
use std::fmt;
use std::io;
use std::process::ExitCode;

/// Exit code: the program failed, or the user's files are wrong.
pub(super) const FAILED: u8 = 1;
const USAGE: u8 = 2;
/// Exit code: the reader of stdout is gone.
pub(super) const BROKEN_PIPE: u8 = 3;
/// Exit code: the program waits for a person.
pub(super) const WAITING: u8 = 4;
/// Exit code: stopped by Ctrl-C.
pub(super) const INTERRUPTED: u8 = 130;
/// Exit code: stopped by SIGTERM.
pub(super) const TERMINATED: u8 = 143;
const INTERNAL: u8 = 255;

/// An error about a flag whose value is wrong in a way that clap cannot check.
#[derive(Debug)]
pub(super) struct UsageError(pub(super) String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// An error with a hint about what to do.
#[derive(Debug)]
pub(super) struct HintedError {
    message: String,
    hint: String,
    code: Code,
    exit: u8,
}

impl HintedError {
    pub(super) fn new(message: impl Into<String>, hint: impl Into<String>) -> HintedError {
        let (message, hint) = (message.into(), hint.into());
        HintedError { message, hint, code: Code::CommandFailed, exit: FAILED }
    }

    /// Returns an error about wrong usage, which has its own exit code.
    pub(super) fn usage(message: impl Into<String>, hint: impl Into<String>) -> HintedError {
        HintedError { code: Code::Usage, exit: USAGE, ..HintedError::new(message, hint) }
    }

    /// Sets the code that programs read.
    pub(super) fn with_code(self, code: Code) -> HintedError {
        HintedError { code, ..self }
    }
}

impl fmt::Display for HintedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for HintedError {}

/// Runs a command. A panic in it is an error like others, so that it has its exit code and its
/// document; stderr has told where it was.
pub(super) fn catch_panic(
    command: impl FnOnce() -> anyhow::Result<ExitCode>,
) -> anyhow::Result<ExitCode> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(command));
    caught.unwrap_or_else(|_| {
        let error = Error::new(Code::Internal, "pml is broken: it panicked");
        Err(error.with_hint("report it, with the lines above").into())
    })
}

/// Returns what programs read about an error.
pub(super) fn error_report(error: &anyhow::Error) -> ErrorReport {
    let (inner, message) = (error.downcast_ref::<Error>(), error.to_string());
    let mut report = match inner {
        Some(error) => ErrorReport::from(error),
        None => ErrorReport::new(code(error), String::new()),
    };
    // The report of the error itself says its place in a field of its own.
    if inner.is_none_or(|error| error.to_string() != message) {
        report.message = message;
    }
    report.code = code(error).as_str().into();
    report.error_type.clone_from(&report.code);
    report.causes = error.chain().skip(1).map(ToString::to_string).collect();
    if let Some(hinted) = error.downcast_ref::<HintedError>() {
        report.hint = Some(hinted.hint.clone());
    }
    report
}

/// Returns the exit code of a command that an error ended.
pub(super) fn exit_code(error: &anyhow::Error) -> ExitCode {
    if let Some(hinted) = error.downcast_ref::<HintedError>() {
        return ExitCode::from(hinted.exit);
    }
    ExitCode::from(match code(error) {
        Code::Usage | Code::Config => USAGE,
        code if code.class() == ErrorClass::Internal => INTERNAL,
        _ => FAILED,
    })
}

fn code(error: &anyhow::Error) -> Code {
    if let Some(hinted) = error.downcast_ref::<HintedError>() {
        return hinted.code;
    }
    if error.is::<UsageError>() {
        return Code::Usage;
    }
    match error.downcast_ref::<Error>() {
        Some(error) => error.kind(),
        None if error.chain().any(|cause| cause.is::<io::Error>()) => Code::Io,
        None => Code::CommandFailed,
    }
}

#[cfg(test)]
mod tests {
    use super::{HintedError, UsageError, catch_panic, error_report, exit_code};
    use anyhow::Context;
    use pml::json::{json, to_value};
    use pml::{Code, Error};
    use std::io;
    use std::process::ExitCode;

    #[test]
    fn an_error_is_reported_with_its_code_its_causes_and_its_hint() {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let read = Err::<(), _>(missing()).context("cannot read: a.json").unwrap_err();
        let expected = json!({ "code": "IO", "type": "IO", "message": "cannot read: a.json",
            "causes": [missing().to_string()] });
        assert_eq!(to_value(error_report(&read)).unwrap(), expected);

        let own = HintedError::new("no", "do this").with_code(Code::AgentRefused);
        let both = anyhow::Error::from(Error::new(Code::Config, "bad")).context(own);
        let expected = json!({ "code": "AGENT_REFUSED", "type": "AGENT_REFUSED", "message": "no",
            "causes": ["bad"], "hint": "do this" });
        assert_eq!(to_value(error_report(&both)).unwrap(), expected);
    }

    #[test]
    fn a_panic_is_an_error_of_pml_itself() {
        let error = catch_panic(|| panic!("a test of panics")).unwrap_err();
        assert_eq!(error_report(&error).code, "INTERNAL");
        assert_eq!(catch_panic(|| Ok(ExitCode::SUCCESS)).unwrap(), ExitCode::SUCCESS);
    }

    #[test]
    fn each_kind_of_error_has_its_exit_code() {
        let of = |error: anyhow::Error| format!("{:?}", exit_code(&error));
        let is = |code: u8| format!("{:?}", ExitCode::from(code));
        assert_eq!(of(UsageError("x".into()).into()), is(2));
        assert_eq!(of(HintedError::usage("x", "y").into()), is(2));
        assert_eq!(of(HintedError::new("x", "y").with_code(Code::Usage).into()), is(1));
        assert_eq!(of(Error::new(Code::Config, "x").into()), is(2));
        assert_eq!(of(Error::new(Code::Journal, "x").into()), is(1));
        assert_eq!(of(Error::new(Code::Internal, "x").into()), is(255));
        assert_eq!(of(anyhow::anyhow!("x")), is(1));
    }
}

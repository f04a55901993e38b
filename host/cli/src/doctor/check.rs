//! The result of one check.

use crate::ui::{BAD, DIM, GOOD, HINT, WAITING};
use anstyle::Style;
use pml::json::{Value, json};

/// The status of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckStatus {
    /// It works.
    Fine,
    /// Worth knowing.
    Note,
    /// It works, but may not be what the user wants.
    Warning,
    /// It does not work.
    Failure,
}

impl CheckStatus {
    fn as_str(self) -> &'static str {
        match self {
            CheckStatus::Fine => "ok",
            CheckStatus::Note => "note",
            CheckStatus::Warning => "warn",
            CheckStatus::Failure => "fail",
        }
    }

    fn style(self) -> Style {
        match self {
            CheckStatus::Fine => GOOD,
            CheckStatus::Note => DIM,
            CheckStatus::Warning => WAITING,
            CheckStatus::Failure => BAD,
        }
    }
}

/// A check and its result. The creator escapes all text from others in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DoctorCheck {
    /// The area: `machine`, `project`, `servers`, `policy` or `clients`.
    pub(super) area: &'static str,
    pub(super) status: CheckStatus,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl DoctorCheck {
    pub(super) fn fine(area: &'static str, message: impl Into<String>) -> DoctorCheck {
        DoctorCheck { area, status: CheckStatus::Fine, message: message.into(), hint: None }
    }

    pub(super) fn note(area: &'static str, message: impl Into<String>) -> DoctorCheck {
        DoctorCheck { area, status: CheckStatus::Note, message: message.into(), hint: None }
    }

    pub(super) fn warning(area: &'static str, message: impl Into<String>) -> DoctorCheck {
        DoctorCheck { area, status: CheckStatus::Warning, message: message.into(), hint: None }
    }

    pub(super) fn failure(area: &'static str, message: impl Into<String>) -> DoctorCheck {
        DoctorCheck { area, status: CheckStatus::Failure, message: message.into(), hint: None }
    }

    /// Adds a hint about what to do.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> DoctorCheck {
        self.hint = Some(hint.into());
        self
    }

    /// Returns a failure with the error's message, causes and hint.
    pub(super) fn error(area: &'static str, error: &pml::Error) -> DoctorCheck {
        let mut message = pml::text::escape(&error.to_string()).into_owned();
        let mut cause = std::error::Error::source(error);
        while let Some(error) = cause {
            message += &format!(", because: {}", pml::text::escape(&error.to_string()));
            cause = error.source();
        }
        if let Some(frame) = error.code_frame() {
            message += &format!("\n{frame}");
        }
        let check = DoctorCheck::failure(area, message);
        match error.hint() {
            Some(hint) => check.hint(hint),
            None => check,
        }
    }

    /// Reports whether it works and something is still to be done.
    pub(super) fn is_next_step(&self) -> bool {
        self.status == CheckStatus::Note && self.hint.is_some()
    }

    /// Returns the check as a line for a person.
    pub(super) fn line(&self) -> String {
        let style = self.status.style();
        let message = self.message.replace('\n', "\n      ");
        let mut line = format!("{style}{:4}{style:#}  {message}", self.status.as_str());
        if let Some(hint) = &self.hint {
            let hint = hint.replace('\n', "\n      ");
            line += &format!("\n      {HINT}hint{HINT:#}: {hint}");
        }
        line
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "area": self.area,
            "mark": self.status.as_str(),
            "what": self.message,
            "hint": self.hint,
        })
    }
}

//! The result of one check.

use crate::ui::{BAD, DIM, GOOD, HINT, WAITING};
use anstyle::Style;
use pml::json::{Value, json};
use pml::run::ErrorReport;

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
#[derive(Debug, PartialEq)]
pub(super) struct DoctorCheck {
    /// The area: `machine`, `project`, `servers`, `policy` or `clients`.
    pub(super) area: &'static str,
    pub(super) status: CheckStatus,
    pub(super) message: String,
    pub(super) hint: Option<String>,
    /// The error that was found, as programs read it.
    error: Option<Box<ErrorReport>>,
}

impl DoctorCheck {
    fn new(area: &'static str, status: CheckStatus, message: impl Into<String>) -> DoctorCheck {
        DoctorCheck { area, status, message: message.into(), hint: None, error: None }
    }

    pub(super) fn fine(area: &'static str, message: impl Into<String>) -> DoctorCheck {
        DoctorCheck::new(area, CheckStatus::Fine, message)
    }

    pub(super) fn note(area: &'static str, message: impl Into<String>) -> DoctorCheck {
        DoctorCheck::new(area, CheckStatus::Note, message)
    }

    pub(super) fn warning(area: &'static str, message: impl Into<String>) -> DoctorCheck {
        DoctorCheck::new(area, CheckStatus::Warning, message)
    }

    pub(super) fn failure(area: &'static str, message: impl Into<String>) -> DoctorCheck {
        DoctorCheck::new(area, CheckStatus::Failure, message)
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
        let mut check = DoctorCheck::failure(area, message);
        check.error = Some(Box::new(ErrorReport::from(error)));
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

    /// Returns the check as JSON: its area and status, and the fields of every error.
    pub(super) fn json(&self) -> Value {
        let mut value = json!({
            "area": self.area,
            "status": self.status.as_str(),
            "message": self.message,
        });
        if let Some(error) = &self.error {
            let error = json!(error);
            for key in ["code", "message", "causes", "position", "code_frame"] {
                if let Some(field) = error.get(key) {
                    value[key] = field.clone();
                }
            }
        }
        if let Some(hint) = &self.hint {
            value["hint"] = json!(hint);
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::DoctorCheck;
    use pml::json::json;
    use pml::{Code, Error};

    #[test]
    fn programs_read_the_fields_of_every_error() {
        let fine = json!({ "area": "machine", "status": "ok", "message": "programs run" });
        assert_eq!(DoctorCheck::fine("machine", "programs run").json(), fine);
        let error = Error::new(Code::Io, "no").with_source("disk").with_hint("free some");
        let expected = json!({ "area": "project", "status": "fail", "code": "IO",
            "message": "no", "causes": ["disk"], "hint": "free some" });
        assert_eq!(DoctorCheck::error("project", &error).json(), expected);
    }
}

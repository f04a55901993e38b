//! What programs read about an error: one set of fields for every door.

use super::Failure;
use crate::error::Error;
use crate::model::Code;
use crate::source::{Position, StackFrame};
use serde::Serialize;

/// An error as the doors write it in JSON: `--json` of every command, and answers over MCP.
///
/// Texts may come from a program or a server and are written as they are: JSON escapes what must be
/// escaped. Show them to people through [`escape`](crate::text::escape) only.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ErrorReport {
    /// The stable code, or the `code` that the thrown error carried: `TOOL_DENIED`, or one of the
    /// program's own.
    pub code: String,
    /// Name of the error thrown, such as `TypeError`; the same as `code` where nothing was thrown.
    #[serde(rename = "type")]
    pub error_type: String,
    /// What happened.
    pub message: String,
    /// What caused it, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The position in the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// The source around the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_frame: Option<String>,
    /// The calls that led to the position, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<StackFrame>,
}

impl ErrorReport {
    /// Returns a report with a code and a message only.
    pub fn new(code: Code, message: impl Into<String>) -> ErrorReport {
        ErrorReport {
            code: code.as_str().into(),
            error_type: code.as_str().into(),
            message: message.into(),
            causes: Vec::new(),
            hint: None,
            position: None,
            code_frame: None,
            stack: Vec::new(),
        }
    }
}

impl From<&Error> for ErrorReport {
    fn from(error: &Error) -> ErrorReport {
        let mut causes = Vec::new();
        let mut source = std::error::Error::source(error);
        while let Some(cause) = source {
            causes.push(cause.to_string());
            source = cause.source();
        }
        let hint = error.hint().map(str::to_owned);
        ErrorReport {
            causes,
            hint,
            position: error.position().cloned(),
            code_frame: error.code_frame().map(ToString::to_string),
            ..ErrorReport::new(error.kind(), without_place(error.to_string(), error.position()))
        }
    }
}

impl From<&Failure> for ErrorReport {
    fn from(failure: &Failure) -> ErrorReport {
        let given = |text: &&str| !text.is_empty();
        let own_code = failure.error_code.as_deref().filter(given);
        let name = Some(failure.name.as_str()).filter(given);
        let code_frame = failure.code_frame.as_deref().map(str::trim_end).filter(given);
        let code = failure.code.as_str();
        ErrorReport {
            code: own_code.unwrap_or(code).into(),
            error_type: name.unwrap_or(code).into(),
            message: without_place(failure.message.clone(), failure.position.as_ref()),
            causes: failure.causes.clone(),
            hint: failure.hint.clone(),
            position: failure.position.clone(),
            code_frame: code_frame.map(str::to_owned),
            stack: failure.stack.clone(),
        }
    }
}

/// Returns a message without the place at its end, which people read there and programs in
/// `position`.
fn without_place(message: String, position: Option<&Position>) -> String {
    let end = position.map(|position| format!(": {position}"));
    match end.and_then(|end| message.strip_suffix(&end)) {
        Some(bare) => bare.to_owned(),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorReport;
    use crate::error::Error;
    use crate::model::Code;
    use serde_json::json;

    #[test]
    fn absent_fields_are_left_out_and_causes_are_listed() {
        let plain = ErrorReport::new(Code::Config, "wrong");
        let expected = json!({ "code": "CONFIG", "type": "CONFIG", "message": "wrong" });
        assert_eq!(serde_json::to_value(plain).expect("JSON"), expected);

        let cause = std::io::Error::other("disk");
        let error = Error::new(Code::Journal, "no").with_hint("free some").with_source(cause);
        let expected = json!({ "code": "JOURNAL", "type": "JOURNAL", "message": "no",
            "causes": ["disk"], "hint": "free some" });
        assert_eq!(serde_json::to_value(ErrorReport::from(&error)).expect("JSON"), expected);
    }

    #[test]
    fn a_thrown_error_is_named_by_its_own_code() {
        let failure = serde_json::from_value::<crate::Failure>(json!({
            "code": "THREW", "name": "ToolError", "message": "no", "error_code": "TOOL_DENIED",
            "code_frame": "frame\n",
        }));
        let report = ErrorReport::from(&failure.expect("a failure"));
        let expected = json!({ "code": "TOOL_DENIED", "type": "ToolError", "message": "no",
            "code_frame": "frame" });
        assert_eq!(serde_json::to_value(report).expect("JSON"), expected);
    }

    #[test]
    fn a_place_is_in_the_position_alone() {
        let failure = |message: &str| {
            let position = json!({ "module": "a.ts", "line": 1, "column": 24 });
            let failure = serde_json::from_value::<crate::Failure>(json!({ "code": "SYNTAX",
                "name": "", "message": message, "position": position }));
            ErrorReport::from(&failure.expect("a failure")).message
        };
        assert_eq!(failure("unterminated string: a.ts:1:24"), "unterminated string");
        assert_eq!(failure("at another: a.ts:1:2"), "at another: a.ts:1:2");
    }
}

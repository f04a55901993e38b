//! A definite error in a program.

use crate::model::{Code, in_one_line};
use crate::source::SourceLocation;
use serde_json::{Value, json};
use std::fmt;

/// A definite error in a program. Its `Display` is one line; [`Finding::report`] also shows the
/// code around it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of error: `TOOL_UNKNOWN`, `TOOL_AMBIGUOUS`, `ARGUMENTS`, or the reason why the
    /// script cannot be loaded.
    pub code: Code,
    /// The error message. It may hold names that the program or a server chose: show it through
    /// `Display` only.
    pub message: String,
    /// Advice on how to fix it.
    pub hint: Option<String>,
    /// The tool of the call, as `server:tool`: its own name if it was found, else as the program
    /// spells it.
    pub tool: Option<String>,
    /// The location of the error.
    pub location: SourceLocation,
}

impl Finding {
    /// Returns the finding as text for a person: the message, the lines around the position, the
    /// hint.
    pub fn report(&self) -> String {
        let mut text = self.to_string();
        if let Some(frame) = &self.location.frame {
            text.push_str(&format!("\n{frame}"));
        }
        if let Some(hint) = &self.hint {
            text.push_str(&format!("\nhint: {}", in_one_line(hint)));
        }
        text
    }

    /// Returns the finding as JSON: the fields of an error report, and its `tool`. Texts are
    /// written as they are.
    pub fn json(&self) -> Value {
        let frame =
            self.location.frame.as_ref().map(|frame| frame.to_string().trim_end().to_owned());
        let mut value = json!({
            "code": self.code.as_str(),
            "type": self.code.as_str(),
            "message": self.message,
            "position": self.location.position,
        });
        for (key, text) in [("hint", &self.hint), ("tool", &self.tool), ("code_frame", &frame)] {
            if let Some(text) = text {
                value[key] = text.as_str().into();
            }
        }
        value
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", in_one_line(&self.message), self.location.position)
    }
}

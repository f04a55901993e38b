//! One thing that is certainly wrong with a program.

use crate::model::Code;
use crate::source::SourceLocation;
use serde_json::{Value, json};
use std::fmt;

/// One thing that is certainly wrong with a program. Its `Display` is one line; [`Finding::report`]
/// shows the code too.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// What kind: `TOOL_UNKNOWN`, `TOOL_AMBIGUOUS`, `ARGUMENTS`, or why the script cannot be
    /// loaded.
    pub code: Code,
    /// What is wrong, in a line.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The tool it is about, as `server:tool`: as it is called if it was found, else as the program
    /// spells it.
    pub tool: Option<String>,
    /// Where.
    pub place: SourceLocation,
}

impl Finding {
    /// Returns the finding for a person: the message, the lines around it, the hint.
    pub fn report(&self) -> String {
        let mut text = self.to_string();
        if let Some(frame) = &self.place.frame {
            text.push_str(&format!("\n{frame}"));
        }
        if let Some(hint) = &self.hint {
            text.push_str(&format!("\nhint: {hint}"));
        }
        text
    }

    /// Returns the finding for a program.
    pub fn json(&self) -> Value {
        json!({
            "code": self.code.as_str(),
            "message": self.message,
            "hint": self.hint,
            "tool": self.tool,
            "position": self.place.position,
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.message, self.place.position)
    }
}

//! The error type of the crate.

use crate::model::{Code, CodeFrame, Position};
use std::fmt;

/// An error outside the script: in the user's files or settings, or in pml itself.
#[derive(Debug)]
pub struct Error {
    code: Code,
    message: String,
    hint: Option<String>,
    position: Option<Box<Position>>,
    code_frame: Option<Box<CodeFrame>>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Returns an error; `message` is one line, in lower case, without a full stop.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        let message = message.into();
        Error { code, message, hint: None, position: None, code_frame: None, source: None }
    }

    /// Adds a hint: what to do about the error.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the position of the error and the text of the file around it.
    pub(crate) fn with_code_frame(mut self, position: Position, frame: CodeFrame) -> Error {
        self.position = Some(Box::new(position));
        self.code_frame = Some(Box::new(frame));
        self
    }

    /// Adds the cause.
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        self.source = Some(source.into());
        self
    }

    /// Returns the code of the error.
    pub fn kind(&self) -> Code {
        self.code
    }

    /// Returns the text of the file around the position of the error, or `None` if the error is not
    /// about a position in a file.
    pub fn code_frame(&self) -> Option<&CodeFrame> {
        self.code_frame.as_deref()
    }

    /// Returns the position of the error, or `None` if the error is not about a position in a file.
    pub fn position(&self) -> Option<&Position> {
        self.position.as_deref()
    }

    /// Returns the hint, or `None` if there is none.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

//! The crate's one error. A script that fails is not an error: it is an
//! [`Outcome`](crate::Outcome).

pub use crate::model::{Code, ErrorClass, InvalidTimestamp};

use std::fmt;

/// What went wrong outside the script: the user's files or settings, or pml itself.
#[derive(Debug)]
pub struct Error {
    code: Code,
    message: String,
    hint: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Returns an error; `message` is one line, in lower case, without a full stop.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), hint: None, source: None }
    }

    /// Says what to do about it.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// Says what it was caused by.
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        self.source = Some(source.into());
        self
    }

    /// Returns what kind of error it is.
    pub fn kind(&self) -> Code {
        self.code
    }

    /// Returns what to do about it, where that is known.
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

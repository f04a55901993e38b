//! One line of a program's console.

use serde::{Deserialize, Serialize};

/// The severity of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ConsoleLevel {
    /// `console.debug`, `console.trace`
    Debug,
    /// `console.log`, `console.info` and the like
    Log,
    /// `console.warn`
    Warn,
    /// `console.error`, `console.assert`
    Error,
}

/// A line that a program wrote. The text is the program's own and may contain anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsoleLine {
    /// The severity.
    pub level: ConsoleLevel,
    /// The text, without the line end.
    pub text: String,
}

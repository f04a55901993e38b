//! The outcome of a call as text, for the guest and for the journal.

use serde::{Deserialize, Serialize};

/// The outcome of a call, exactly as the program gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallResult {
    /// One JSON text.
    Value(String),
    /// An error that the program will catch.
    Error {
        /// A stable code.
        code: String,
        /// The message, for people.
        message: String,
        /// One JSON text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        data: Option<String>,
    },
}

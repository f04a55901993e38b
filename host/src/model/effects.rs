//! What a call may do to the world, as far as its tool says.

use serde::{Deserialize, Serialize};

/// Whether a call may be made again when nobody knows what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effects {
    /// The tool says nothing: it may do anything, and must not be repeated.
    #[default]
    Unknown,
    /// Doing it twice is the same as doing it once.
    Idempotent,
    /// It changes nothing.
    ReadOnly,
}

impl Effects {
    /// Returns whether the call can be repeated without asking anybody.
    pub fn repeatable(self) -> bool {
        self != Effects::Unknown
    }
}

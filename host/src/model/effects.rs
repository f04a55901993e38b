//! What a call may do to the world, according to its tool.

use serde::{Deserialize, Serialize};

/// The effects of a call. They decide whether it may be made again when its outcome is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effects {
    /// The tool declares nothing: it may do anything, and must not be repeated.
    #[default]
    Unknown,
    /// Two equal calls have the same effect as one.
    Idempotent,
    /// It changes nothing.
    ReadOnly,
}

impl Effects {
    /// Reports whether the call can be repeated without asking a person.
    pub fn repeatable(self) -> bool {
        self != Effects::Unknown
    }
}

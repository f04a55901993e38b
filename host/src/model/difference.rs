//! What differs between two texts, for people to read.

use serde::{Deserialize, Serialize};

/// One part of a thing, as it was and as it is. Both are others' words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Difference {
    /// Which part: `description`, `inputSchema`, `server`.
    pub part: String,
    /// As it was; nothing if it was not there.
    pub before: Option<String>,
    /// As it is; nothing if it is gone.
    pub after: Option<String>,
}

impl Difference {
    /// Returns a difference.
    pub fn new(
        part: impl Into<String>,
        before: Option<String>,
        after: Option<String>,
    ) -> Difference {
        Difference { part: part.into(), before, after }
    }
}

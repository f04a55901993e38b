//! How far something is that takes a while.

use serde::Serialize;

/// How far something is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Progress {
    /// What is being done, for people: others' words in it are escaped.
    pub what: String,
    /// How much of it is done.
    pub done: u64,
    /// How much there is to do, where that is known.
    pub total: Option<u64>,
}

impl Progress {
    /// Returns how far something is.
    pub fn new(what: impl Into<String>, done: u64, total: Option<u64>) -> Progress {
        Progress { what: what.into(), done, total }
    }
}

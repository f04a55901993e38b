//! The progress of work that takes a while.

use serde::Serialize;

/// The progress of some work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Progress {
    /// The work, for people; foreign text in it is escaped.
    pub what: String,
    /// The amount that is done.
    pub done: u64,
    /// The whole amount, if it is known.
    pub total: Option<u64>,
}

impl Progress {
    /// Returns a progress.
    pub fn new(what: impl Into<String>, done: u64, total: Option<u64>) -> Progress {
        Progress { what: what.into(), done, total }
    }
}

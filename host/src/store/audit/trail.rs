//! The trail as it is read.

use crate::model::{RunId, Timestamp};
use serde_json::Value;
use std::fmt;

/// Which entries to read. The default reads all, oldest first; whatever is read, all of it is
/// verified.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// Only what happened in this run.
    pub run: Option<RunId>,
    /// Only what happened at this time or later.
    pub since: Option<Timestamp>,
    /// At most this many: the last ones.
    pub limit: Option<u64>,
}

impl AuditFilter {
    /// Returns whether an entry is wanted.
    pub(in crate::store) fn wants(&self, entry: &AuditEntry) -> bool {
        let run = self.run.is_none_or(|run| entry.run == Some(run));
        run && self.since.is_none_or(|since| entry.at >= since)
    }
}

/// An entry of the trail.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AuditEntry {
    /// Counts up from 1, without a gap.
    pub number: u64,
    /// When it happened, to the millisecond.
    pub at: Timestamp,
    /// In which run, if in one.
    pub run: Option<RunId>,
    /// All of it, as it was hashed: `number`, `at`, `run_id`, `what`, and what else its kind has.
    pub body: Value,
    /// Its hash: sha256, in hex, of the hash before it, a line end, and its body with sorted keys
    /// and no blanks.
    pub hash: String,
}

impl AuditEntry {
    /// Returns an entry as it stands in a trail. What cannot be read is left out: the hash says
    /// whether it was so from the beginning.
    pub(in crate::store) fn new(number: u64, body: Value, hash: String) -> AuditEntry {
        let text = |field: &str| body.get(field).and_then(Value::as_str);
        let at = text("at").and_then(|at| at.parse().ok()).unwrap_or_default();
        let run = text("run_id").and_then(|run| run.parse().ok());
        AuditEntry { number, at, run, body, hash }
    }

    /// Returns its kind: `asked`, `decided`, `refused`.
    pub fn kind(&self) -> &str {
        self.body.get("what").and_then(Value::as_str).unwrap_or("?")
    }
}

/// What was read, and whether all of the trail is what was written.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AuditTrail {
    /// The entries that were asked for, oldest first.
    pub entries: Vec<AuditEntry>,
    /// How many there are in all.
    pub count: u64,
    /// The hash of the last of all.
    pub hash: String,
    /// Up to which entry the head vouches that is kept apart from the journal; nothing if none is
    /// kept.
    pub kept: Option<u64>,
    /// Up to which entry a person took it as it is, right or wrong; what is wrong with these is not
    /// told again.
    pub accepted: Option<u64>,
    /// What is wrong with it, if anything is.
    pub broken: Option<TrailDefect>,
}

/// Why a trail is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrailDefect {
    /// An entry, or its place, is not what it was.
    Changed {
        /// Which.
        number: u64,
    },
    /// An entry is gone.
    Missing {
        /// Which.
        number: u64,
    },
    /// Its end is gone.
    Cut {
        /// How many entries there were.
        kept: u64,
        /// How many there are.
        found: u64,
    },
    /// All of it fits together, and is not what was written.
    Rewritten {
        /// The entry that is known to have been another.
        number: u64,
    },
    /// What a person took as it was is not what it was then.
    NotAccepted {
        /// Up to which entry they took it.
        up_to: u64,
    },
    /// The head that is kept apart cannot be read.
    Head {
        /// Why.
        detail: String,
    },
}

impl fmt::Display for TrailDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrailDefect::Changed { number } => write!(f, "entry {number} is not what was written"),
            TrailDefect::Missing { number } => write!(f, "entry {number} is gone"),
            TrailDefect::Cut { kept, found } => {
                write!(f, "its end is gone: it had {kept} entries, and has {found}")
            }
            TrailDefect::Rewritten { number } => {
                write!(f, "it was written anew: entry {number} was another one")
            }
            TrailDefect::NotAccepted { up_to } => {
                write!(
                    f,
                    "its first {up_to} entries were accepted as they were, and are not that any more"
                )
            }
            TrailDefect::Head { detail } => write!(f, "its head cannot be read: {detail}"),
        }
    }
}

//! The audit trail as it is read.

use crate::model::{RunId, Timestamp};
use serde_json::Value;
use std::fmt;

/// Selects entries to read. The default selects all, oldest first. The whole trail is verified in
/// any case.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// Only events of this run.
    pub run: Option<RunId>,
    /// Only events at this time or later.
    pub since: Option<Timestamp>,
    /// At most this many: the last ones.
    pub limit: Option<u64>,
}

impl AuditFilter {
    /// Reports whether an entry is selected, ignoring the limit.
    pub(in crate::store) fn selects(&self, entry: &AuditEntry) -> bool {
        let run = self.run.is_none_or(|run| entry.run == Some(run));
        run && self.since.is_none_or(|since| entry.at >= since)
    }
}

/// An entry of the audit trail.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AuditEntry {
    /// The number of the entry, counted from 1 without a gap.
    pub number: u64,
    /// The time of the event, to the millisecond.
    pub at: Timestamp,
    /// The run that it belongs to, if any.
    pub run: Option<RunId>,
    /// The complete body as it was hashed: `number`, `at`, `run_id`, `what`, and the fields of its
    /// kind.
    pub body: Value,
    /// The hash of the entry: sha256, in hex, of the previous hash, a line feed, and the body with
    /// sorted keys and no blanks.
    pub hash: String,
}

impl AuditEntry {
    /// Returns an entry with this body. A field that cannot be parsed is left out: the hash shows
    /// whether the body was changed.
    pub(in crate::store) fn new(number: u64, body: Value, hash: String) -> AuditEntry {
        let text = |field: &str| body.get(field).and_then(Value::as_str);
        let at = text("at").and_then(|at| at.parse().ok()).unwrap_or_default();
        let run = text("run_id").and_then(|run| run.parse().ok());
        AuditEntry { number, at, run, body, hash }
    }

    /// Returns the kind of the entry: `asked`, `decided`, `refused`.
    pub fn kind(&self) -> &str {
        self.body.get("what").and_then(Value::as_str).unwrap_or("?")
    }
}

/// The entries that were read, and the result of verifying the whole trail.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AuditTrail {
    /// The selected entries, oldest first.
    pub entries: Vec<AuditEntry>,
    /// The number of all entries.
    pub count: u64,
    /// The hash of the last entry.
    pub hash: String,
    /// The number of the last entry that the anchor outside the journal covers. `None` if there is
    /// no anchor.
    pub anchored: Option<u64>,
    /// The number of the last entry that a person accepted, intact or not. Defects up to it are not
    /// reported again.
    pub accepted: Option<u64>,
    /// The first defect, if there is one.
    pub defect: Option<TrailDefect>,
}

/// A way in which a trail differs from what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrailDefect {
    /// An entry was changed or moved.
    Changed {
        /// The number of the entry.
        number: u64,
    },
    /// An entry is missing.
    Missing {
        /// The number of the entry.
        number: u64,
    },
    /// The end of the trail is missing.
    Cut {
        /// How many entries the anchor covers.
        kept: u64,
        /// How many entries were found.
        found: u64,
    },
    /// The hashes are consistent, but the trail is not the one that was written.
    Rewritten {
        /// The number of the entry that is known to have been another.
        number: u64,
    },
    /// The part that a person accepted was changed afterwards.
    NotAccepted {
        /// The number of the last accepted entry.
        up_to: u64,
    },
    /// The anchor outside the journal cannot be read.
    Head {
        /// The reason.
        detail: String,
    },
}

impl fmt::Display for TrailDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrailDefect::Changed { number } => write!(f, "entry {number} was changed"),
            TrailDefect::Missing { number } => write!(f, "entry {number} is missing"),
            TrailDefect::Cut { kept, found } => {
                write!(f, "entries are missing at its end: it had {kept}, and has {found}")
            }
            TrailDefect::Rewritten { number } => {
                write!(f, "it was rewritten: entry {number} was another one")
            }
            TrailDefect::NotAccepted { up_to } => {
                write!(f, "its first {up_to} entries were changed after they were accepted")
            }
            TrailDefect::Head { detail } => {
                write!(f, "the record of its last hash cannot be read: {detail}")
            }
        }
    }
}

//! What a journal holds of a run: a header that never changes, and entries in the order in which
//! things happened.
//!
//! Policy for change: a journal must open for ever. A field is added with a default, a kind of
//! entry is added; none is renamed or given another meaning. `FORMAT` counts up when an older pml
//! could no longer read what a newer one writes.

use crate::model::{
    AskKind, CallId, CallResult, Effects, Limits, Question, QuestionId, RunId, Tenant, Timestamp,
    ToolName, ToolOrigin,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The format of headers and entries that this version writes.
pub const FORMAT: u32 = 3;

/// Everything that decides how a run goes, except the outcomes of its calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Which run.
    pub run: RunId,
    /// The format of this header and its entries.
    pub format: u32,
    /// The version of pml that wrote it.
    pub pml: String,
    /// sha256 of the guest.
    pub guest: String,
    /// The script's name.
    pub script: String,
    /// The program: the JavaScript of all modules as executed beside the text they came from, as
    /// one JSON text.
    pub program: String,
    /// The inputs: one JSON text.
    pub inputs: String,
    /// The seed.
    pub seed: [u8; 32],
    /// When it was created.
    pub created: Timestamp,
    /// The first reading of the clock that the program gets: that of the earlier run, if it takes
    /// one up.
    pub started: Timestamp,
    /// The limits.
    pub limits: Limits,
    /// The run whose settled calls this one uses again.
    pub resumed_from: Option<RunId>,
    /// What that run had done and this one may use again: one JSON text.
    pub checkpoint: Option<String>,
    /// sha256 of the lockfile it ran under.
    pub lock: Option<String>,
    /// The trace it belongs to: 32 hex digits.
    pub trace: String,
    /// On whose behalf it runs.
    pub tenant: Tenant,
}

/// What a run has cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meter {
    /// Time during which JavaScript ran.
    pub cpu: Duration,
    /// Time that counts against the timeout: without waiting for people.
    pub wall: Duration,
    /// Console lines written.
    pub lines: u64,
    /// Calls made, timers included.
    pub calls: u64,
}

/// What the door said to a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallVerdict {
    /// It may go.
    Go,
    /// A person decides.
    Ask {
        /// What kind of ask it is.
        kind: AskKind,
        /// Why.
        reason: String,
    },
    /// It may not go; the program gets this error.
    Refuse {
        /// A stable code.
        code: String,
        /// For people.
        message: String,
    },
    /// The tool has to be found first: its server is not there yet. What is decided then shows in
    /// what follows.
    Find,
    /// It is a timer.
    Sleep {
        /// When it ends.
        due: Timestamp,
    },
    /// The run that this one was resumed from has its outcome already.
    Recall {
        /// Its number in the checkpoint.
        number: u64,
    },
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JournalEntry {
    /// When, by the run's clock.
    pub at: Timestamp,
    /// What the run had cost.
    pub meter: Meter,
    /// What happened.
    pub what: JournalEvent,
}

impl JournalEntry {
    /// Returns an entry.
    pub fn new(at: Timestamp, meter: Meter, what: JournalEvent) -> JournalEntry {
        JournalEntry { at, meter, what }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum JournalEvent {
    /// The program asked for a call.
    Requested {
        /// Which.
        call: CallId,
        /// The tool as the program wrote it.
        tool: String,
        /// One JSON text; `Err` holds the size of one that was too large to keep.
        arguments: Result<String, usize>,
        /// What the door said.
        verdict: CallVerdict,
    },
    /// A person is asked. A journal keeps the question once: the entry says which, and is read back
    /// with what people are shown.
    Asked {
        /// What.
        question: Question,
    },
    /// Nothing waits for a question any more: the program gave its calls up.
    Withdrawn {
        /// Which.
        question: QuestionId,
    },
    /// A call is about to go out. If nothing follows, nobody knows what became of it.
    Executing {
        /// Which.
        call: CallId,
        /// The tool as resolved.
        tool: ToolName,
        /// Its definition and its server, where they are known.
        origin: Option<ToolOrigin>,
        /// What it may do, as its tool said then. It is history: whether the call may be made again
        /// is decided by what the tool says when it is found again.
        effects: Effects,
        /// The digest of the ask that somebody approved ([`Ask::digest`](crate::Ask::digest)), if
        /// it was asked about.
        approved: Option<String>,
    },
    /// A call has its outcome, which the program gets next. The entry's time is the clock reading
    /// that comes with it.
    Settled {
        /// Which.
        call: CallId,
        /// The outcome, exactly as the program gets it.
        settled: CallResult,
    },
    /// The program gave a call up.
    Cancelled {
        /// Which.
        call: CallId,
        /// Whether it had gone out.
        sent: bool,
    },
    /// The program ended without waiting for a call.
    Abandoned {
        /// Which.
        call: CallId,
        /// Whether it had gone out.
        sent: bool,
    },
    /// The run was rebuilt from its journal, by this version of pml.
    Resumed {
        /// The version.
        pml: String,
    },
    /// The run is over.
    Ended {
        /// How: one JSON text.
        ending: String,
    },
}

impl JournalEvent {
    /// Returns the call that it is about.
    pub fn call(&self) -> Option<CallId> {
        match self {
            JournalEvent::Requested { call, .. }
            | JournalEvent::Executing { call, .. }
            | JournalEvent::Settled { call, .. }
            | JournalEvent::Cancelled { call, .. }
            | JournalEvent::Abandoned { call, .. } => Some(*call),
            JournalEvent::Asked { .. }
            | JournalEvent::Withdrawn { .. }
            | JournalEvent::Resumed { .. }
            | JournalEvent::Ended { .. } => None,
        }
    }
}

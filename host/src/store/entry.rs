//! The journal's records of a run: a header that never changes, and entries in the order of events.
//!
//! Policy for change: every version of pml reads all older journals. Fields with a default and
//! kinds of entries may be added; none is renamed or given another meaning. `FORMAT` is incremented
//! when an older pml could not read what a newer one writes.

use crate::model::{
    AskKind, CallId, CallResult, Effects, Limits, Question, QuestionId, RunId, Tenant, Timestamp,
    ToolName, ToolOrigin,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The format of headers and entries that this version writes.
pub const FORMAT: u32 = 3;

/// Everything that determines a run, except the outcomes of its calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// The run.
    pub run: RunId,
    /// The format of this header and its entries.
    pub format: u32,
    /// The version of pml that wrote it.
    pub pml: String,
    /// sha256 of the guest.
    pub guest: String,
    /// The script's name.
    pub script: String,
    /// The program as one JSON text: the JavaScript of all modules as executed, and the source text
    /// of each.
    pub program: String,
    /// The inputs: one JSON text.
    pub inputs: String,
    /// The seed of the program's random numbers.
    pub seed: [u8; 32],
    /// The time of creation.
    pub created: Timestamp,
    /// The first clock reading that the program gets. If the run resumes an earlier one, this is
    /// the first reading of that run.
    pub started: Timestamp,
    /// The limits of the run.
    pub limits: Limits,
    /// The run whose settled calls this one reuses.
    pub resumed_from: Option<RunId>,
    /// The calls of that run that this one may reuse: one JSON text.
    pub checkpoint: Option<String>,
    /// sha256 of the lockfile that it ran under.
    pub lock: Option<String>,
    /// The trace that it belongs to: 32 hex digits.
    pub trace: String,
    /// The tenant on whose behalf it runs.
    pub tenant: Tenant,
}

/// The resources that a run has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meter {
    /// Time during which JavaScript ran.
    pub cpu: Duration,
    /// Time that counts against the timeout. Time spent waiting for people does not.
    pub wall: Duration,
    /// Console lines written.
    pub lines: u64,
    /// Calls made, including timers.
    pub calls: u64,
}

/// The host's verdict on a call, at the time of its request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallVerdict {
    /// It may be sent.
    Go,
    /// A person must decide.
    Ask {
        /// The kind of the ask.
        kind: AskKind,
        /// The reason for asking.
        reason: String,
    },
    /// It is refused; the program gets this error.
    Refuse {
        /// A stable code.
        code: String,
        /// A message for people.
        message: String,
    },
    /// The tool must be found first, because its server has not started yet. Later entries show the
    /// decision.
    Find,
    /// The call is a timer.
    Sleep {
        /// The time at which it ends.
        due: Timestamp,
    },
    /// The run that this one was resumed from already has the outcome.
    Recall {
        /// The number of the call in the checkpoint.
        number: u64,
    },
}

/// One event of a run, with its time and the usage so far.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct JournalEntry {
    /// The time, by the run's clock.
    pub at: Timestamp,
    /// The resources that the run had used.
    pub meter: Meter,
    /// The event.
    pub event: JournalEvent,
}

impl JournalEntry {
    /// Returns an entry.
    pub fn new(at: Timestamp, meter: Meter, what: JournalEvent) -> JournalEntry {
        JournalEntry { at, meter, event: what }
    }
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum JournalEvent {
    /// The program requested a call.
    Requested {
        /// The call.
        call: CallId,
        /// The tool as the program wrote it.
        tool: String,
        /// One JSON text; `Err` holds the size of arguments that were too large to store.
        arguments: Result<String, usize>,
        /// The host's verdict on the call.
        verdict: CallVerdict,
    },
    /// A person is asked. The journal stores the question only once: the stored entry names it, and
    /// is read back with the question that people are shown.
    Asked {
        /// The question.
        question: Question,
    },
    /// A question was withdrawn: the program cancelled the calls that it asks about.
    Withdrawn {
        /// The question.
        question: QuestionId,
    },
    /// A call is about to be sent. If no later entry follows, its outcome is unknown.
    Executing {
        /// The call.
        call: CallId,
        /// The tool as resolved.
        tool: ToolName,
        /// Its definition and its server, if they are known.
        origin: Option<ToolOrigin>,
        /// The effects of the call, as declared by its tool at that time. This is history only: the
        /// tool is found again before the call is repeated, and its effects at that time decide.
        effects: Effects,
        /// The digest of the ask that was approved ([`Ask::digest`](crate::Ask::digest)). `None` if
        /// nobody was asked.
        approved: Option<String>,
        /// The time at which the package of its server was installed for this call. The server was
        /// started after it. `None` if nothing was installed.
        installed_at: Option<Timestamp>,
    },
    /// A call has its outcome, which the program gets next. The entry's time is the clock reading
    /// that the program gets with it.
    Settled {
        /// The call.
        call: CallId,
        /// The outcome, exactly as the program gets it.
        settled: CallResult,
    },
    /// The program cancelled a call.
    Cancelled {
        /// The call.
        call: CallId,
        /// True if the call had been sent.
        sent: bool,
    },
    /// The program ended without waiting for a call.
    Abandoned {
        /// The call.
        call: CallId,
        /// True if the call had been sent.
        sent: bool,
    },
    /// The run was rebuilt from its journal, by this version of pml.
    Resumed {
        /// The version of pml.
        pml: String,
    },
    /// The run has ended.
    Ended {
        /// The ending: one JSON text.
        ending: String,
    },
}

impl JournalEvent {
    /// Returns the call that the event is about, if it is about one.
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

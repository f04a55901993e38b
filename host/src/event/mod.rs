//! What happens, told as it happens. Events flow one way, from a run to whoever listens; nothing
//! comes back.

pub use crate::model::{ConsoleLevel, ConsoleLine, Progress};

use crate::model::{
    CallError, CallId, Question, QuestionId, RecordedDecision, RunId, Timestamp, ToolName,
};
use serde::Serialize;

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The program starts.
    Started {
        /// Which run.
        run: RunId,
        /// When.
        at: Timestamp,
    },
    /// The program wrote a line.
    Console {
        /// Which run.
        run: RunId,
        /// What it wrote.
        line: ConsoleLine,
    },
    /// A call went out.
    CallStarted {
        /// Which run.
        run: RunId,
        /// Which call.
        call: CallId,
        /// Where to.
        tool: ToolName,
    },
    /// What a call lacks is being brought about.
    Progress {
        /// Which run.
        run: RunId,
        /// Which call.
        call: CallId,
        /// How far it is.
        progress: Progress,
    },
    /// A call came back.
    CallSettled {
        /// Which run.
        run: RunId,
        /// Which call.
        call: CallId,
        /// Why it failed, if it did.
        error: Option<CallError>,
    },
    /// A call was given up: the program cancelled it, or ended without waiting for it.
    CallDropped {
        /// Which run.
        run: RunId,
        /// Which call.
        call: CallId,
    },
    /// The run waits for a person.
    Asked {
        /// Which run.
        run: RunId,
        /// What it asks.
        question: Question,
    },
    /// A person, or a rule of the embedder's, decided.
    Decided {
        /// Which run.
        run: RunId,
        /// What was decided, by whom.
        decided: RecordedDecision,
    },
    /// What a person allowed for good was written down, or could not be.
    Kept {
        /// Which run.
        run: RunId,
        /// What they allowed.
        tool: ToolName,
        /// Why it could not be written: it holds for this run only.
        error: Option<String>,
    },
    /// Nobody answered in time.
    Expired {
        /// Which run.
        run: RunId,
        /// Which question.
        question: QuestionId,
    },
    /// The run was put away while it waits; it holds no memory.
    Evicted {
        /// Which run.
        run: RunId,
    },
    /// The run was rebuilt from its journal and goes on.
    Resumed {
        /// Which run.
        run: RunId,
        /// When.
        at: Timestamp,
    },
    /// The run is over.
    Ended {
        /// Which run.
        run: RunId,
        /// When.
        at: Timestamp,
    },
}

/// Listens to a run. It is called in the middle of the work: it must be quick and must not block.
pub trait EventSink: Send + Sync {
    /// Takes one event.
    fn event(&self, event: &Event);
}

/// Listens to nothing.
impl EventSink for () {
    fn event(&self, _: &Event) {}
}

impl<F: Fn(&Event) + Send + Sync> EventSink for F {
    fn event(&self, event: &Event) {
        self(event);
    }
}

//! The events of a run.

use crate::model::{
    CallError, CallId, CallProgress, ConsoleLine, Constraint, Progress, Question, QuestionId,
    RecordedDecision, RunId, Timestamp, ToolName,
};
use serde::Serialize;

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The program starts.
    Started {
        /// The run.
        run: RunId,
        /// When it started.
        at: Timestamp,
    },
    /// The program wrote a line.
    Console {
        /// The run.
        run: RunId,
        /// The line.
        line: ConsoleLine,
    },
    /// A call was sent.
    CallStarted {
        /// The run.
        run: RunId,
        /// The call.
        call: CallId,
        /// The tool that is called.
        tool: ToolName,
    },
    /// A need of a call is being fulfilled.
    Progress {
        /// The run.
        run: RunId,
        /// The call.
        call: CallId,
        /// The progress so far.
        progress: Progress,
    },
    /// The tool of a call that was sent reports how far it is. It may come often, and a late report
    /// even after the call has its result.
    CallProgress {
        /// The run.
        run: RunId,
        /// The call.
        call: CallId,
        /// The progress so far.
        progress: CallProgress,
    },
    /// A call has its result.
    CallSettled {
        /// The run.
        run: RunId,
        /// The call.
        call: CallId,
        /// The error, if the call failed.
        error: Option<CallError>,
    },
    /// A call was abandoned: the program cancelled it, or ended without waiting for it.
    CallDropped {
        /// The run.
        run: RunId,
        /// The call.
        call: CallId,
    },
    /// The run waits for a person.
    Asked {
        /// The run.
        run: RunId,
        /// The question.
        question: Question,
    },
    /// A person, or a rule of the embedder's, decided.
    Decided {
        /// The run.
        run: RunId,
        /// The decision, and who made it.
        decided: RecordedDecision,
    },
    /// A grant was written, or writing it failed.
    #[serde(rename = "kept")]
    GrantWritten {
        /// The run.
        run: RunId,
        /// The tool that the grant allows.
        tool: ToolName,
        /// The conditions on its arguments; none if it is allowed with any.
        constraints: Vec<Constraint>,
        /// The reason why it could not be written. The grant then holds for this run only.
        error: Option<String>,
    },
    /// A question expired without an answer.
    Expired {
        /// The run.
        run: RunId,
        /// The question.
        question: QuestionId,
    },
    /// The run was removed from memory while it waits.
    Evicted {
        /// The run.
        run: RunId,
    },
    /// The run was rebuilt from its journal and continues.
    Resumed {
        /// The run.
        run: RunId,
        /// When it was resumed.
        at: Timestamp,
    },
    /// The run is over.
    Ended {
        /// The run.
        run: RunId,
        /// When it ended.
        at: Timestamp,
    },
}

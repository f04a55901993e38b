//! What goes into the guest and what comes out, as plain values.

use crate::model::{CallId, ConsoleLine};
use serde::{Deserialize, Serialize};

/// A JavaScript module of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestModule {
    /// Name shown in stack traces.
    pub name: String,
    /// The JavaScript.
    pub code: String,
    /// Number of its first line: 0 where a line was put above the program's own, else 1.
    pub first_line: u32,
    /// What each import specifier stands for: `(specifier, module name)`.
    pub imports: Vec<(String, String)>,
}

/// Something the program put in the queue during a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Intent {
    /// A call.
    Request {
        /// Which.
        id: CallId,
        /// The tool as the program wrote it.
        tool: String,
        /// One JSON text; `Err` holds the size of one that was too large to keep.
        arguments: Result<String, usize>,
    },
    /// Nobody waits for this call any more.
    Cancel(CallId),
}

/// What kind of failure ended a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultKind {
    /// It threw.
    Threw,
    /// It does not parse or link.
    Syntax,
    /// It recursed too deep.
    Stack,
    /// Its result is not JSON.
    NotJson,
    /// Its result is too large.
    ResultSize,
    /// It waits for nothing.
    Stalled,
}

/// A failure as the guest reports it, before it is placed in the user's source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What kind.
    pub kind: FaultKind,
    /// Name of the error, such as `TypeError`; may be empty.
    pub name: String,
    /// Its message.
    pub message: String,
    /// Its stack trace, as QuickJS writes it; may be empty.
    pub stack: String,
    /// Its `code`, where it has one.
    pub code: Option<String>,
    /// What it says caused it, and the errors it gathers.
    pub causes: Vec<String>,
}

/// Where a program stands after a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProgramState {
    /// It waits for calls.
    Waiting,
    /// It has a result: one JSON text, or nothing for `undefined`.
    Finished(Option<String>),
    /// It failed.
    Failed(Fault),
}

/// All that one step of a program gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Step {
    /// Where it stands.
    pub state: ProgramState,
    /// What it asked for, in order.
    pub intents: Vec<Intent>,
    /// What it wrote, in order.
    pub console: Vec<ConsoleLine>,
    /// Rejections that nobody had handled when it ended.
    pub unhandled: Vec<Fault>,
    /// Console lines dropped so far.
    pub dropped_lines: u32,
}

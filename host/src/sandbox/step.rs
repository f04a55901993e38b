//! The guest's input and output, as plain values.

use crate::model::{CallId, ConsoleLine};
use serde::{Deserialize, Serialize};

/// A JavaScript module of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestModule {
    /// The name shown in stack traces.
    pub name: String,
    /// The JavaScript code.
    pub code: String,
    /// The number of its first line: 0 if a line was inserted above the program's own, else 1.
    pub first_line: u32,
    /// The module that each import specifier stands for: `(specifier, module name)`.
    pub imports: Vec<(String, String)>,
    /// Dynamic imports that fail, with the message of the error: `(specifier, message)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_imports: Vec<(String, String)>,
}

/// A request that the program enqueued during a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Intent {
    /// A call of a tool.
    Request {
        /// The call.
        id: CallId,
        /// The tool as the program wrote it.
        tool: String,
        /// One JSON text; `Err` holds the size of arguments that were too large to store.
        arguments: Result<String, usize>,
    },
    /// The program no longer waits for this call.
    Cancel(CallId),
}

/// The kind of failure that ended a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GuestFailureKind {
    /// It threw.
    Threw,
    /// A promise was rejected, and nobody handled it.
    UnhandledRejection,
    /// It does not parse or link.
    Syntax,
    /// It recursed too deep.
    Stack,
    /// Its result is not JSON.
    NotJson,
    /// Its result is too large.
    ResultSize,
    /// It waits, but for no call.
    Stalled,
}

/// A failure as the guest reports it, before it is mapped to the user's source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestFailure {
    /// The kind of failure.
    pub kind: GuestFailureKind,
    /// Name of the error, such as `TypeError`; may be empty.
    pub name: String,
    /// Its message.
    pub message: String,
    /// Its stack trace, as QuickJS writes it; may be empty.
    pub stack: String,
    /// Its `code`, if it has one.
    pub code: Option<String>,
    /// Its causes, and the errors that it aggregates.
    pub causes: Vec<String>,
    /// Advice about a failure that the guest itself found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The state of a program after a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProgramState {
    /// It waits for calls.
    Waiting,
    /// It has a result: one JSON text, or `None` for `undefined`.
    Finished(Option<String>),
    /// It failed.
    Failed(GuestFailure),
}

/// The output of one step of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Step {
    /// The state of the program.
    pub state: ProgramState,
    /// Its requests, in order.
    pub intents: Vec<Intent>,
    /// Its console lines, in order.
    pub console: Vec<ConsoleLine>,
    /// Rejections that were not handled when the program ended.
    pub unhandled: Vec<GuestFailure>,
    /// How many console lines were dropped so far.
    pub dropped_lines: u32,
}

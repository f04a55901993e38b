//! A call, and its reply.

use super::{CallId, CallProgress, CallProgressSink, Code, RunBudget, RunId, ToolName};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One use of a tool by a program. Policy, journal and tool all see this one value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// The run that makes the call.
    pub run: RunId,
    /// The id of the call within its run.
    pub id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// Its arguments: a JSON object, parsed once from the program's text.
    pub arguments: Value,
    /// The budget that reading the answer is charged to; `None` for a call that no run makes.
    budget: Option<RunBudget>,
    /// Receives the progress of the call, if somebody wants to know it.
    progress: Option<CallProgressSink>,
}

impl Call {
    /// Returns a call.
    pub fn new(run: RunId, id: CallId, tool: ToolName, arguments: Value) -> Call {
        Call { run, id, tool, arguments, budget: None, progress: None }
    }

    /// Sets the budget that reading the answer is charged to.
    pub(crate) fn with_budget(mut self, budget: RunBudget) -> Call {
        self.budget = Some(budget);
        self
    }

    /// Sets the receiver of the call's progress.
    pub(crate) fn with_progress(mut self, progress: CallProgressSink) -> Call {
        self.progress = Some(progress);
        self
    }

    /// Returns the receiver of the call's progress.
    pub(crate) fn progress_sink(&self) -> Option<CallProgressSink> {
        self.progress.clone()
    }

    /// Reports how far the call is. The clients of its run hear of it, its program does not.
    pub fn report_progress(&self, progress: CallProgress) {
        if let Some(sink) = &self.progress {
            sink.report(progress);
        }
    }

    /// Returns the budget that reading the answer is charged to.
    pub(crate) fn budget(&self) -> RunBudget {
        self.budget.clone().unwrap_or_else(RunBudget::without_run)
    }
}

/// The result of a call: the tool's answer, or the error that the program will catch.
pub type Reply = Result<Value, CallError>;

/// A tool's answer, in the form in which it arrived.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum JsonReply {
    /// A value.
    Value(Value),
    /// One valid JSON text. It is passed on unchanged: no value is ever built from it.
    Text(String),
}

/// The error of a failed call, as the program sees it: an `Error` with `code`, `message` and
/// `data`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallError {
    /// One of the codes of [`Code`], or one of the tool's own.
    pub code: String,
    /// The message, for people.
    pub message: String,
    /// Further data from the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl CallError {
    /// Returns an error with a code from the registry.
    pub fn new(code: Code, message: impl Into<String>) -> CallError {
        CallError { code: code.as_str().into(), message: message.into(), data: None }
    }

    /// Adds a hint, on a line of its own: a program gets one text.
    pub(crate) fn with_hint(mut self, hint: impl std::fmt::Display) -> CallError {
        self.message = format!("{}\nhint: {hint}", self.message);
        self
    }

    /// Returns the error for a tool that reports its own failure.
    pub fn tool(message: impl Into<String>) -> CallError {
        CallError::new(Code::ToolFailed, message)
    }

    /// Returns its code for a log. A code of the tool's own may be any text, and is replaced.
    pub(crate) fn known_code(&self) -> &'static str {
        let known = Code::ALL.iter().find(|code| code.as_str() == self.code);
        known.map_or("of the tool's own", |code| code.as_str())
    }

    /// Adds further data from the tool.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> CallError {
        self.data = Some(data);
        self
    }
}

//! A call on its way down, and what comes back up.

use super::{CallId, Code, RunBudget, RunId, ToolName};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a program asks for. Policy, journal and tool all see this one value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// The run that asks.
    pub run: RunId,
    /// Which of its calls this is.
    pub id: CallId,
    /// The tool.
    pub tool: ToolName,
    /// Its arguments: a JSON object, parsed once from what the program wrote.
    pub arguments: Value,
    /// Who pays for reading its answer; nothing for a call that no run makes.
    budget: Option<RunBudget>,
}

impl Call {
    /// Returns a call.
    pub fn new(run: RunId, id: CallId, tool: ToolName, arguments: Value) -> Call {
        Call { run, id, tool, arguments, budget: None }
    }

    /// Says who pays for reading its answer.
    pub(crate) fn paid_by(mut self, budget: RunBudget) -> Call {
        self.budget = Some(budget);
        self
    }

    /// Returns who pays for reading its answer.
    #[cfg(feature = "servers")]
    pub(crate) fn budget(&self) -> RunBudget {
        self.budget.clone().unwrap_or_else(RunBudget::of_nobody)
    }
}

/// What became of a call: the tool's answer, or the error that the program will catch.
pub type Reply = Result<Value, CallError>;

/// A tool's answer, as it came.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum JsonReply {
    /// A value.
    Value(Value),
    /// One valid JSON text. It is handed on as it is: no value is ever built of it.
    Text(String),
}

/// Why a call failed, as the program sees it: an `Error` with `code`, `message` and `data`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallError {
    /// One of the codes of [`Code`], or a tool's own.
    pub code: String,
    /// For people.
    pub message: String,
    /// Whatever else the tool said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl CallError {
    /// Returns an error with a code from the registry.
    pub fn new(code: Code, message: impl Into<String>) -> CallError {
        CallError { code: code.as_str().into(), message: message.into(), data: None }
    }

    /// Returns the failure that a tool reports of itself.
    pub fn tool(message: impl Into<String>) -> CallError {
        CallError::new(Code::ToolFailed, message)
    }

    /// Returns its code as a log may have it: what a tool calls its own errors may be anything.
    pub(crate) fn known_code(&self) -> &'static str {
        let known = Code::ALL.iter().find(|code| code.as_str() == self.code);
        known.map_or("of the tool's own", |code| code.as_str())
    }

    /// Adds what else the tool said.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> CallError {
        self.data = Some(data);
        self
    }
}

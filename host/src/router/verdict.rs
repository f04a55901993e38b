//! The router's verdict on a call, and its input.

use crate::model::{CallError, Grant, ToolName, ToolOrigin};
use serde_json::Value;

/// The router's verdict on a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PolicyVerdict {
    /// The call is sent.
    Go,
    /// The call is sent, because the user allowed the tool for this run. What it needs first is
    /// asked about.
    GoOverAsk,
    /// A person decides.
    Ask(AskReason),
    /// The call is refused.
    Deny(CallError),
}

/// The reason why a person decides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AskReason {
    /// The reason as text.
    pub(crate) reason: String,
    /// The grant that no longer applies, because the tool or the meaning of its conditions has
    /// changed.
    pub(crate) lapsed: Option<Box<Grant>>,
}

impl AskReason {
    pub(crate) fn new(reason: impl Into<String>) -> AskReason {
        AskReason { reason: reason.into(), lapsed: None }
    }
}

/// A call as the policy sees it.
#[derive(Clone, Copy)]
pub(crate) struct PolicySubject<'a> {
    pub(crate) tool: &'a ToolName,
    pub(crate) origin: Option<&'a ToolOrigin>,
    pub(crate) arguments: ArgumentsRef<'a>,
}

/// Arguments of a call. They are parsed only if a grant has conditions on them.
#[derive(Clone, Copy)]
pub(crate) enum ArgumentsRef<'a> {
    /// JSON that was not parsed yet.
    Text(&'a str),
    /// A value.
    Value(&'a Value),
}

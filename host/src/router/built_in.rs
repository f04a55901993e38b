//! The tools that pml itself has.
//!
//! `pml:sleep {ms}` is every timer; the run settles it. `pml:confirm {message}` asks a person whether the program may go on:
//! it always asks, and its approval is its reply.

use super::{AskReason, Policy, PolicyVerdict};
use crate::model::{CallError, Code, Reply, ToolName};
use serde_json::{Value, json};

/// The server name of everything built in. No server can take it.
pub const BUILT_IN: &str = "pml";

/// The tool that timers are made of.
pub(crate) const SLEEP: &str = "sleep";

const CONFIRM: &str = "confirm";

pub(super) fn verdict(tool: &ToolName, policy: &Policy) -> PolicyVerdict {
    if tool.tool() != CONFIRM {
        let message = format!("pml has no built-in tool `{}`", tool.tool());
        return PolicyVerdict::Deny(CallError::new(Code::ToolUnknown, message));
    }
    match policy.denied(tool) {
        Some(denied) => PolicyVerdict::Deny(denied),
        None => {
            PolicyVerdict::Ask(AskReason::new("the program wants your consent before it goes on"))
        }
    }
}

pub(super) fn check(arguments: &Value) -> Result<(), CallError> {
    match arguments.get("message") {
        Some(Value::String(_)) => Ok(()),
        _ => Err(CallError::new(Code::Arguments, "`pml:confirm` takes `{ message }`, a text")),
    }
}

/// A person has said yes: that is all there is to it.
pub(super) fn reply() -> Reply {
    Ok(json!({ "approved": true }))
}

//! The door: whether a call may go, and where it goes.
//!
//! In flows the name of a tool, out flows a verdict; then in flows the [`Call`] and out its reply. A call that is refused is
//! never even parsed.

mod tools;

pub use tools::{Tools, tools_from_fn};

use crate::model::{Call, CallError, Code, Reply, ToolName, ToolPattern};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// The server name of everything built in. No server can take it.
pub(crate) const BUILT_IN: &str = "pml";

/// Policy and destinations of one run.
pub(crate) struct Router {
    allow: Arc<[ToolPattern]>,
    tools: Arc<dyn Tools>,
}

impl Router {
    pub(crate) fn new(allow: Arc<[ToolPattern]>, tools: Arc<dyn Tools>) -> Router {
        Router { allow, tools }
    }

    /// Decides on a tool. What no pattern allows is refused, whether or not it exists.
    pub(crate) fn admit(&self, tool: &ToolName) -> Result<(), CallError> {
        if tool.server() == BUILT_IN {
            let message = format!("pml has no built-in tool `{}`", tool.tool());
            return Err(CallError::new(Code::ToolUnknown, message));
        }
        if !self.allow.iter().any(|pattern| pattern.covers(tool)) {
            let message = format!("tool `{tool}` is not allowed");
            return Err(CallError::new(Code::ToolDenied, message));
        }
        Ok(())
    }

    /// Carries out a call that was admitted. Dropping the future cancels it.
    pub(crate) fn go(&self, call: Call) -> BoxFuture<'_, Reply> {
        self.tools.call(call)
    }
}

//! The door: whether a call may go, and where it goes.
//!
//! In flows a [`Call`], out flows a [`Verdict`]. The router answers; the run acts on it.

mod tools;

pub use tools::{Tools, tools_from_fn};

use crate::model::{Call, CallError, Code, Reply, ToolPattern};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// The server name of everything built in. No server can take it.
pub(crate) const BUILT_IN: &str = "pml";

/// What is to become of a call.
pub(crate) enum Verdict {
    /// It goes: this is its reply to come. Dropping it cancels the call.
    Go(BoxFuture<'static, Reply>),
    /// It does not go, and the program is told why.
    Refuse(CallError),
}

/// Policy and destinations of one run.
pub(crate) struct Router {
    allow: Arc<[ToolPattern]>,
    tools: Arc<dyn Tools>,
}

impl Router {
    pub(crate) fn new(allow: Arc<[ToolPattern]>, tools: Arc<dyn Tools>) -> Router {
        Router { allow, tools }
    }

    /// Decides on a call. What no pattern allows is refused, whether or not it exists.
    pub(crate) fn route(&self, call: Call) -> Verdict {
        let tool = &call.tool;
        if tool.server() == BUILT_IN {
            let message = format!("pml has no built-in tool `{}`", tool.tool());
            return Verdict::Refuse(CallError::new(Code::ToolUnknown, message));
        }
        if !self.allow.iter().any(|pattern| pattern.covers(tool)) {
            let message = format!("tool `{tool}` is not allowed");
            return Verdict::Refuse(CallError::new(Code::ToolDenied, message));
        }
        let tools = self.tools.clone();
        Verdict::Go(Box::pin(async move { tools.call(call).await }))
    }
}

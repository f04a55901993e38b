//! The tools that pml itself provides.
//!
//! `pml:sleep {ms}` implements every timer; the run answers it. `pml:confirm {message}` asks a
//! person whether the program may continue: it always asks, and the approval is its reply.

use super::{Provider, Resolution};
use crate::model::{
    Call, CallError, Code, Difference, Effects, JsonReply, Need, PathBase, ProgressCallback,
    ResolvedTool, ToolName, ToolOrigin,
};
use crate::router::{AskReason, Policy, PolicySubject, PolicyVerdict, RoutedTool};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::future::ready;
use std::sync::Arc;

/// The server name of all built-in tools. No server can use it.
pub const BUILT_IN: &str = "pml";

/// The tool that implements timers.
pub(crate) const SLEEP: &str = "sleep";

const CONFIRM: &str = "confirm";

/// Provides the tools of [`BUILT_IN`].
pub(in crate::router) struct BuiltInProvider;

impl BuiltInProvider {
    fn resolved(tool: &ToolName) -> ResolvedTool {
        ResolvedTool::new(tool.clone(), Effects::ReadOnly)
    }
}

impl Provider for BuiltInProvider {
    fn look_up(&self, tool: &ToolName) -> Resolution<ResolvedTool> {
        Resolution::Resolved(BuiltInProvider::resolved(tool))
    }

    fn find<'a>(&'a self, tool: &'a ToolName) -> BoxFuture<'a, Result<ResolvedTool, CallError>> {
        Box::pin(ready(Ok(BuiltInProvider::resolved(tool))))
    }

    fn fulfill_need<'a>(
        &'a self,
        tool: &'a ToolName,
        _: &'a Need,
        _: ProgressCallback,
    ) -> BoxFuture<'a, Result<RoutedTool, CallError>> {
        let resolved = BuiltInProvider::resolved(tool);
        Box::pin(ready(Ok(RoutedTool { resolved, provider: Arc::new(BuiltInProvider) })))
    }

    fn verdict(&self, subject: PolicySubject<'_>, policy: &Policy) -> PolicyVerdict {
        let tool = subject.tool;
        if tool.tool() != CONFIRM {
            let message = format!("pml has no built-in tool `{}`", tool.tool());
            let error = CallError::new(Code::ToolUnknown, message);
            let hint = "the built-in tools are `pml:sleep` and `pml:confirm`";
            return PolicyVerdict::Deny(error.with_hint(hint));
        }
        match policy.denied(tool) {
            Some(denied) => PolicyVerdict::Deny(denied),
            None => PolicyVerdict::Ask(AskReason::new("the program asks you before it goes on")),
        }
    }

    fn effects(&self, _: &ToolName) -> Effects {
        Effects::ReadOnly
    }

    fn differences(&self, _: &ToolName, _: &ToolOrigin, _: &ToolOrigin) -> Vec<Difference> {
        Vec::new()
    }

    fn path_base(&self, _: &ToolName) -> PathBase {
        PathBase::Unknown
    }

    fn check(&self, _: &ToolName, arguments: &Value) -> Result<(), CallError> {
        match arguments.get("message") {
            Some(Value::String(_)) => Ok(()),
            _ => {
                Err(CallError::new(Code::Arguments, "`pml:confirm` takes `{ message }`, a string"))
            }
        }
    }

    fn call(&self, _: Call) -> BoxFuture<'_, Result<JsonReply, CallError>> {
        // The call was sent because a person approved it, and the approval is the reply.
        Box::pin(ready(Ok(JsonReply::Value(json!({ "approved": true })))))
    }
}

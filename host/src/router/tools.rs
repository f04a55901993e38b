//! The tools that an embedder provides.

use super::{ProviderSet, Resolution};
use crate::model::{
    Call, CallError, Code, Difference, Effects, JsonReply, Need, PathBase, ProgressCallback, Reply,
    ResolvedTool, ToolName, ToolOrigin,
};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;

/// Answers the calls of programs.
///
/// Calls of one run arrive in parallel. Dropping the future cancels the call: the program gave it
/// up, or the run ended. The run itself polls the future, so work that blocks a thread belongs in a
/// task of its own.
///
/// ```
/// use pml::{Call, CallError, Reply, Tools, BoxFuture, json::json};
///
/// struct Echo;
///
/// impl Tools for Echo {
///     fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
///         Box::pin(async move {
///             match call.tool.as_str() {
///                 "demo:echo" => Ok(call.arguments),
///                 other => Err(CallError::unknown(other)),
///             }
///         })
///     }
/// }
/// ```
pub trait Tools: Send + Sync + 'static {
    /// Carries out one call.
    fn call(&self, call: Call) -> BoxFuture<'_, Reply>;

    /// Carries out one call, for a run. Implement it if replies are JSON text: parsing a large one
    /// would take many times its length in memory, and a run needs only the text.
    fn call_json(&self, call: Call) -> BoxFuture<'_, Result<JsonReply, CallError>> {
        let reply = self.call(call);
        Box::pin(async move { reply.await.map(JsonReply::Value) })
    }

    /// Returns what a call of this tool may do to the world. This decides whether a call that was
    /// in flight when its process died is repeated without asking. A tool with unknown effects is
    /// never repeated.
    fn effects(&self, tool: &ToolName) -> Effects {
        let _ = tool;
        Effects::Unknown
    }

    /// Returns the tool that a name means, or [`Resolution::Pending`] if that has to be found out
    /// first. The policy decides on the tool that was found, not on the program's spelling.
    fn look_up(&self, tool: &ToolName) -> Resolution<ResolvedTool> {
        Resolution::Resolved(ResolvedTool::new(tool.clone(), self.effects(tool)))
    }

    /// Finds out which tool a name means. This may take long: a server may have to be started.
    fn find(&self, tool: &ToolName) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        Box::pin(std::future::ready(match self.look_up(tool) {
            Resolution::Resolved(found) => Ok(found),
            Resolution::Refused(error) => Err(error),
            Resolution::Pending => Err(CallError::unknown(tool.as_str())),
        }))
    }

    /// Does what a tool needs, after a person or the policy has agreed to it, and finds the tool
    /// again. Dropping the future cancels it and leaves nothing half done. If the tool then needs
    /// something else, a person is asked about that next.
    fn fulfill_need(
        &self,
        tool: &ToolName,
        need: &Need,
        progress: ProgressCallback,
    ) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        let _ = (need, progress);
        self.find(tool)
    }

    /// Returns the known differences between two versions of a tool.
    fn differences(
        &self,
        tool: &ToolName,
        before: &ToolOrigin,
        now: &ToolOrigin,
    ) -> Vec<Difference> {
        let _ = (tool, before, now);
        Vec::new()
    }

    /// Returns the folder that paths in the arguments of a tool begin at. Conditions on paths are
    /// met only by paths whose target is known.
    fn path_base(&self, tool: &ToolName) -> PathBase {
        let _ = tool;
        PathBase::Unknown
    }

    /// Checks arguments before the call is sent or a person is asked about it.
    ///
    /// # Errors
    /// If the tool would not accept them.
    fn check(&self, tool: &ToolName, arguments: &Value) -> Result<(), CallError> {
        let _ = (tool, arguments);
        Ok(())
    }

    /// Returns the sha256 of the lock that the tools are held against, for the journal of a run.
    /// Nothing is decided by it.
    #[doc(hidden)]
    fn lock_digest(&self) -> Option<String> {
        None
    }

    /// Returns the providers that these tools consist of, if they are the crate's own. Each call is
    /// then sent to one of them.
    #[doc(hidden)]
    fn providers(&self) -> Option<ProviderSet> {
        None
    }
}

impl<T: Tools + ?Sized> Tools for Arc<T> {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        (**self).call(call)
    }

    fn call_json(&self, call: Call) -> BoxFuture<'_, Result<JsonReply, CallError>> {
        (**self).call_json(call)
    }

    fn effects(&self, tool: &ToolName) -> Effects {
        (**self).effects(tool)
    }

    fn look_up(&self, tool: &ToolName) -> Resolution<ResolvedTool> {
        (**self).look_up(tool)
    }

    fn find(&self, tool: &ToolName) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        (**self).find(tool)
    }

    fn fulfill_need(
        &self,
        tool: &ToolName,
        need: &Need,
        progress: ProgressCallback,
    ) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        (**self).fulfill_need(tool, need, progress)
    }

    fn differences(
        &self,
        tool: &ToolName,
        before: &ToolOrigin,
        now: &ToolOrigin,
    ) -> Vec<Difference> {
        (**self).differences(tool, before, now)
    }

    fn path_base(&self, tool: &ToolName) -> PathBase {
        (**self).path_base(tool)
    }

    fn check(&self, tool: &ToolName, arguments: &Value) -> Result<(), CallError> {
        (**self).check(tool, arguments)
    }

    fn lock_digest(&self) -> Option<String> {
        (**self).lock_digest()
    }

    fn providers(&self) -> Option<ProviderSet> {
        (**self).providers()
    }
}

impl CallError {
    /// Returns the error for a call of a tool that does not exist.
    pub fn unknown(tool: &str) -> CallError {
        CallError::new(Code::ToolUnknown, format!("there is no tool `{tool}`"))
    }
}

/// No tools at all.
impl Tools for () {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        Box::pin(async move { Err(CallError::unknown(call.tool.as_str())) })
    }
}

/// Makes tools from a function.
///
/// ```
/// let tools = pml::tools_from_fn(|call| async move { Ok(call.arguments) });
/// ```
pub fn tools_from_fn<F, R>(function: F) -> impl Tools
where
    F: Fn(Call) -> R + Send + Sync + 'static,
    R: Future<Output = Reply> + Send + 'static,
{
    struct Function<F>(F);

    impl<F, R> Tools for Function<F>
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: Future<Output = Reply> + Send + 'static,
    {
        fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
            Box::pin((self.0)(call))
        }
    }

    Function(function)
}

//! The interface between the router and the providers that carry out calls.

use crate::model::{
    Call, CallError, Difference, Effects, JsonReply, Need, PathBase, ProgressCallback,
    ResolvedTool, ToolName, ToolOrigin,
};
use crate::router::paths::ToolPaths;
use crate::router::{Policy, PolicySubject, PolicyVerdict, RoutedTool};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// The tool that a name means, as far as it is known without waiting.
#[derive(Clone, Debug)]
pub enum Resolution<T> {
    /// The name means this tool.
    Resolved(T),
    /// The name means no tool, or one that cannot be called.
    Refused(CallError),
    /// Not known yet: [`Tools::find`](crate::Tools::find) finds out.
    Pending,
}

impl<T> From<Result<T, CallError>> for Resolution<T> {
    fn from(found: Result<T, CallError>) -> Resolution<T> {
        found.map_or_else(Resolution::Refused, Resolution::Resolved)
    }
}

/// Carries out the calls of some tools.
///
/// It is asked only about tools for which [`Providers::provider`] returned it.
pub(crate) trait Provider: Send + Sync {
    /// Returns the tool that a name means, if that is known without waiting.
    fn look_up(&self, tool: &ToolName) -> Resolution<ResolvedTool>;

    /// Finds out which tool a name means. This may take long.
    fn find<'a>(&'a self, tool: &'a ToolName) -> BoxFuture<'a, Result<ResolvedTool, CallError>>;

    /// Does what a tool needs before it can be called, then routes and finds the tool again.
    fn fulfill_need<'a>(
        &'a self,
        tool: &'a ToolName,
        need: &'a Need,
        progress: ProgressCallback,
    ) -> BoxFuture<'a, Result<RoutedTool, CallError>>;

    /// Returns the verdict on a call. The policy decides, except about built-in tools.
    fn verdict(&self, subject: PolicySubject<'_>, policy: &Policy) -> PolicyVerdict {
        policy.verdict(subject, &ToolPaths { provider: self, tool: subject.tool })
    }

    /// Returns what a call of a tool may do to the world.
    fn effects(&self, tool: &ToolName) -> Effects;

    /// Returns the known differences between two versions of a tool.
    fn differences(
        &self,
        tool: &ToolName,
        before: &ToolOrigin,
        now: &ToolOrigin,
    ) -> Vec<Difference>;

    /// Returns the folder that paths in the arguments of a tool begin at.
    fn path_base(&self, tool: &ToolName) -> PathBase;

    /// Checks arguments before the call is sent or a person is asked about it.
    fn check(&self, tool: &ToolName, arguments: &Value) -> Result<(), CallError>;

    /// Records that a tool is used as it is now. `None` if there is nothing to record.
    fn record_use<'a>(
        &'a self,
        tool: &'a ResolvedTool,
    ) -> Option<BoxFuture<'a, Result<(), CallError>>> {
        let _ = tool;
        None
    }

    /// Carries out a call. Dropping the future cancels it.
    fn call(&self, call: Call) -> BoxFuture<'_, Result<JsonReply, CallError>>;
}

/// Assigns each tool to the provider of its calls.
pub(crate) trait Providers: Send + Sync {
    /// Returns the provider of a tool. For a name that means no tool, it is a provider that returns
    /// the error.
    fn provider(&self, tool: &ToolName) -> Arc<dyn Provider>;
}

/// The providers that a [`Tools`](crate::Tools) of this crate consists of. An embedder's own
/// `Tools` has none.
pub struct ProviderSet(pub(crate) Arc<dyn Providers>);

impl fmt::Debug for ProviderSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSet").finish_non_exhaustive()
    }
}

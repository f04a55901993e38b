//! What the router asks of whoever carries out calls.

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

/// Which tool a name means, as far as it can be said at once.
#[derive(Debug)]
pub(crate) enum Resolution<T> {
    /// It means this tool.
    Resolved(T),
    /// It means none, or none that can be called.
    Refused(CallError),
    /// It has to be found out: [`Provider::find`] does.
    Pending,
}

impl<T> From<Result<T, CallError>> for Resolution<T> {
    fn from(found: Result<T, CallError>) -> Resolution<T> {
        found.map_or_else(Resolution::Refused, Resolution::Resolved)
    }
}

/// Carries out the calls of some tools.
///
/// It is asked only about tools that [`Providers::provider`] returned it for.
pub(crate) trait Provider: Send + Sync {
    /// Returns which tool a name means, if that is known without waiting.
    fn look_up(&self, tool: &ToolName) -> Resolution<ResolvedTool>;

    /// Finds out which tool a name means, as long as it takes.
    fn find<'a>(&'a self, tool: &'a ToolName) -> BoxFuture<'a, Result<ResolvedTool, CallError>>;

    /// Does what a tool needs before it can be called, and routes and finds the tool again.
    fn fulfill_need<'a>(
        &'a self,
        tool: &'a ToolName,
        need: &'a Need,
        progress: ProgressCallback,
    ) -> BoxFuture<'a, Result<RoutedTool, CallError>>;

    /// Returns whether a call may go. The policy decides, except about built-in tools.
    fn verdict(&self, subject: PolicySubject<'_>, policy: &Policy) -> PolicyVerdict {
        policy.verdict(subject, &ToolPaths { provider: self, tool: subject.tool })
    }

    /// Returns what a call of a tool may do to the world.
    fn effects(&self, tool: &ToolName) -> Effects;

    /// Returns how a tool differs from what it was at another time, as far as that is known.
    fn differences(
        &self,
        tool: &ToolName,
        before: &ToolOrigin,
        now: &ToolOrigin,
    ) -> Vec<Difference>;

    /// Returns the folder that paths in the arguments of a tool begin at.
    fn path_base(&self, tool: &ToolName) -> PathBase;

    /// Checks arguments before the call goes out, or a person is asked about it.
    fn check(&self, tool: &ToolName, arguments: &Value) -> Result<(), CallError>;

    /// Carries out a call. Dropping the future cancels it.
    fn call(&self, call: Call) -> BoxFuture<'_, Result<JsonReply, CallError>>;
}

/// Knows who carries out the calls of a tool.
pub(crate) trait Providers: Send + Sync {
    /// Returns the provider of a tool. A name that means nothing has one too: it says so.
    fn provider(&self, tool: &ToolName) -> Arc<dyn Provider>;
}

/// The providers that a [`Tools`](crate::Tools) of this crate consists of. An embedder's own has
/// none.
pub struct ProviderSet(pub(crate) Arc<dyn Providers>);

impl fmt::Debug for ProviderSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderSet").finish_non_exhaustive()
    }
}

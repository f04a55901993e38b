//! A tool together with its provider.

use super::paths::ToolPaths;
use super::{Provider, Resolution};
use crate::model::{
    Call, CallError, Constraint, Difference, Effects, Grant, JsonReply, Need, ProgressCallback,
    ResolvedTool, ToolOrigin, offered_with,
};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A tool with the provider of its calls. It dereferences to its [`ResolvedTool`].
#[derive(Clone)]
pub(crate) struct RoutedTool {
    /// The tool, as far as it is known.
    pub(crate) resolved: ResolvedTool,
    pub(super) provider: Arc<dyn Provider>,
}

impl RoutedTool {
    /// Returns the tool with a need that must be fulfilled before it can be called.
    pub(crate) fn with_need(mut self, need: Need) -> RoutedTool {
        self.resolved.need = Some(need);
        self
    }

    /// Returns the tool that its name means, if that is known without waiting.
    pub(crate) fn look_up(&self) -> Resolution<RoutedTool> {
        match self.provider.look_up(&self.tool) {
            Resolution::Resolved(resolved) => Resolution::Resolved(self.as_resolved(resolved)),
            Resolution::Refused(error) => Resolution::Refused(error),
            Resolution::Pending => Resolution::Pending,
        }
    }

    /// Finds out which tool its name means.
    pub(crate) async fn find(&self) -> Result<RoutedTool, CallError> {
        match self.look_up() {
            Resolution::Resolved(found) => Ok(found),
            Resolution::Refused(error) => Err(error),
            Resolution::Pending => Ok(self.as_resolved(self.provider.find(&self.tool).await?)),
        }
    }

    fn as_resolved(&self, resolved: ResolvedTool) -> RoutedTool {
        RoutedTool { resolved, provider: self.provider.clone() }
    }

    /// Does what the tool needs before it can be called, and finds it again.
    pub(crate) async fn fulfill_need(
        &self,
        need: &Need,
        progress: ProgressCallback,
    ) -> Result<RoutedTool, CallError> {
        self.provider.fulfill_need(&self.tool, need, progress).await
    }

    /// Returns what a call of it may do to the world, according to its provider at this moment.
    pub(crate) fn effects_now(&self) -> Effects {
        self.provider.effects(&self.tool)
    }

    /// Returns the known differences between two versions of the tool.
    pub(crate) fn differences(&self, before: &ToolOrigin, now: &ToolOrigin) -> Vec<Difference> {
        self.provider.differences(&self.tool, before, now)
    }

    /// Checks arguments before the call is sent or a person is asked about it.
    pub(crate) fn check(&self, arguments: &Value) -> Result<(), CallError> {
        self.provider.check(&self.tool, arguments)
    }

    /// Reports whether a grant of this tool covers a call with these arguments.
    pub(crate) fn covers(&self, grant: &Grant, arguments: &Value) -> bool {
        grant.covers(arguments, &self.paths())
    }

    /// Returns the sets of conditions under which calls like this may be allowed permanently. `was`
    /// are the conditions of a grant that an older pml wrote, if there is one.
    pub(crate) fn offers(
        &self,
        arguments: &Value,
        replaced: &[Constraint],
    ) -> Vec<Vec<Constraint>> {
        offered_with(arguments, replaced, &self.paths())
    }

    fn paths(&self) -> ToolPaths<'_, dyn Provider> {
        ToolPaths { provider: &*self.provider, tool: &self.resolved.tool }
    }

    /// Records that the tool is used as it is now, right before a call of it is sent.
    pub(crate) async fn record_use(&self) -> Result<(), CallError> {
        match self.provider.record_use(&self.resolved) {
            Some(recording) => recording.await,
            None => Ok(()),
        }
    }

    /// Carries out a call that may be sent. Dropping the future cancels it.
    pub(crate) fn call(&self, call: Call) -> BoxFuture<'_, Result<JsonReply, CallError>> {
        self.provider.call(call)
    }
}

impl Deref for RoutedTool {
    type Target = ResolvedTool;

    fn deref(&self) -> &ResolvedTool {
        &self.resolved
    }
}

impl DerefMut for RoutedTool {
    fn deref_mut(&mut self) -> &mut ResolvedTool {
        &mut self.resolved
    }
}

impl fmt::Debug for RoutedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.resolved.fmt(f)
    }
}

//! The router of a run: its policy, and the providers of its calls.

use super::providers::{BUILT_IN, BuiltInProvider, EmbeddedProvider, Providers};
use super::{ArgumentsRef, Policy, PolicySubject, PolicyVerdict, RoutedTool, Tools};
use crate::model::{CallError, Effects, ResolvedTool, ToolName};
use std::sync::Arc;

/// The policy and the providers of one run.
pub(crate) struct Router {
    policy: Arc<Policy>,
    providers: Arc<dyn Providers>,
}

impl Router {
    /// Returns a router for the tools of an embedder, or for the providers that they consist of.
    pub(crate) fn new(policy: Arc<Policy>, tools: Arc<dyn Tools>) -> Router {
        let providers = match tools.providers() {
            Some(set) => set.0,
            None => Arc::new(EmbeddedProvider(tools)),
        };
        Router { policy, providers }
    }

    /// Returns the refusal of a name that is denied, whichever tool it means.
    pub(crate) fn denied(&self, tool: &ToolName) -> Option<CallError> {
        self.policy.denied(tool)
    }

    /// Returns a tool with its provider, by its name alone: the tool that it means is not known
    /// yet.
    pub(crate) fn route(&self, tool: ToolName) -> RoutedTool {
        self.attach(ResolvedTool::new(tool, Effects::Unknown))
    }

    /// Returns a tool that is already known in part, with its provider.
    pub(crate) fn attach(&self, resolved: ResolvedTool) -> RoutedTool {
        let provider = match resolved.tool.server() == BUILT_IN {
            true => Arc::new(BuiltInProvider),
            false => self.providers.provider(&resolved.tool),
        };
        RoutedTool { resolved, provider }
    }

    /// Finds out which tool a name means. Returns it with its provider.
    pub(crate) async fn find(&self, tool: ToolName) -> Result<RoutedTool, CallError> {
        self.route(tool).find().await
    }

    /// Decides on a tool. A tool that no pattern names is refused, whether or not it exists.
    pub(crate) fn verdict(&self, found: &RoutedTool, arguments: ArgumentsRef<'_>) -> PolicyVerdict {
        let origin = found.origin.as_ref();
        let subject = PolicySubject { tool: &found.tool, origin, arguments };
        found.provider.verdict(subject, &self.policy)
    }
}

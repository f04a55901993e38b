//! The tools of an embedder, as a provider.

use super::{Provider, Providers, Resolution};
use crate::model::{
    Call, CallError, Difference, Effects, JsonReply, Need, PathBase, ProgressCallback,
    ResolvedTool, ToolName, ToolOrigin,
};
use crate::router::{RoutedTool, Tools};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;

/// Provides all tools of an embedder's [`Tools`]. Cheap to clone.
#[derive(Clone)]
pub(in crate::router) struct EmbeddedProvider(pub(in crate::router) Arc<dyn Tools>);

impl Providers for EmbeddedProvider {
    fn provider(&self, _: &ToolName) -> Arc<dyn Provider> {
        Arc::new(self.clone())
    }
}

impl Provider for EmbeddedProvider {
    fn look_up(&self, tool: &ToolName) -> Resolution<ResolvedTool> {
        self.0.look_up(tool)
    }

    fn find<'a>(&'a self, tool: &'a ToolName) -> BoxFuture<'a, Result<ResolvedTool, CallError>> {
        self.0.find(tool)
    }

    fn fulfill_need<'a>(
        &'a self,
        tool: &'a ToolName,
        need: &'a Need,
        progress: ProgressCallback,
    ) -> BoxFuture<'a, Result<RoutedTool, CallError>> {
        Box::pin(async move {
            let resolved = self.0.fulfill_need(tool, need, progress).await?;
            Ok(RoutedTool { resolved, provider: Arc::new(self.clone()) })
        })
    }

    fn effects(&self, tool: &ToolName) -> Effects {
        self.0.effects(tool)
    }

    fn differences(
        &self,
        tool: &ToolName,
        before: &ToolOrigin,
        now: &ToolOrigin,
    ) -> Vec<Difference> {
        self.0.differences(tool, before, now)
    }

    fn path_base(&self, tool: &ToolName) -> PathBase {
        self.0.path_base(tool)
    }

    fn check(&self, tool: &ToolName, arguments: &Value) -> Result<(), CallError> {
        self.0.check(tool, arguments)
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<JsonReply, CallError>> {
        self.0.call_json(call)
    }
}

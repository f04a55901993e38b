//! The cloud, as a provider of the tools of its servers.

use super::servers::tool_and_arguments;
use super::{Provider, Resolution};
use crate::model::{
    Call, CallError, Difference, Effects, JsonReply, Need, PathBase, ProgressCallback,
    ResolvedTool, ToolName, ToolOrigin,
};
use crate::project::servers::Servers;
use crate::router::RoutedTool;
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::future::ready;

/// Provides the tools of one server of the cloud. Their definitions are not known here.
pub(super) struct CloudProvider {
    pub(super) servers: Servers,
    /// The name that the cloud has for the server.
    pub(super) server: String,
}

impl CloudProvider {
    /// Returns a tool under the name that the cloud has for its server.
    fn resolved(&self, tool: &ToolName) -> Result<ResolvedTool, CallError> {
        let name = format!("{}:{}", self.server, tool.tool()).parse();
        let name = name.map_err(|_| CallError::unknown(tool.as_str()))?;
        Ok(ResolvedTool::new(name, Effects::Unknown))
    }
}

impl Provider for CloudProvider {
    fn look_up(&self, tool: &ToolName) -> Resolution<ResolvedTool> {
        self.resolved(tool).into()
    }

    fn find<'a>(&'a self, tool: &'a ToolName) -> BoxFuture<'a, Result<ResolvedTool, CallError>> {
        Box::pin(ready(self.resolved(tool)))
    }

    fn fulfill_need<'a>(
        &'a self,
        tool: &'a ToolName,
        need: &'a Need,
        progress: ProgressCallback,
    ) -> BoxFuture<'a, Result<RoutedTool, CallError>> {
        Box::pin(self.servers.fulfill_and_find(tool, need, progress))
    }

    fn effects(&self, _: &ToolName) -> Effects {
        Effects::Unknown
    }

    fn differences(
        &self,
        tool: &ToolName,
        before: &ToolOrigin,
        now: &ToolOrigin,
    ) -> Vec<Difference> {
        self.servers.differences(None, tool, before, now)
    }

    fn path_base(&self, _: &ToolName) -> PathBase {
        PathBase::Elsewhere
    }

    fn check(&self, _: &ToolName, _: &Value) -> Result<(), CallError> {
        Ok(())
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<JsonReply, CallError>> {
        Box::pin(async move {
            let (budget, progress) = (call.budget(), call.progress_sink());
            let (tool, arguments) = tool_and_arguments(call)?;
            match self.servers.cloud() {
                Some(cloud) => {
                    let reply = cloud.call(&tool, arguments, progress, &budget).await?;
                    Ok(JsonReply::Text(reply))
                }
                None => Err(CallError::unknown(tool.as_str())),
            }
        })
    }
}

//! Names without a provider: no server has them, or only an untrusted one.

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

/// Answers for a tool that no provider has. A server that only untrusted files name needs trust;
/// any other name is an error.
pub(super) struct UnroutedProvider {
    pub(super) servers: Servers,
    pub(super) error: CallError,
}

impl UnroutedProvider {
    fn resolved(&self, tool: &ToolName) -> Result<ResolvedTool, CallError> {
        self.servers.untrusted(tool).ok_or_else(|| self.error.clone())
    }
}

impl Provider for UnroutedProvider {
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
        PathBase::Unknown
    }

    fn check(&self, _: &ToolName, _: &Value) -> Result<(), CallError> {
        Ok(())
    }

    fn call(&self, _: Call) -> BoxFuture<'_, Result<JsonReply, CallError>> {
        Box::pin(ready(Err(self.error.clone())))
    }
}

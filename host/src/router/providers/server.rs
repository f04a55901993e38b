//! An MCP server of a project, as a provider.
//!
//! **Invariant:** arguments are checked against the tool's schema before they are sent to the
//! server.

use super::servers::tool_and_arguments;
use super::{Provider, Resolution};
use crate::config::Launch;
use crate::model::{
    Call, CallError, Difference, Effects, JsonReply, Need, PathBase, ProgressCallback,
    ResolvedTool, ToolName, ToolOrigin, WorkSlice, parse,
};
use crate::project::servers::Servers;
use crate::project::servers::call_error;
use crate::project::servers::needs::lacking;
use crate::router::{RoutedTool, names};
use crate::upstream::ListedTool;
use futures_util::future::BoxFuture;
use serde_json::Value;

/// The longest result whose shape is recorded, in bytes. Larger results have the same shape as
/// smaller ones.
const MAX_OBSERVED_TEXT: usize = 64 << 10;

/// Memory that such a result may take once it is parsed, in bytes.
const MAX_OBSERVED_MEMORY: usize = 8 << 20;

/// Provides the tools of the server with one name.
pub(super) struct ServerProvider {
    pub(super) servers: Servers,
    pub(super) server: String,
}

impl ServerProvider {
    fn resolved(&self, tool: &ListedTool) -> Result<ResolvedTool, CallError> {
        self.servers.records().store_definition(tool);
        let definition = &tool.definition;
        let mut resolved = ResolvedTool::new(definition.tool.clone(), definition.effects());
        resolved.origin = Some(tool.origin.clone());
        if let Some(gate) = self.servers.lock_gate() {
            resolved.change = gate.check_tool(tool).map_err(call_error)?.map(Box::new);
        }
        Ok(resolved)
    }

    /// Records the shape of a result if the server declares no output schema for it.
    fn observe(&self, tool: &ToolName, result: &str, work: &WorkSlice<'_>) {
        let Some(observed) = self.servers.observed() else { return };
        let Some(listing) = self.servers.upstreams().current_tools(&self.server) else { return };
        if let Some(known) = listing.get(tool.tool())
            && known.definition.output.is_none()
            && observed.should_inspect(tool, &known.origin.definition)
            && let Ok(result) = parse(result, MAX_OBSERVED_MEMORY, work)
        {
            observed.record(tool, &known.origin.definition, &result);
        }
    }
}

impl Provider for ServerProvider {
    fn look_up(&self, tool: &ToolName) -> Resolution<ResolvedTool> {
        let Some(listing) = self.servers.upstreams().current_tools(&self.server) else {
            return Resolution::Pending;
        };
        let found = names::find(&listing, &self.server, tool.tool());
        found.and_then(|tool| self.resolved(tool)).into()
    }

    fn find<'a>(&'a self, tool: &'a ToolName) -> BoxFuture<'a, Result<ResolvedTool, CallError>> {
        Box::pin(async move {
            if let Some(need) = self.servers.needs().of(&self.server).await? {
                return lacking(&self.server, tool, need);
            }
            let listing = self.servers.list(&self.server).await?;
            names::find(&listing, &self.server, tool.tool()).and_then(|tool| self.resolved(tool))
        })
    }

    fn fulfill_need<'a>(
        &'a self,
        tool: &'a ToolName,
        need: &'a Need,
        progress: ProgressCallback,
    ) -> BoxFuture<'a, Result<RoutedTool, CallError>> {
        Box::pin(self.servers.fulfill_and_find(tool, need, progress))
    }

    fn effects(&self, tool: &ToolName) -> Effects {
        // Others may write to the cache: effects are believed only from a running server.
        let listing = self.servers.upstreams().current_tools(&self.server);
        let effects = listing.and_then(|listing| {
            let tool = names::find(&listing, &self.server, tool.tool()).ok()?;
            Some(tool.definition.effects())
        });
        effects.unwrap_or_default()
    }

    fn differences(
        &self,
        tool: &ToolName,
        before: &ToolOrigin,
        now: &ToolOrigin,
    ) -> Vec<Difference> {
        self.servers.differences(Some(&self.server), tool, before, now)
    }

    fn path_base(&self, _: &ToolName) -> PathBase {
        match self.servers.upstreams().config(&self.server).map(|config| config.launch) {
            Some(Launch::Stdio { folder, .. }) => PathBase::Folder(folder),
            Some(Launch::Http { .. }) => PathBase::Elsewhere,
            None => PathBase::Unknown,
        }
    }

    fn check(&self, tool: &ToolName, arguments: &Value) -> Result<(), CallError> {
        // The server's last listing is good enough to refuse early: the server checks again itself.
        let upstreams = self.servers.upstreams();
        let listing = upstreams.current_tools(&self.server);
        let listing = listing.or_else(|| upstreams.cached_tools(&self.server));
        match listing.as_ref().and_then(|listing| listing.get(tool.tool())) {
            Some(known) => self.servers.records().check(known, arguments),
            None => Ok(()),
        }
    }

    fn record_use<'a>(
        &'a self,
        tool: &'a ResolvedTool,
    ) -> Option<BoxFuture<'a, Result<(), CallError>>> {
        let listing = self.servers.upstreams().current_tools(&self.server)?;
        let listed = listing.get(tool.tool.tool())?;
        if self.servers.lock_gate()?.is_recorded(listed) {
            return None;
        }
        let (tool, definition) = (tool.tool.clone(), tool.origin.as_ref()?.definition.clone());
        Some(Box::pin(self.servers.record_tool(tool, definition)))
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<JsonReply, CallError>> {
        Box::pin(async move {
            let (budget, progress) = (call.budget(), call.progress_sink());
            let (tool, arguments) = tool_and_arguments(call)?;
            let upstreams = self.servers.upstreams();
            let reply =
                upstreams.call(&self.server, tool.tool(), arguments, progress, &budget).await?;
            if reply.len() <= MAX_OBSERVED_TEXT {
                budget.work_here(reply.len(), |work| {
                    self.observe(&tool, &reply, &work.begin());
                });
            }
            Ok(JsonReply::Text(reply))
        })
    }
}

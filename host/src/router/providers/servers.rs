//! The servers of a project: the provider of each name, and all servers as one [`Tools`].
//!
//! A run uses [`Providers`]. [`Tools`] is for embedders that combine the servers with tools of
//! their own; it asks the same providers.

use super::cloud::CloudProvider;
use super::server::ServerProvider;
use super::unrouted::UnroutedProvider;
use super::{Provider, ProviderSet, Providers, Resolution};
use crate::model::{
    Call, CallError, Code, Difference, Effects, JsonReply, Need, ParseError, PathBase, Progress,
    ProgressCallback, Reply, ResolvedTool, ToolName, ToolOrigin, parse,
};
use crate::project::servers::Servers;
use crate::router::route::{Destination, Routes};
use crate::router::{RoutedTool, Tools};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use std::sync::Arc;

impl Providers for Servers {
    fn provider(&self, tool: &ToolName) -> Arc<dyn Provider> {
        let servers = self.clone();
        match Routes(&self.routing()).destination(tool) {
            Ok(Destination::Here(server)) => {
                Arc::new(ServerProvider { servers, server: server.to_owned() })
            }
            Ok(Destination::Cloud(server)) => {
                Arc::new(CloudProvider { servers, server: server.to_owned() })
            }
            Err(error) => Arc::new(UnroutedProvider { servers, error }),
        }
    }
}

impl Servers {
    /// Does what a tool needs and finds it again. Its provider may be another one afterwards.
    pub(super) async fn fulfill_and_find(
        &self,
        tool: &ToolName,
        need: &Need,
        progress: ProgressCallback,
    ) -> Result<RoutedTool, CallError> {
        self.needs().fulfill(need.clone(), progress.clone()).await?;
        if let Need::Install(package) = need {
            progress(Progress::starting(&package.server));
        }
        let provider = self.provider(tool);
        let resolved = provider.find(tool).await?;
        Ok(RoutedTool { resolved, provider })
    }
}

/// Returns the tool and the arguments of a call. A server accepts only an object as arguments.
pub(super) fn tool_and_arguments(call: Call) -> Result<(ToolName, Map<String, Value>), CallError> {
    match call.arguments {
        Value::Object(arguments) => Ok((call.tool, arguments)),
        _ => {
            let message = "the arguments of a call must be an object";
            Err(CallError::new(Code::Arguments, message))
        }
    }
}

impl Tools for Servers {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            let budget = call.budget();
            let (call, memory) = (call.with_budget(budget.clone()), budget.host_memory());
            let text = match self.call_json(call).await? {
                JsonReply::Text(text) => text,
                JsonReply::Value(value) => return Ok(value),
            };
            let parsed = budget.work(text.len(), move |work| parse(&text, memory, &work.begin()));
            parsed.await?.map_err(|error| match error {
                ParseError::Halted(halt) => halt.into(),
                ParseError::Json(error) => {
                    CallError::tool(format!("the answer of the tool cannot be read: {error}"))
                }
                ParseError::TooLarge(limit) => {
                    let message =
                        format!("the answer of the tool takes more than {limit} bytes of memory");
                    CallError::new(Code::ReplySize, message)
                }
            })
        })
    }

    fn call_json(&self, call: Call) -> BoxFuture<'_, Result<JsonReply, CallError>> {
        let provider = self.provider(&call.tool);
        Box::pin(async move { provider.call(call).await })
    }

    fn effects(&self, tool: &ToolName) -> Effects {
        self.provider(tool).effects(tool)
    }

    fn look_up(&self, tool: &ToolName) -> Resolution<ResolvedTool> {
        self.provider(tool).look_up(tool)
    }

    fn find(&self, tool: &ToolName) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        let (provider, tool) = (self.provider(tool), tool.clone());
        Box::pin(async move { provider.find(&tool).await })
    }

    fn fulfill_need(
        &self,
        tool: &ToolName,
        need: &Need,
        progress: ProgressCallback,
    ) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        let (tool, need) = (tool.clone(), need.clone());
        Box::pin(async move { Ok(self.fulfill_and_find(&tool, &need, progress).await?.resolved) })
    }

    fn differences(
        &self,
        tool: &ToolName,
        before: &ToolOrigin,
        now: &ToolOrigin,
    ) -> Vec<Difference> {
        self.provider(tool).differences(tool, before, now)
    }

    fn path_base(&self, tool: &ToolName) -> PathBase {
        self.provider(tool).path_base(tool)
    }

    fn check(&self, tool: &ToolName, arguments: &Value) -> Result<(), CallError> {
        self.provider(tool).check(tool, arguments)
    }

    fn lock_digest(&self) -> Option<String> {
        self.lock_gate()?.lock.file_digest()
    }

    fn providers(&self) -> Option<ProviderSet> {
        Some(ProviderSet(Arc::new(self.clone())))
    }
}

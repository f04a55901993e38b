//! Servers as tools.

use crate::config::Launch;
use crate::model::{
    Call, CallError, Code, Difference, Effects, JsonReply, Need, ParseError, Reply, ToolName,
    ToolOrigin, WorkSlice, parse,
};
use crate::model::{PathBase, ProgressCallback, ResolvedTool};
use crate::project::servers::names::{self, found};
use crate::project::servers::needs::lacking;
use crate::project::servers::route::Destination;
use crate::project::servers::{CLOUD, Servers};
use crate::router::Tools;
use crate::upstream::{ListedTool, ServerTools};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::sync::Arc;

/// The longest result whose shape is looked at: a larger one looks like smaller ones.
const OBSERVED_TEXT: usize = 64 << 10;

/// What it may take once it is parsed.
const OBSERVED: usize = 8 << 20;

impl Servers {
    /// The listing of the server that a tool belongs to, if that runs.
    pub(crate) fn listed(&self, tool: &ToolName) -> Option<Arc<ServerTools>> {
        match self.routes().destination(tool) {
            Ok(Destination::Here(server)) => self.0.upstreams.listed(server),
            _ => None,
        }
    }

    /// What is found of a tool.
    fn found(&self, tool: &ListedTool) -> ResolvedTool {
        self.keep_definition(tool);
        found(tool)
    }

    /// Takes note of the shape of a result that its server says nothing about.
    fn observe(&self, tool: &ToolName, result: &str, stint: &WorkSlice<'_>) {
        let Some(observed) = &self.0.observed else { return };
        let Some(listing) = self.listed(tool) else { return };
        if let Some(known) = listing.get(tool.tool())
            && known.definition.output.is_none()
            && observed.wants(tool, &known.origin.definition)
            && let Ok(result) = parse(result, OBSERVED, stint)
        {
            observed.note(tool, &known.origin.definition, &result);
        }
    }

    /// Carries out a call. Returns one JSON text.
    async fn answer(&self, call: Call) -> Result<String, CallError> {
        let budget = call.budget();
        let Call { tool, arguments, .. } = call;
        let Value::Object(arguments) = arguments else {
            let message = "the arguments of a call must be an object";
            return Err(CallError::new(Code::Arguments, message));
        };
        match self.routes().destination(&tool)? {
            Destination::Here(server) => {
                let upstreams = &self.0.upstreams;
                let reply = upstreams.call(server, tool.tool(), arguments, None, &budget).await?;
                if reply.len() <= OBSERVED_TEXT {
                    budget.work_here(reply.len(), |work| {
                        self.observe(&tool, &reply, &work.begin());
                    });
                }
                Ok(reply)
            }
            Destination::Cloud(_) => match &self.0.cloud {
                Some(cloud) => cloud.call(CLOUD, tool.as_str(), arguments, None, &budget).await,
                None => Err(CallError::unknown(tool.as_str())),
            },
        }
    }
}

/// A tool of the cloud, under the name that the cloud has for its server. What it says of itself is not known here.
fn of_cloud(server: &str, tool: &ToolName) -> Result<ResolvedTool, CallError> {
    let name = format!("{server}:{}", tool.tool()).parse();
    let name = name.map_err(|_| CallError::unknown(tool.as_str()))?;
    Ok(ResolvedTool::new(name, Effects::Unknown))
}

impl Tools for Servers {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            let budget = call.budget();
            let (call, memory) = (call.paid_by(budget.clone()), budget.host_memory());
            let text = self.answer(call).await?;
            let parsed = budget.work(text.len(), move |work| parse(&text, memory, &work.begin()));
            parsed.await?.map_err(|error| match error {
                ParseError::Halted(halt) => halt.into(),
                ParseError::Json(error) => {
                    CallError::tool(format!("its answer cannot be read: {error}"))
                }
                ParseError::TooLarge(limit) => {
                    let message =
                        format!("the answer takes more than {limit} bytes of memory as a value");
                    CallError::new(Code::ReplySize, message)
                }
            })
        })
    }

    fn call_json(&self, call: Call) -> BoxFuture<'_, Result<JsonReply, CallError>> {
        Box::pin(async move { self.answer(call).await.map(JsonReply::Text) })
    }

    fn effects(&self, tool: &ToolName) -> Effects {
        let routes = self.routes();
        let Ok(Destination::Here(server)) = routes.destination(tool) else {
            return Effects::Unknown;
        };
        // What is remembered is hearsay, and lies where others may write: only a server that runs is believed.
        let listing = self.0.upstreams.listed(server);
        let effects = listing.and_then(|listing| {
            let tool = names::find(&listing, server, tool.tool()).ok()?;
            Some(tool.definition.effects())
        });
        effects.unwrap_or_default()
    }

    fn look_up(&self, tool: &ToolName) -> Option<Result<ResolvedTool, CallError>> {
        match self.routes().destination(tool) {
            Err(error) => Some(self.untrusted(tool).ok_or(error)),
            Ok(Destination::Cloud(server)) => Some(of_cloud(server, tool)),
            Ok(Destination::Here(server)) => {
                let listing = self.0.upstreams.listed(server)?;
                Some(names::find(&listing, server, tool.tool()).map(|tool| self.found(tool)))
            }
        }
    }

    fn find(&self, tool: &ToolName) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        let tool = tool.clone();
        Box::pin(async move {
            match self.routes().destination(&tool) {
                Err(error) => self.untrusted(&tool).ok_or(error),
                Ok(Destination::Cloud(server)) => of_cloud(server, &tool),
                Ok(Destination::Here(server)) => {
                    if let Some(need) = self.need(server).await? {
                        return lacking(server, &tool, need);
                    }
                    let listing = self.list(server).await?;
                    names::find(&listing, server, tool.tool()).map(|tool| self.found(tool))
                }
            }
        })
    }

    fn meet(
        &self,
        tool: &ToolName,
        need: &Need,
        tell: ProgressCallback,
    ) -> BoxFuture<'_, Result<ResolvedTool, CallError>> {
        let (tool, need) = (tool.clone(), need.clone());
        Box::pin(async move {
            self.bring_about(need, tell).await?;
            self.find(&tool).await
        })
    }

    fn differences(
        &self,
        tool: &ToolName,
        before: &ToolOrigin,
        now: &ToolOrigin,
    ) -> Vec<Difference> {
        self.changes(tool, before, now)
    }

    fn path_base(&self, tool: &ToolName) -> PathBase {
        let routes = self.routes();
        let server = match routes.destination(tool) {
            Ok(Destination::Here(server)) => server,
            Ok(Destination::Cloud(_)) => return PathBase::Elsewhere,
            Err(_) => return PathBase::Unknown,
        };
        match self.0.upstreams.config(server).map(|config| config.launch) {
            Some(Launch::Stdio { folder, .. }) => PathBase::Folder(folder),
            Some(Launch::Http { .. }) => PathBase::Elsewhere,
            None => PathBase::Unknown,
        }
    }

    fn check(&self, tool: &ToolName, arguments: &Value) -> Result<(), CallError> {
        // What a server offered last is good enough to say no early: it has the last word itself.
        let routes = self.routes();
        let Ok(Destination::Here(server)) = routes.destination(tool) else { return Ok(()) };
        let upstreams = &self.0.upstreams;
        let listing = upstreams.listed(server).or_else(|| upstreams.remembered(server));
        let Some(listing) = listing else { return Ok(()) };
        match listing.get(tool.tool()) {
            Some(known) => self.0.checks.check(known, arguments),
            None => Ok(()),
        }
    }
}

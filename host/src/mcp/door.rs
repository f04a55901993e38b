//! The door itself: rmcp's server, answered for by us.

use super::answer::Answer;
use super::browse::Shelf;
use super::parameters::{self, Execute};
use super::tools::{self, Own};
use super::{browse, direct, execute, library};
use crate::json::Value;
use crate::{Engine, Error, Servers, ToolName};
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult,
    CompleteRequestMethod, CompleteRequestParams, CompleteResult, ConstString, CustomRequest,
    CustomResult, DiscoverRequestMethod, ErrorCode, Implementation, InitializeResultMethod,
    ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
    ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult,
    ListToolsRequestMethod, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

/// What a client's model is told before it sees any tool.
const INSTRUCTIONS: &str = "PML runs small TypeScript programs that call the tools of the user's MCP servers, in a sandbox that \
can do nothing else. Instead of many single tool calls, look with `browse_components` at what there is, then write one program for \
`execute`: call `await mcp.server.tool({...})`, in parallel with `Promise.all` where you can, and `return` only what you need. If an \
answer says `approval_required`, a person has to decide before the program goes on; never decide for them.";

/// How long requests may take to end when the client is gone: longer than programs are given.
const PATIENCE: Duration = Duration::from_secs(8);

/// How long a client may keep the list of our tools: it changes only with pml itself.
const LIST_TTL: u64 = 60 * 60 * 1_000;

/// Where programs run and what they call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Setting {
    /// Runs programs.
    pub engine: Engine,
    /// What they call.
    pub servers: Servers,
}

impl Setting {
    /// Returns a setting.
    pub fn new(engine: Engine, servers: Servers) -> Setting {
        Setting { engine, servers }
    }
}

/// An MCP server. Clones share everything.
#[derive(Clone)]
pub struct Door(Arc<Shared>);

pub(super) struct Shared {
    /// Gives the setting of the moment.
    source: Box<dyn Fn() -> Result<Setting, Error> + Send + Sync>,
    /// The servers that it gave last.
    last: Mutex<Option<Servers>>,
    pub(super) shelf: Shelf,
    /// Whether the client is gone.
    pub(super) closing: watch::Sender<bool>,
    /// Requests that are being answered.
    busy: TaskTracker,
}

/// One request, and the setting that it came into.
pub(super) struct Visit {
    pub(super) engine: Engine,
    pub(super) servers: Servers,
    pub(super) door: Arc<Shared>,
}

impl Door {
    /// Returns a door to programs that run in `engine` and call `servers`.
    pub fn new(engine: Engine, servers: Servers) -> Door {
        let setting = Setting::new(engine, servers);
        Door::following(move || Ok(setting.clone()))
    }

    /// Returns a door that asks `source` with every request where programs run and what they call: a project's files may
    /// change while a client is served. What it cannot give is what the request is answered with.
    pub fn following(source: impl Fn() -> Result<Setting, Error> + Send + Sync + 'static) -> Door {
        let ((closing, _), source) = (watch::channel(false), Box::new(source));
        let (shelf, busy) = (Shelf::default(), TaskTracker::new());
        Door(Arc::new(Shared { source, last: Mutex::default(), shelf, closing, busy }))
    }

    /// Says that the client is gone: programs go on until their next outcome is journalled.
    pub fn close(&self) {
        self.0.closing.send_replace(true);
    }

    /// Waits until nothing is being answered any more, and stops all servers.
    pub async fn closed(&self) {
        self.close();
        self.0.busy.close();
        // A client that does not read may keep an answer from being written for ever.
        let _ = tokio::time::timeout(PATIENCE, self.0.busy.wait()).await;
        let last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(servers) = last {
            servers.close().await;
        }
    }

    /// The setting of the moment, for one request.
    fn visit(&self) -> Result<Visit, Error> {
        let Setting { engine, servers } = (self.0.source)()?;
        *self.0.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(servers.clone());
        Ok(Visit { engine, servers, door: self.0.clone() })
    }

    async fn answer(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let (name, arguments) = (request.name, request.arguments);
        let visit = match self.visit() {
            Ok(visit) => visit,
            Err(error) => return Ok(Answer::of_error(&error).write(shows_either(context))),
        };
        let answer = match Own::named(&name) {
            Some(Own::Execute) => {
                execute::execute(&visit, Execute::read(arguments)?, context).await?
            }
            Some(Own::BrowseComponents) => {
                let asked = parameters::read(&name, arguments)?;
                let mut closing = self.0.closing.subscribe();
                tokio::select! {
                    found = browse::browse(&visit, &asked) => return Ok(plain(found)),
                    () = execute::gone(&mut closing) => return Err(execute::left()),
                }
            }
            Some(Own::ListLibrary) => {
                return Ok(plain(library::list(&parameters::read(&name, arguments)?)));
            }
            Some(Own::DescribeWorkflow) => library::describe(&parameters::read(&name, arguments)?),
            Some(Own::SaveToLibrary) => library::save(&parameters::read(&name, arguments)?),
            None => match name.parse::<ToolName>() {
                Ok(tool) => {
                    direct::call(&visit, &tool, arguments.unwrap_or_default(), context).await?
                }
                Err(_) => {
                    let message = format!("there is no tool `{}`", crate::escape(&name));
                    return Err(ErrorData::invalid_params(message, None));
                }
            },
        };
        Ok(answer.write(shows_either(context)))
    }
}

/// A plain structure as an answer.
fn plain(value: Value) -> CallToolResult {
    CallToolResult::structured(value)
}

/// Whether the client hands its model the structure of a result or its blocks, never both.
fn shows_either(context: &RequestContext<RoleServer>) -> bool {
    context.client_info().is_some_and(|client| client.name == "claude-code")
}

/// Requests that we understand: if one of them arrives here as unknown, its parameters are wrong. The handshake is gone from
/// the newest revision.
fn is_known(method: &str, context: &RequestContext<RoleServer>) -> bool {
    let shakes_hands = || context.protocol_version().is_none_or(|version| version.has_initialize());
    match method {
        CallToolRequestMethod::VALUE
        | ListToolsRequestMethod::VALUE
        | DiscoverRequestMethod::VALUE => true,
        InitializeResultMethod::VALUE => shakes_hands(),
        _ => false,
    }
}

impl ServerHandler for Door {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("pml", env!("CARGO_PKG_VERSION")).with_title("PML"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::list()).with_ttl_ms(LIST_TTL))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = self.0.busy.track_future(self.answer(request, &context)).await?;
        Ok(CallToolResponse::Complete(answer))
    }

    // What is not declared is not there.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = crate::escape(&request.method).into_owned();
        Err(match is_known(&request.method, &context) {
            true => {
                ErrorData::invalid_params(format!("the parameters of `{method}` are wrong"), None)
            }
            false => {
                let message = format!("there is no method `{method}`");
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
            }
        })
    }
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Door").finish_non_exhaustive()
    }
}

//! The server itself: dispatches the requests of one client, and answers them.

use super::answer::ToolAnswer;
use super::browse::ToolIndexCache;
use super::channel::Caller;
use super::parameters::{
    self, BrowseParameters, DescribeWorkflowParameters, ExecuteParameters, ListLibraryParameters,
    SaveToLibraryParameters,
};
use super::seal::StateSealer;
use super::tools::PublishedTool;
use super::{browse, direct, execute};
use crate::answering::complete;
use crate::wait::client_gone;
use crate::{input_required, workflows};
use pml::hosting::{Client, HostedRun, RunHost};
use pml::{Engine, Error, RunId, Servers, ToolName, project::UserKey};
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use rmcp::service::{RequestContext, RoleServer};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::task::TaskTracker;

/// How long requests and runs may take to end after the client is gone: longer than the grace
/// period of programs.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(8);

/// The engine that runs programs, and the servers that they call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct McpSetup {
    /// Runs programs.
    pub engine: Engine,
    /// The servers that programs call.
    pub servers: Servers,
    /// Whether `continue_workflow` approves even if the client could ask a person.
    pub model_may_approve: bool,
}

impl McpSetup {
    /// Returns a setup in which people approve whenever they can be asked.
    pub fn new(engine: Engine, servers: Servers) -> McpSetup {
        McpSetup { engine, servers, model_may_approve: false }
    }

    /// Sets whether `continue_workflow` approves even if the client could ask a person.
    pub fn model_may_approve(mut self, may: bool) -> McpSetup {
        self.model_may_approve = may;
        self
    }
}

/// An MCP server. Clones share all state.
#[derive(Clone)]
pub struct McpServer(pub(super) Arc<McpServerState>);

pub(super) struct McpServerState {
    /// Returns the current setup.
    setup_source: Box<dyn Fn() -> Result<McpSetup, Error> + Send + Sync>,
    /// The servers of the last setup.
    last_servers: Mutex<Option<Servers>>,
    pub(super) tool_index: ToolIndexCache,
    pub(super) host: RunHost,
    /// The one client that is served.
    pub(super) client: Client,
    pub(super) sealer: StateSealer,
    /// Receives a line for every decision, and for every answer that was refused.
    log: Box<dyn Fn(&str) + Send + Sync>,
    /// Requests that are being answered.
    pub(super) requests: TaskTracker,
}

/// One request, with the setup that was current when it arrived.
pub(super) struct RequestScope {
    pub(super) engine: Engine,
    pub(super) servers: Servers,
    pub(super) model_may_approve: bool,
    pub(super) server: Arc<McpServerState>,
}

impl McpServerState {
    /// Logs a line.
    pub(super) fn log(&self, line: &str) {
        (self.log)(line);
    }
}

impl RequestScope {
    /// Returns a run wherever it is: here, ended, or in the journal. A run in the journal is
    /// resumed here.
    pub(super) async fn find_or_resume(&self, run: RunId) -> Arc<HostedRun> {
        let McpServerState { host, client, .. } = &*self.server;
        host.find_or_resume(&self.engine, client, self.servers.clone(), run).await
    }
}

impl McpServer {
    /// Returns a server for programs that run in `engine` and call `servers`.
    pub fn new(engine: Engine, servers: Servers) -> McpServer {
        let setup = McpSetup::new(engine, servers);
        McpServer::from_source(move || Ok(setup.clone()))
    }

    /// Returns a server that gets its setup from `source` for every request, because a project's
    /// files may change while a client is served. If `source` fails, the request is answered with
    /// the error.
    pub fn from_source(
        source: impl Fn() -> Result<McpSetup, Error> + Send + Sync + 'static,
    ) -> McpServer {
        McpServer::from_source_with_key(UserKey::of_this_process(), source)
    }

    /// Like [`McpServer::from_source`], but seals the state that clients carry between two requests
    /// with `key`. All processes with the same key can open it.
    pub fn from_source_with_key(
        key: UserKey,
        source: impl Fn() -> Result<McpSetup, Error> + Send + Sync + 'static,
    ) -> McpServer {
        let host = RunHost::new();
        McpServer(Arc::new(McpServerState {
            setup_source: Box::new(source),
            last_servers: Mutex::default(),
            tool_index: ToolIndexCache::default(),
            client: host.connect(),
            host,
            sealer: StateSealer::new(key),
            log: Box::new(|_| {}),
            requests: TaskTracker::new(),
        }))
    }

    /// Sets a function that gets a log line for each decision with its channel, and for each answer
    /// that was refused. Call it before the server is cloned.
    pub fn with_log(mut self, log: impl Fn(&str) + Send + Sync + 'static) -> McpServer {
        if let Some(shared) = Arc::get_mut(&mut self.0) {
            shared.log = Box::new(log);
        }
        self
    }

    /// Marks the client as gone. Programs continue until their next outcome is journalled.
    pub fn close(&self) {
        self.0.client.disconnect();
    }

    /// Waits until no request is being answered, and stops all servers.
    pub async fn wait_closed(&self) {
        self.close();
        self.0.requests.close();
        // A client that does not read may block the writing of an answer for ever.
        let ended = async { tokio::join!(self.0.requests.wait(), self.0.host.wait_closed()) };
        let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, ended).await;
        let last = self.0.last_servers.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(servers) = last {
            servers.close().await;
        }
    }

    /// Returns the current setup, for one request.
    pub(super) fn request_scope(&self) -> Result<RequestScope, Error> {
        let McpSetup { engine, servers, model_may_approve } = (self.0.setup_source)()?;
        *self.0.last_servers.lock().unwrap_or_else(PoisonError::into_inner) = Some(servers.clone());
        Ok(RequestScope { engine, servers, model_may_approve, server: self.0.clone() })
    }

    pub(super) async fn answer(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = Caller::of(&request, context);
        let scope = match self.request_scope() {
            Ok(scope) => scope,
            Err(error) => return Ok(complete(&caller, ToolAnswer::of_error(&error), Vec::new())),
        };
        let CallToolRequestParams { name, arguments, input_responses, request_state, .. } = request;
        if let Some(state) = request_state {
            let responses = input_responses.unwrap_or_default();
            return input_required::resume_call(&scope, &caller, &state, &responses).await;
        }
        let answer = match PublishedTool::from_name(&name) {
            Some(PublishedTool::Execute) => {
                return execute::execute(&scope, &caller, ExecuteParameters::read(arguments)?)
                    .await;
            }
            Some(PublishedTool::BrowseComponents) => {
                let parameters = parameters::read(BrowseParameters::KNOWN, arguments)?;
                tokio::select! {
                    found = browse::browse(&scope, &parameters) => {
                        return Ok(CallToolResult::structured(found).into());
                    }
                    () = self.0.client.wait_gone() => return Err(client_gone()),
                }
            }
            Some(PublishedTool::ListLibrary) => {
                let parameters = parameters::read(ListLibraryParameters::KNOWN, arguments)?;
                let found = workflows::list(&parameters);
                return Ok(CallToolResult::structured(found).into());
            }
            Some(PublishedTool::DescribeWorkflow) => workflows::describe(&parameters::read(
                DescribeWorkflowParameters::KNOWN,
                arguments,
            )?),
            Some(PublishedTool::SaveToLibrary) => {
                workflows::save(&parameters::read(SaveToLibraryParameters::KNOWN, arguments)?)
            }
            None => match name.parse::<ToolName>() {
                Ok(tool) => {
                    let arguments = arguments.unwrap_or_default();
                    return direct::call(&scope, &caller, &tool, arguments).await;
                }
                Err(_) => return Err(PublishedTool::unknown(&name)),
            },
        };
        Ok(complete(&caller, answer, Vec::new()))
    }
}

impl std::fmt::Debug for McpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpServer").finish_non_exhaustive()
    }
}

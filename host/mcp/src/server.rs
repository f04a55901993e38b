//! The door itself: rmcp's server, answered for by us.

use super::answer::ToolAnswer;
use super::browse::ToolIndexCache;
use super::channel::Caller;
use super::hosted::{RunHost, gone};
use super::parameters::{self, ExecuteParameters};
use super::seal::StateSealer;
use super::tools::PublishedTool;
use super::{browse, direct, execute};
use crate::answering::complete;
use crate::wait::left;
use crate::{input_required, workflows};
use pml::{Engine, Error, Servers, ToolName, UserKey};
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use rmcp::service::{RequestContext, RoleServer};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

/// How long requests may take to end when the client is gone: longer than programs are given.
const PATIENCE: Duration = Duration::from_secs(8);

/// Where programs run and what they call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct McpSetup {
    /// Runs programs.
    pub engine: Engine,
    /// What they call.
    pub servers: Servers,
    /// Whether `continue_workflow` approves also where the client could ask a person.
    pub model_may_approve: bool,
}

impl McpSetup {
    /// Returns a setting in which people approve, wherever they can be asked.
    pub fn new(engine: Engine, servers: Servers) -> McpSetup {
        McpSetup { engine, servers, model_may_approve: false }
    }

    /// Says whether `continue_workflow` approves also where the client could ask a person.
    pub fn model_may_approve(mut self, may: bool) -> McpSetup {
        self.model_may_approve = may;
        self
    }
}

/// An MCP server. Clones share everything.
#[derive(Clone)]
pub struct McpServer(pub(super) Arc<McpServerState>);

pub(super) struct McpServerState {
    /// Gives the setting of the moment.
    source: Box<dyn Fn() -> Result<McpSetup, Error> + Send + Sync>,
    /// The servers that it gave last.
    last: Mutex<Option<Servers>>,
    pub(super) shelf: ToolIndexCache,
    pub(super) house: RunHost,
    pub(super) seal: StateSealer,
    /// Is told what was decided, and what was not let decide: a line each.
    notice: Box<dyn Fn(&str) + Send + Sync>,
    /// Whether the client is gone.
    pub(super) closing: watch::Sender<bool>,
    /// Requests that are being answered, and runs that go on.
    pub(super) busy: TaskTracker,
}

/// One request, and the setting that it came into.
pub(super) struct RequestScope {
    pub(super) engine: Engine,
    pub(super) servers: Servers,
    pub(super) model_may_approve: bool,
    pub(super) door: Arc<McpServerState>,
}

impl McpServerState {
    /// Tells a line.
    pub(super) fn notice(&self, line: &str) {
        (self.notice)(line);
    }
}

impl McpServer {
    /// Returns a door to programs that run in `engine` and call `servers`.
    pub fn new(engine: Engine, servers: Servers) -> McpServer {
        let setting = McpSetup::new(engine, servers);
        McpServer::following(move || Ok(setting.clone()))
    }

    /// Returns a door that asks `source` with every request where programs run and what they call: a project's files may
    /// change while a client is served. What it cannot give is what the request is answered with.
    pub fn following(
        source: impl Fn() -> Result<McpSetup, Error> + Send + Sync + 'static,
    ) -> McpServer {
        McpServer::sealing_with(UserKey::of_this_process(), source)
    }

    /// The same; what clients carry for us between two requests is sealed with `key`, so that all processes that have it
    /// understand it.
    pub fn sealing_with(
        key: UserKey,
        source: impl Fn() -> Result<McpSetup, Error> + Send + Sync + 'static,
    ) -> McpServer {
        McpServer(Arc::new(McpServerState {
            source: Box::new(source),
            last: Mutex::default(),
            shelf: ToolIndexCache::default(),
            house: RunHost::default(),
            seal: StateSealer::new(key),
            notice: Box::new(|_| {}),
            closing: watch::Sender::new(false),
            busy: TaskTracker::new(),
        }))
    }

    /// Tells `notice` what was decided here and by which channel, and what was not let decide: a line each, for a log. It must
    /// be said before the door is cloned.
    pub fn noticing(mut self, notice: impl Fn(&str) + Send + Sync + 'static) -> McpServer {
        if let Some(shared) = Arc::get_mut(&mut self.0) {
            shared.notice = Box::new(notice);
        }
        self
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
    pub(super) fn visit(&self) -> Result<RequestScope, Error> {
        let McpSetup { engine, servers, model_may_approve } = (self.0.source)()?;
        *self.0.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(servers.clone());
        Ok(RequestScope { engine, servers, model_may_approve, door: self.0.clone() })
    }

    pub(super) async fn answer(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = Caller::of(&request, context);
        let visit = match self.visit() {
            Ok(visit) => visit,
            Err(error) => return Ok(complete(&caller, ToolAnswer::of_error(&error), Vec::new())),
        };
        let CallToolRequestParams { name, arguments, input_responses, request_state, .. } = request;
        if let Some(state) = request_state {
            let responses = input_responses.unwrap_or_default();
            return input_required::again(&visit, &caller, &state, &responses).await;
        }
        let answer = match PublishedTool::named(&name) {
            Some(PublishedTool::Execute) => {
                return execute::execute(&visit, &caller, ExecuteParameters::read(arguments)?)
                    .await;
            }
            Some(PublishedTool::BrowseComponents) => {
                let asked = parameters::read(&name, arguments)?;
                let mut closing = self.0.closing.subscribe();
                tokio::select! {
                    found = browse::browse(&visit, &asked) => {
                        return Ok(CallToolResult::structured(found).into());
                    }
                    () = gone(&mut closing) => return Err(left()),
                }
            }
            Some(PublishedTool::ListLibrary) => {
                let found = workflows::list(&parameters::read(&name, arguments)?);
                return Ok(CallToolResult::structured(found).into());
            }
            Some(PublishedTool::DescribeWorkflow) => {
                workflows::describe(&parameters::read(&name, arguments)?)
            }
            Some(PublishedTool::SaveToLibrary) => {
                workflows::save(&parameters::read(&name, arguments)?)
            }
            None => match name.parse::<ToolName>() {
                Ok(tool) => {
                    let arguments = arguments.unwrap_or_default();
                    return direct::call(&visit, &caller, &tool, arguments).await;
                }
                Err(_) => {
                    let message = format!("there is no tool `{}`", pml::escape(&name));
                    return Err(ErrorData::invalid_params(message, None));
                }
            },
        };
        Ok(complete(&caller, answer, Vec::new()))
    }
}

impl std::fmt::Debug for McpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Door").finish_non_exhaustive()
    }
}

//! All servers of a process.

use super::call;
use super::error::UpstreamError;
use super::listing::ServerTools;
use super::server::{ServerLifecycle, UpstreamServer};
use super::status::{self, ServerState, ServerStatus};
use crate::config::ServerConfig;
use crate::model::{CallError, CallProgressSink, Clock, RunBudget};
use crate::store::ServerCache;
use futures_util::future::join_all;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Maximum time to wait for all servers to end: twice what the most stubborn one needs.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(4);

/// All servers of a process, shared by its runs. Cheap to clone. When the last clone is dropped,
/// the servers are ended, but only [`close`](Upstreams::close) waits for that.
#[derive(Clone)]
pub(crate) struct Upstreams {
    servers: Arc<RwLock<ServerTable>>,
    cache: Option<ServerCache>,
    clock: Arc<dyn Clock>,
}

struct ServerTable {
    /// In the order of the configuration.
    all: Vec<Arc<UpstreamServer>>,
    by_name: HashMap<String, usize>,
}

impl Upstreams {
    /// Returns these servers. None is started yet. Of two with the same name, the first one is
    /// used.
    pub(crate) fn new(
        servers: Vec<ServerConfig>,
        cache: Option<ServerCache>,
        clock: Arc<dyn Clock>,
    ) -> Upstreams {
        let mut by_name = HashMap::new();
        let mut all = Vec::with_capacity(servers.len());
        for config in servers {
            by_name.entry(config.name.clone()).or_insert(all.len());
            all.push(Arc::new(UpstreamServer::new(config, cache.clone(), clock.clone())));
        }
        Upstreams { servers: Arc::new(RwLock::new(ServerTable { all, by_name })), cache, clock }
    }

    /// Adds a server, or replaces the one with the same name. If both are the same, the old one
    /// continues. Otherwise the old one is ended, and its calls fail.
    pub(crate) fn insert_or_replace(&self, config: ServerConfig) {
        let mut servers = self.servers.write().unwrap_or_else(PoisonError::into_inner);
        let index = servers.by_name.get(&config.name).copied();
        if index.is_some_and(|index| servers.all[index].config == config) {
            return;
        }
        let name = config.name.clone();
        let server = Arc::new(UpstreamServer::new(config, self.cache.clone(), self.clock.clone()));
        match index {
            Some(index) => {
                let old = std::mem::replace(&mut servers.all[index], server);
                old.close();
            }
            None => {
                let index = servers.all.len();
                servers.by_name.insert(name, index);
                servers.all.push(server);
            }
        }
    }

    /// Returns the names of all servers, in the order of the configuration.
    pub(crate) fn names(&self) -> Vec<String> {
        self.all().iter().map(|server| server.config.name.clone()).collect()
    }

    /// Returns the configuration of a server.
    pub(crate) fn config(&self, server: &str) -> Option<ServerConfig> {
        self.find(server).map(|server| server.config.clone())
    }

    fn all(&self) -> Vec<Arc<UpstreamServer>> {
        self.servers.read().unwrap_or_else(PoisonError::into_inner).all.clone()
    }

    /// Reports whether a server runs, so that a call does not have to start it.
    pub(crate) fn is_running(&self, server: &str) -> bool {
        self.find(server).is_some_and(|server| server.is_running())
    }

    /// Returns the tools of a server, if it runs and they are known. Does not wait.
    pub(crate) fn current_tools(&self, server: &str) -> Option<Arc<ServerTools>> {
        self.find(server)?.listed()
    }

    /// Returns the tools of a server, and starts it if necessary.
    pub(crate) async fn list_tools(&self, server: &str) -> Result<Arc<ServerTools>, UpstreamError> {
        self.get(server)?.lease().await?.list().await
    }

    /// Returns the tools that a server had when it last ran, in this process or an earlier one.
    /// They come from a cache that is not trusted: see `store/servers.rs`.
    pub(crate) fn cached_tools(&self, server: &str) -> Option<Arc<ServerTools>> {
        self.find(server)?.remembered()
    }

    /// Calls a tool and returns its answer as one JSON text. Starts the server if necessary. It
    /// does not check whether the tool exists or may be called. Dropping the future cancels the
    /// call.
    pub(crate) async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: Map<String, Value>,
        progress: Option<CallProgressSink>,
        budget: &RunBudget,
    ) -> Result<String, CallError> {
        let server = self.get(server)?;
        let lease = server.lease().await?;
        let limit = server.config.call_timeout;
        call::call(&lease, tool, arguments, limit, progress, budget).await
    }

    /// Returns the servers that are configured to run in the background, and that lack no variable.
    pub(crate) fn background(&self) -> Vec<String> {
        let runs_in_background = |server: &&Arc<UpstreamServer>| {
            server.config.background && server.config.missing.is_empty()
        };
        self.all()
            .iter()
            .filter(runs_in_background)
            .map(|server| server.config.name.clone())
            .collect()
    }

    /// Starts a server in its own task, without waiting. After a failure it is tried again when it
    /// is needed.
    pub(crate) fn start(&self, server: &str) {
        if let Some(server) = self.find(server) {
            tokio::spawn(async move {
                let _ = server.lease().await;
            });
        }
    }

    /// Returns the status of all servers, in the order of the configuration.
    pub(crate) fn status(&self) -> Vec<ServerStatus> {
        let servers = self.all();
        let mut groups = Vec::with_capacity(servers.len());
        let mut all = Vec::with_capacity(servers.len());
        for server in &servers {
            let (status, group) = server_status(server);
            all.push(status);
            groups.push(group);
        }
        for (status, memory) in all.iter_mut().zip(status::memory(&groups)) {
            status.memory = memory;
        }
        all
    }

    /// Ends all servers, gracefully if possible, and waits for that. No server is started any more.
    pub(crate) async fn close(&self) {
        let ending: Vec<_> = self.all().iter().filter_map(|server| server.close()).collect();
        let ended = join_all(ending.iter().map(|connection| connection.ended.cancelled()));
        // Servers that take longer are ended together with this process.
        let _ = timeout(CLOSE_TIMEOUT, ended).await;
    }

    fn find(&self, server: &str) -> Option<Arc<UpstreamServer>> {
        let servers = self.servers.read().unwrap_or_else(PoisonError::into_inner);
        servers.by_name.get(server).map(|at| servers.all[*at].clone())
    }

    fn get(&self, server: &str) -> Result<Arc<UpstreamServer>, UpstreamError> {
        self.find(server).ok_or_else(|| UpstreamError::Unknown(server.into()))
    }
}

/// Returns the status of a server, and the id of its process group.
fn server_status(server: &UpstreamServer) -> (ServerStatus, Option<i32>) {
    let cached = server.cached();
    let mut status = ServerStatus {
        name: server.config.name.clone(),
        state: ServerState::Idle,
        era: cached.as_ref().map(|cached| cached.era),
        protocol: cached.as_ref().map(|cached| cached.protocol.clone()),
        title: None,
        version: None,
        tool_count: cached.as_ref().map(|cached| cached.definitions.len()),
        skipped_tools: Vec::new(),
        startup_time: cached.as_ref().map(|cached| cached.started_in),
        pid: None,
        memory: None,
        stderr: Vec::new(),
        noise_lines: 0,
        restarts: server.starts.load(Ordering::Relaxed).saturating_sub(1),
    };
    let tail = server.tail.lock().unwrap_or_else(PoisonError::into_inner).clone();
    status.stderr = tail.last(usize::MAX);
    status.noise_lines = tail.noise_count();
    if let Some(took) = *server.started_in.lock().unwrap_or_else(PoisonError::into_inner) {
        status.startup_time = Some(took);
    }
    let mut group = None;
    match &*server.state() {
        _ if !server.config.missing.is_empty() => {
            status.state = ServerState::Missing { variables: server.config.missing.clone() };
        }
        ServerLifecycle::Idle => {}
        ServerLifecycle::Closed => status.state = ServerState::Closed,
        ServerLifecycle::Starting(..) => status.state = ServerState::Starting,
        ServerLifecycle::Failed { error, until } => {
            let (reason, now) = (error.reason(), Instant::now());
            status.state = match *until > now {
                true => ServerState::BackingOff { reason, retry_in: *until - now },
                false => ServerState::Failed { reason },
            };
        }
        ServerLifecycle::Running(connection) => {
            let description = &connection.description;
            status.state = ServerState::Running;
            status.era = Some(description.era);
            status.protocol = Some(description.protocol.clone());
            status.title = description.title.clone();
            status.version = description.version.clone();
            status.pid = description.pid;
            group = description.group;
            if let Some(listing) = connection.current_tools() {
                status.tool_count = Some(listing.tools().len());
                status.skipped_tools = listing.skipped.clone();
            }
        }
    }
    (status, group)
}

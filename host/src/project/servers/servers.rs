//! The servers of a project, as embedders hold them.

use super::cloud::CloudConnection;
use super::known_project::KnownProject;
use super::lock_gate::{LockGate, StartCheck};
use super::needs::ServerNeeds;
use super::packages::{PackageState, ServerPackages, call_error};
use super::project_lock::{LockMode, ProjectLock};
use super::records::ServerRecords;
use super::routing_facts::RoutingFacts;
use crate::catalog::ObservedResults;
use crate::config::{Launch, ServerConfig};
use crate::error::Error;
use crate::install::Installer;
use crate::model::{
    CallError, Clock, Code, Difference, Package, ProgressCallback, Redactor, ResolvedTool,
    SystemClock, ToolName, ToolOrigin,
};
use crate::project::{Permissions, Project};
use crate::store::ServerCache;
use crate::upstream::{ServerStatus, ServerTools, UpstreamError, Upstreams};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// All servers that programs of a process may call, shared by its runs. Clones share all state. A
/// server is started on first use.
#[derive(Clone)]
pub struct Servers(Arc<ServerParts>);

/// The parts of a [`Servers`].
struct ServerParts {
    /// The servers themselves, running or not.
    upstreams: Upstreams,
    /// The connection for calls that are sent to the cloud.
    cloud: Option<CloudConnection>,
    /// The project that they belong to.
    known: Arc<KnownProject>,
    /// The packages that they are started from.
    packages: ServerPackages,
    /// The records about them.
    records: ServerRecords,
    /// What they are held against. Servers without a project have no lock.
    lock: Option<Arc<ProjectLock>>,
}

impl Servers {
    /// Returns servers without stored records.
    pub fn new(servers: Vec<ServerConfig>) -> Servers {
        let facts = RoutingFacts::new(servers.iter().map(|server| server.name.clone()));
        let upstreams = Upstreams::new(servers, None, Arc::new(SystemClock));
        let known = Arc::new(KnownProject::absent(facts));
        Servers(Arc::new(ServerParts {
            packages: ServerPackages::as_written(upstreams.clone(), known.clone()),
            upstreams,
            cloud: None,
            known,
            records: ServerRecords::default(),
            lock: None,
        }))
    }

    /// Returns the servers of a project. Their listings are cached in the project's own folder.
    ///
    /// # Errors
    /// If the URL of its cloud is not valid.
    pub fn of(project: &Project) -> Result<Servers, Error> {
        Servers::with_lock(project, LockMode::Update)
    }

    /// Returns the servers of a project, held against its lock in this way.
    ///
    /// # Errors
    /// As [`Servers::of`].
    pub fn with_lock(project: &Project, mode: LockMode) -> Result<Servers, Error> {
        Servers::with_cache(project, Some(project.state_folder()), mode)
    }

    /// Returns the servers of a project without a cache: no file is written.
    ///
    /// # Errors
    /// As [`Servers::of`].
    pub fn of_uncached(project: &Project, mode: LockMode) -> Result<Servers, Error> {
        Servers::with_cache(project, None, mode)
    }

    fn with_cache(
        project: &Project,
        folder: Option<PathBuf>,
        mode: LockMode,
    ) -> Result<Servers, Error> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let mut servers = project.servers.clone();
        for server in &mut servers {
            server.background &= is_allowed(project, &server.name);
        }
        let cache = folder.as_deref().map(ServerCache::open);
        let cloud = project.cloud.as_ref();
        let cloud = cloud.map(|cloud| CloudConnection::new(cloud, clock.clone())).transpose()?;
        let upstreams = Upstreams::new(servers, cache, clock);
        let known = Arc::new(KnownProject::of(project.clone()));
        let installer = Installer::new(&project.root, project.environment());
        let lock = Arc::new(ProjectLock::of(project, mode, folder.is_some()));
        let (pins, writes) = (lock.clone(), folder.is_some());
        let packages =
            ServerPackages::new(installer, pins, writes, upstreams.clone(), known.clone());
        let records = match folder {
            Some(folder) => ServerRecords::in_folder(project, folder),
            None => ServerRecords::default(),
        };
        Ok(Servers(Arc::new(ServerParts {
            upstreams,
            cloud,
            known,
            packages,
            records,
            lock: Some(lock),
        })))
    }

    /// Starts the servers that are configured to run before they are called, without waiting for
    /// them.
    pub fn start_background(&self) {
        for server in self.upstreams().background() {
            let servers = self.clone();
            tokio::spawn(async move {
                // A missing package is not installed for this.
                let ready = servers.packages().readiness(&server).await;
                let agreed = match servers.lock_gate() {
                    Some(gate) => {
                        matches!(gate.check_start(&server).await, Ok(StartCheck::Agreed))
                    }
                    None => true,
                };
                if agreed && ready.is_ok_and(|ready| ready.can_start()) {
                    servers.upstreams().start(&server);
                }
            });
        }
    }

    /// Reports whether the project has changed, is no longer trusted, and this was only noticed
    /// when a server was to be started. Then it should be read again.
    pub fn is_outdated(&self) -> bool {
        self.0.known.is_outdated()
    }

    /// Returns the names of all servers, in the order of the configuration.
    pub fn names(&self) -> Vec<String> {
        self.upstreams().names()
    }

    /// Returns a redactor for the values that the servers and the cloud currently get.
    pub fn redactor(&self) -> Redactor {
        let cloud = self.cloud().map(CloudConnection::upstreams);
        let configs = std::iter::once(self.upstreams()).chain(cloud).flat_map(|upstreams| {
            upstreams.names().into_iter().filter_map(|name| upstreams.config(&name))
        });
        Redactor::with_secrets(configs.flat_map(|config| config.declared_secrets()))
    }

    /// Returns the status of all servers.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.upstreams().status()
    }

    /// Returns the observed shapes of results, if they are stored.
    pub fn observed(&self) -> Option<&ObservedResults> {
        self.records().observed()
    }

    /// Stops all servers, gracefully if possible, and waits for it.
    pub async fn close(&self) {
        self.upstreams().close().await;
        if let Some(cloud) = self.cloud() {
            cloud.upstreams().close().await;
        }
        self.save_observations();
    }

    /// Writes the observations about the servers: the shapes of results that they do not declare.
    pub fn save_observations(&self) {
        self.records().save_observations();
    }

    /// Returns the state of the package that a server is started from. No registry is contacted.
    pub async fn package_state(&self, server: &str) -> PackageState {
        self.packages().state(server).await
    }

    /// Returns the package that must be installed before a server can be started, or `None`.
    ///
    /// # Errors
    /// If its launch line is not valid, or its registry cannot resolve the version.
    pub async fn missing_package(&self, server: &str) -> Result<Option<Package>, Error> {
        let Some(mut package) = self.packages().missing(server).await? else { return Ok(None) };
        if let Some(gate) = self.lock_gate()
            && let Some(pinned) = self.packages().pin(&package).await?
        {
            package.replaces = gate.check_install(server, pinned).await?;
        }
        Ok(Some(package))
    }

    /// Installs a package that a person has agreed to; its server will be started from it. Dropping
    /// the future leaves nothing behind. Returns the digest of all packages that were installed, or
    /// `None` if the server is not started from one.
    ///
    /// # Errors
    /// If it cannot be installed, or is not the package that its server requests.
    pub async fn install(
        &self,
        package: &Package,
        progress: ProgressCallback,
    ) -> Result<Option<String>, Error> {
        self.packages().install(package, progress).await
    }

    /// From now on nothing is fetched for packages: only what is on this machine is used.
    pub fn refuse_fetching(&self) {
        self.packages().refuse_fetching();
    }
}

/// The parts, for the providers of the router.
impl Servers {
    pub(crate) fn upstreams(&self) -> &Upstreams {
        &self.0.upstreams
    }

    pub(crate) fn cloud(&self) -> Option<&CloudConnection> {
        self.0.cloud.as_ref()
    }

    pub(crate) fn packages(&self) -> &ServerPackages {
        &self.0.packages
    }

    pub(crate) fn records(&self) -> &ServerRecords {
        &self.0.records
    }

    /// Returns the needs of servers before they can be called.
    pub(crate) fn needs(&self) -> ServerNeeds<'_> {
        let ServerParts { upstreams, known, packages, .. } = &*self.0;
        ServerNeeds { upstreams, known, packages, lock: self.lock_gate() }
    }

    /// Returns the gate that servers and tools pass, if there is a lock.
    pub(crate) fn lock_gate(&self) -> Option<LockGate<'_>> {
        let ServerParts { upstreams, known, packages, records, lock, .. } = &*self.0;
        Some(LockGate { lock: lock.as_deref()?, upstreams, known, packages, records })
    }

    /// Records that a tool is used as it is now, on another thread.
    pub(crate) async fn record_tool(
        &self,
        tool: ToolName,
        definition: Arc<str>,
    ) -> Result<(), CallError> {
        let Some(lock) = self.0.lock.clone() else { return Ok(()) };
        let recorded =
            tokio::task::spawn_blocking(move || lock.approve_tool(&tool, &definition)).await;
        match recorded {
            Ok(recorded) => recorded.map_err(call_error),
            Err(error) => Err(CallError::new(Code::Internal, error.to_string())),
        }
    }

    /// Returns the current routing facts.
    pub(crate) fn routing(&self) -> Arc<RoutingFacts> {
        self.0.known.routing()
    }

    /// Returns a tool that needs trust, if its server is declared only in untrusted files.
    pub(crate) fn untrusted(&self, tool: &ToolName) -> Option<ResolvedTool> {
        self.0.known.untrusted(tool)
    }

    /// Starts a server if it does not run, and lists its tools.
    pub(crate) async fn list(&self, server: &str) -> Result<Arc<ServerTools>, UpstreamError> {
        let listing = self.upstreams().list_tools(server).await?;
        self.records().record_use(server);
        Ok(listing)
    }

    /// Returns how a tool differs from its earlier version. `server` is the server that carries out
    /// its calls, if it is one of these.
    pub(crate) fn differences(
        &self,
        server: Option<&str>,
        tool: &ToolName,
        before: &ToolOrigin,
        now: &ToolOrigin,
    ) -> Vec<Difference> {
        let listing = server.and_then(|server| self.upstreams().current_tools(server));
        let listed = listing.as_ref().and_then(|listing| listing.get(tool.tool()));
        let launch_line = || self.launch_line(server?);
        self.records().differences(before, now, listed, launch_line)
    }

    /// Returns the launch line or URL of a server, without keys.
    fn launch_line(&self, server: &str) -> Option<String> {
        let declared = self.0.known.launch_line(server);
        declared.or_else(|| match self.upstreams().config(server)?.launch {
            Launch::Stdio { command, .. } => Some(command),
            Launch::Http { .. } => None,
        })
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// Reports whether a tool of a server may be called without asking: only such a server is started
/// before it is called.
fn is_allowed(project: &Project, server: &str) -> bool {
    let Permissions { allow, deny, .. } = &project.permissions;
    allow.iter().any(|pattern| pattern.may_cover_server(server))
        && !deny.iter().any(|pattern| pattern.covers_all_of(server))
}

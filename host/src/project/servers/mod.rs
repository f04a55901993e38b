//! The MCP servers of a project, as tools that programs call.
//!
//! In flows a name as a program spells it, out flows the tool that it means: `route` says whether a server's calls are made here
//! or by the cloud, `names` which of its tools is meant, `offer` what all servers offer. Then in flows a call and out its reply.
//!
//! **Invariant:** arguments are checked against the tool's schema before its server sees them.

mod changes;
pub(crate) mod names;
pub(crate) mod needs;
mod offer;
mod packages;
pub(crate) mod route;
mod usage;
mod validator_cache;

pub use offer::{Freshness, ToolOffer, UnavailableServer};
pub use packages::PackageState;

use crate::catalog::ObservedResults;
use crate::error::Error;
use crate::install::Installer;
use crate::model::{Clock, Redactor, Secret, SystemClock};
use crate::store::{Definitions, ServerCache};
use crate::upstream::{ServerStatus, ServerTools, UpstreamError, Upstreams};
use crate::{
    config::{Launch, ServerConfig},
    project::{Cloud, Permissions, Project},
};
use packages::PackageReadiness;
use route::Routes;
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use usage::ServerUsageRecorder;
use validator_cache::ValidatorCache;

/// The name under which the cloud is reached. It is nobody's name in programs.
pub(crate) const CLOUD: &str = "cloud";

/// All servers that programs of a process may call, shared by its runs. Clones share everything; none is started before it is
/// needed.
#[derive(Clone)]
pub struct Servers(pub(crate) Arc<ServersInner>);

pub(crate) struct ServersInner {
    pub(crate) upstreams: Upstreams,
    /// The cloud is one server that knows the tools of many.
    pub(crate) cloud: Option<Upstreams>,
    pub(crate) routes: RwLock<Arc<Routes>>,
    /// The project that they belong to, as it was last read.
    pub(crate) project: Option<Mutex<Project>>,
    /// Installs the packages that servers are started from; servers without a project are started as they are written.
    pub(crate) installer: Option<Installer>,
    /// Whether anything may be written into the project's folder.
    pub(crate) writes: bool,
    /// Whether the project was trusted when it was read, and is not any more.
    pub(crate) outdated: AtomicBool,
    pub(crate) checks: ValidatorCache,
    pub(crate) observed: Option<ObservedResults>,
    pub(crate) definitions: Option<Definitions>,
    pub(crate) usage: Option<ServerUsageRecorder>,
}

impl Servers {
    /// Returns servers that nothing is remembered of.
    pub fn new(servers: Vec<ServerConfig>) -> Servers {
        let routes = Routes::new(servers.iter().map(|server| server.name.clone()));
        Servers::over(servers, None, routes, None, None, None)
    }

    /// Returns the servers of a project. What they offer is remembered in the project's own folder.
    ///
    /// # Errors
    /// If the cloud that it names cannot be one.
    pub fn of(project: &Project) -> Result<Servers, Error> {
        Servers::remembered(project, Some(project.state_folder()))
    }

    /// The same, and nothing is remembered of them: nothing is written.
    ///
    /// # Errors
    /// As [`Servers::of`].
    pub fn of_unremembered(project: &Project) -> Result<Servers, Error> {
        Servers::remembered(project, None)
    }

    fn remembered(project: &Project, folder: Option<PathBuf>) -> Result<Servers, Error> {
        let routes = Routes::of(project);
        let cloud = match &project.cloud {
            Some(cloud) => Some(reach(cloud)?),
            None => None,
        };
        let usage = folder.is_some().then(|| ServerUsageRecorder::of(project));
        let mut servers = project.servers.clone();
        for server in &mut servers {
            server.background &= is_allowed(project, &server.name);
        }
        Ok(Servers::over(servers, folder, routes, cloud, usage, Some(project.clone())))
    }

    fn over(
        servers: Vec<ServerConfig>,
        folder: Option<PathBuf>,
        routes: Routes,
        cloud: Option<ServerConfig>,
        usage: Option<ServerUsageRecorder>,
        project: Option<Project>,
    ) -> Servers {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let cache = folder.as_deref().map(ServerCache::open);
        Servers(Arc::new(ServersInner {
            upstreams: Upstreams::new(servers, cache, clock.clone()),
            cloud: cloud.map(|cloud| Upstreams::new(vec![cloud], None, clock)),
            routes: RwLock::new(Arc::new(routes)),
            installer: project
                .as_ref()
                .map(|it| Installer::new(it.state_folder(), it.environment())),
            project: project.map(Mutex::new),
            writes: folder.is_some(),
            outdated: AtomicBool::new(false),
            checks: ValidatorCache::default(),
            definitions: folder.as_ref().map(Definitions::open),
            observed: folder.map(ObservedResults::open),
            usage,
        }))
    }

    /// Starts those that are configured to run before they are called, without waiting for them.
    pub fn start_background(&self) {
        for server in self.0.upstreams.background() {
            let servers = self.clone();
            tokio::spawn(async move {
                // What is not installed is not installed for this.
                if let Ok(PackageReadiness::Ready) = servers.standing(&server).await {
                    servers.0.upstreams.start(&server);
                }
            });
        }
    }

    /// Returns whether the project has changed in a way that it is not trusted with, and that only showed when a server was to
    /// be started: it is worth reading again.
    pub fn is_outdated(&self) -> bool {
        self.0.outdated.load(Ordering::Relaxed)
    }

    /// Returns the names of all servers, in the order of the configuration.
    pub fn names(&self) -> Vec<String> {
        self.0.upstreams.names()
    }

    /// Returns what hides the values that the servers, and the cloud, are given at the moment.
    pub fn redactor(&self) -> Redactor {
        let all = std::iter::once(&self.0.upstreams).chain(&self.0.cloud);
        let configs = all.flat_map(|upstreams| {
            upstreams.names().into_iter().filter_map(|name| upstreams.config(&name))
        });
        Redactor::knowing(configs.flat_map(|config| config.declared_secrets()))
    }

    /// Where calls go at the moment.
    pub(crate) fn routes(&self) -> Arc<Routes> {
        self.0.routes.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns how all servers are.
    pub fn status(&self) -> Vec<ServerStatus> {
        self.0.upstreams.status()
    }

    /// Returns the shapes of results that were seen, where they are kept.
    pub fn observed(&self) -> Option<&ObservedResults> {
        self.0.observed.as_ref()
    }

    /// Ends all servers, gracefully if they let us, and waits for it.
    pub async fn close(&self) {
        self.0.upstreams.close().await;
        if let Some(cloud) = &self.0.cloud {
            cloud.close().await;
        }
        self.keep();
    }

    /// Writes down what was learnt of the servers in passing: the shapes of results that they say nothing about.
    pub fn keep(&self) {
        if let Some(observed) = &self.0.observed {
            // It is only a convenience: what cannot be kept is observed again.
            let _ = observed.flush();
        }
    }

    /// Starts a server if need be, and lists its tools.
    pub(crate) async fn list(&self, server: &str) -> Result<Arc<ServerTools>, UpstreamError> {
        let listing = self.0.upstreams.list(server).await?;
        if let Some(usage) = &self.0.usage {
            usage.note(server);
        }
        Ok(listing)
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// Whether a tool of a server may be called without asking: only then it is started before it is called.
fn is_allowed(project: &Project, server: &str) -> bool {
    let Permissions { allow, deny, .. } = &project.permissions;
    allow.iter().any(|pattern| pattern.touches(server))
        && !deny.iter().any(|pattern| pattern.covers_all_of(server))
}

/// The cloud as a server.
fn reach(cloud: &Cloud) -> Result<ServerConfig, Error> {
    let mut server = ServerConfig::http(CLOUD, cloud.url.clone())?;
    if let (Some(name), None) = (&cloud.api_key_env, &cloud.api_key) {
        server.missing.push(name.clone());
    }
    if let Launch::Http { headers, .. } = &mut server.launch {
        headers.push(("X-PML-Client".into(), Secret::new("package")));
        let key = cloud.api_key.clone().map(|key| ("x-api-key".to_owned(), key));
        headers.extend(key);
    }
    Ok(server)
}

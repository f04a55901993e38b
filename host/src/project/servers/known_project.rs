//! The project that servers belong to, as it was last read.

use super::needs::lacking;
use super::routing_facts::RoutingFacts;
use super::usage::shown;
use crate::model::{NameMatch, Need, ResolvedTool, ToolName, meant};
use crate::project::Project;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// What is known of a project. Servers without a project have facts about where calls go all the
/// same.
pub(crate) struct KnownProject {
    project: Option<Mutex<Project>>,
    routing: RwLock<Arc<RoutingFacts>>,
    /// Whether the project was trusted when it was read, and is not any more.
    outdated: AtomicBool,
}

impl KnownProject {
    /// Returns what is known of a project that was just read.
    pub(super) fn of(project: Project) -> KnownProject {
        let facts = RoutingFacts::of(&project);
        KnownProject { project: Some(Mutex::new(project)), ..KnownProject::absent(facts) }
    }

    /// Returns what is known where there is no project.
    pub(super) fn absent(facts: RoutingFacts) -> KnownProject {
        let routing = RwLock::new(Arc::new(facts));
        KnownProject { project: None, routing, outdated: AtomicBool::new(false) }
    }

    /// Returns the project, and keeps others from it as long as it is held. Returns `None` if there
    /// is none.
    pub(super) fn lock(&self) -> Option<MutexGuard<'_, Project>> {
        let project = self.project.as_ref()?;
        Some(project.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns what decides where calls go at the moment.
    pub(super) fn routing(&self) -> Arc<RoutingFacts> {
        self.routing.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns whether the project has lost its trust since it was read.
    pub(super) fn is_outdated(&self) -> bool {
        self.outdated.load(Ordering::Relaxed)
    }

    /// Puts the project as it is now in the place of the one that is held.
    pub(super) fn replace(&self, held: &mut Project, now: Project) {
        let facts = Arc::new(RoutingFacts::of(&now));
        *self.routing.write().unwrap_or_else(PoisonError::into_inner) = facts;
        self.outdated.store(!now.trust.is_trusted(), Ordering::Relaxed);
        *held = now;
    }

    /// Returns a tool of a server that only files name which nobody has trusted.
    pub(super) fn untrusted(&self, tool: &ToolName) -> Option<ResolvedTool> {
        let project = self.lock()?;
        let need = project.trust_need()?;
        let names = project.declared.servers.iter().map(|server| server.name.as_str());
        let NameMatch::One(server) = meant(tool.server(), names) else { return None };
        lacking(server, tool, Need::Trust(need)).ok()
    }

    /// Returns the launch line or URL of a server as it was written, without keys.
    pub(super) fn launch_line(&self, server: &str) -> Option<String> {
        let project = self.lock()?;
        Some(shown(&project.declared_server(server)?.launch))
    }
}

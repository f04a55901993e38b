//! The project of a set of servers, as it was last read.

use super::needs::lacking;
use super::routing_facts::RoutingFacts;
use super::usage::shown;
use crate::model::{NameMatch, Need, ResolvedTool, ToolName, match_name};
use crate::project::Project;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// The last known state of a project. Servers without a project still have routing facts.
pub(crate) struct KnownProject {
    project: Option<Mutex<Project>>,
    routing: RwLock<Arc<RoutingFacts>>,
    /// Whether the project was trusted when it was read, and no longer is.
    outdated: AtomicBool,
}

impl KnownProject {
    /// Returns the state of a project that was just read.
    pub(super) fn of(project: Project) -> KnownProject {
        let facts = RoutingFacts::of(&project);
        KnownProject { project: Some(Mutex::new(project)), ..KnownProject::absent(facts) }
    }

    /// Returns the state of servers without a project.
    pub(super) fn absent(facts: RoutingFacts) -> KnownProject {
        let routing = RwLock::new(Arc::new(facts));
        KnownProject { project: None, routing, outdated: AtomicBool::new(false) }
    }

    /// Locks the project, and returns it. Returns `None` if there is no project.
    pub(super) fn lock(&self) -> Option<MutexGuard<'_, Project>> {
        let project = self.project.as_ref()?;
        Some(project.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the current routing facts.
    pub(super) fn routing(&self) -> Arc<RoutingFacts> {
        self.routing.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reports whether the project has lost its trust since it was read.
    pub(super) fn is_outdated(&self) -> bool {
        self.outdated.load(Ordering::Relaxed)
    }

    /// Replaces the locked project with its current version.
    pub(super) fn replace(&self, held: &mut Project, now: Project) {
        let facts = Arc::new(RoutingFacts::of(&now));
        *self.routing.write().unwrap_or_else(PoisonError::into_inner) = facts;
        self.outdated.store(!now.trust.is_trusted(), Ordering::Relaxed);
        *held = now;
    }

    /// Returns a tool that needs trust, if its server is declared only in untrusted files.
    pub(super) fn untrusted(&self, tool: &ToolName) -> Option<ResolvedTool> {
        let project = self.lock()?;
        let need = project.trust_need()?;
        let names = project.declared.servers.iter().map(|server| server.name.as_str());
        let NameMatch::One(server) = match_name(tool.server(), names) else { return None };
        lacking(server, tool, Need::Trust(need)).ok()
    }

    /// Returns the launch line or URL of a server as it was written, without keys.
    pub(super) fn launch_line(&self, server: &str) -> Option<String> {
        let project = self.lock()?;
        Some(shown(&project.declared_server(server)?.launch))
    }
}

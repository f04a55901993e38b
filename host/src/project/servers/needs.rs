//! What a server lacks before it can be called, and how that comes about: a package that is installed, a variable that is set,
//! files that are trusted.
//!
//! **Invariant:** nothing is brought about here that was not agreed to word for word: a `Need` says what was shown, and what has
//! become something else is refused.

use super::Servers;
use super::packages::refused;
use super::route::Routes;
use crate::model::{CallError, MissingVariables, NameMatch, Need, ToolName, TrustNeed, meant};
use crate::model::{ProgressCallback, ResolvedTool};
use crate::{config::ServerConfig, project::Project};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

impl Servers {
    pub(crate) fn project(&self) -> Option<MutexGuard<'_, Project>> {
        let project = self.0.project.as_ref()?;
        Some(project.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A tool of a server that only files name which nobody has trusted.
    pub(crate) fn untrusted(&self, tool: &ToolName) -> Option<ResolvedTool> {
        let project = self.project()?;
        let need = project.trust_need()?;
        let names = project.declared.servers.iter().map(|server| server.name.as_str());
        let NameMatch::One(server) = meant(tool.server(), names) else { return None };
        lacking(server, tool, Need::Trust(need)).ok()
    }

    /// What a server lacks.
    pub(crate) async fn need(&self, server: &str) -> Result<Option<Need>, CallError> {
        if let Some(need) = self.changed_scripts(server).await? {
            return Ok(Some(Need::Trust(need)));
        }
        if let Some(package) = self.missing_package(server).await.map_err(refused)? {
            return Ok(Some(Need::Install(package)));
        }
        let Some(config) = self.0.upstreams.config(server) else { return Ok(None) };
        if config.missing.is_empty() {
            return Ok(None);
        }
        // Without a project there is no file to write them into, and the error says so.
        let Some(project) = self.project() else { return Ok(None) };
        let file = project.variables_file().to_string_lossy().into_owned();
        Ok(Some(Need::Variables(MissingVariables::new(server, config.missing, file))))
    }

    /// What has to be trusted anew before a server is started: files that its launch line names may have changed since the
    /// project was read.
    async fn changed_scripts(&self, server: &str) -> Result<Option<TrustNeed>, CallError> {
        let upstreams = &self.0.upstreams;
        let Some(config) = upstreams.config(server).filter(|_| !upstreams.is_running(server))
        else {
            return Ok(None);
        };
        let changed = tokio::task::spawn_blocking(move || config.pinned.changed()).await;
        if changed.is_ok_and(|files| files.is_empty()) {
            return Ok(None);
        }
        let Some(mut project) = self.project() else { return Ok(None) };
        let now = project.again().map_err(refused)?;
        self.take(&mut project, now);
        Ok(project.trust_need())
    }

    /// Has the project as it is now from here on.
    fn take(&self, project: &mut Project, now: Project) {
        for config in &now.servers {
            // One that is started from its package is the same server, with another command.
            let same = |known: &ServerConfig| {
                known.package.is_some()
                    && known.identity == config.identity
                    && known.secrets == config.secrets
                    && known.pinned == config.pinned
            };
            if !self.0.upstreams.config(&config.name).is_some_and(|known| same(&known)) {
                self.0.upstreams.put(config.clone());
            }
        }
        let routes = Arc::new(Routes::of(&now));
        *self.0.routes.write().unwrap_or_else(PoisonError::into_inner) = routes;
        self.0.outdated.store(!now.trust.is_trusted(), Ordering::Relaxed);
        *project = now;
    }

    /// Brings about what was agreed to.
    pub(crate) async fn bring_about(
        &self,
        need: Need,
        tell: ProgressCallback,
    ) -> Result<(), CallError> {
        match need {
            Need::Install(package) => self.install(&package, tell).await.map(drop).map_err(refused),
            Need::Variables(variables) => self.read_again(&variables.server),
            Need::Trust(trust) => self.trust(&trust),
            _ => Ok(()),
        }
    }

    /// Takes the variables of a server as they are now.
    fn read_again(&self, server: &str) -> Result<(), CallError> {
        let Some(mut project) = self.project() else { return Ok(()) };
        let now = project.again().map_err(refused)?;
        if !now.trust.is_trusted() {
            // A variable that decides something came with it: that is asked about next.
            self.take(&mut project, now);
            return Ok(());
        }
        if let Some(config) = now.servers.iter().find(|config| config.name == server) {
            self.0.upstreams.put(config.clone());
        }
        *project = now;
        Ok(())
    }

    /// Trusts the project's files, and has its servers from there on.
    fn trust(&self, need: &TrustNeed) -> Result<(), CallError> {
        let Some(mut project) = self.project() else { return Ok(()) };
        if project.trust.is_trusted() {
            return Ok(());
        }
        let now = project.accept(need).map_err(refused)?;
        self.take(&mut project, now);
        Ok(())
    }
}

/// A tool that cannot be called yet, under the name that its server has here.
pub(crate) fn lacking(
    server: &str,
    tool: &ToolName,
    need: Need,
) -> Result<ResolvedTool, CallError> {
    let name = format!("{server}:{}", tool.tool()).parse();
    let name = name.map_err(|_| CallError::unknown(tool.as_str()))?;
    Ok(ResolvedTool::lacking(name, need))
}

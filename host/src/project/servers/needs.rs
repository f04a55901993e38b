//! The needs of a server before it can be called: a package to install, a variable to set, files to
//! trust.
//!
//! **Invariant:** only agreed actions are carried out. A `Need` contains what was shown; if that
//! has changed since, it is refused.

use super::known_project::KnownProject;
use super::lock_gate::{LockGate, StartCheck};
use super::packages::{ServerPackages, call_error};
use crate::model::{CallError, MissingVariables, Need, ToolChange, ToolName, TrustNeed};
use crate::model::{ProgressCallback, ResolvedTool};
use crate::upstream::Upstreams;
use crate::{config::ServerConfig, project::Project};

/// The needs of servers before they can be called.
pub(crate) struct ServerNeeds<'a> {
    pub(super) upstreams: &'a Upstreams,
    pub(super) known: &'a KnownProject,
    pub(super) packages: &'a ServerPackages,
    /// `None` if the servers belong to no project.
    pub(super) lock: Option<LockGate<'a>>,
}

impl ServerNeeds<'_> {
    /// Returns the need of a server, or `None` if it can be called.
    pub(crate) async fn of(&self, server: &str) -> Result<Option<Need>, CallError> {
        if let Some(need) = self.changed_launch_files(server).await? {
            return Ok(Some(Need::Trust(need)));
        }
        if let Some(mut package) = self.packages.missing(server).await.map_err(call_error)? {
            if let (Some(lock), Some(pinned)) =
                (&self.lock, self.packages.pin(&package).await.map_err(call_error)?)
            {
                package.replaces = lock.check_install(server, pinned).await.map_err(call_error)?;
            }
            return Ok(Some(Need::Install(package)));
        }
        if let Some(lock) = &self.lock
            && !self.upstreams.is_running(server)
            && let StartCheck::Changed(change) =
                lock.check_start(server).await.map_err(call_error)?
        {
            return Ok(Some(Need::Change(change)));
        }
        let Some(config) = self.upstreams.config(server) else { return Ok(None) };
        if config.missing.is_empty() {
            return Ok(None);
        }
        // Without a project there is no file to write them into; the call's error says so.
        let Some(project) = self.known.lock() else { return Ok(None) };
        let file = project.variables_file().to_string_lossy().into_owned();
        Ok(Some(Need::Variables(MissingVariables::new(server, config.missing, file))))
    }

    /// Returns what has to be trusted again before a server is started: files that its launch line
    /// names may have changed since the project was read.
    async fn changed_launch_files(&self, server: &str) -> Result<Option<TrustNeed>, CallError> {
        let upstreams = self.upstreams;
        let Some(config) = upstreams.config(server).filter(|_| !upstreams.is_running(server))
        else {
            return Ok(None);
        };
        let changed = tokio::task::spawn_blocking(move || config.pinned.changed()).await;
        if changed.is_ok_and(|files| files.is_empty()) {
            return Ok(None);
        }
        let Some(mut project) = self.known.lock() else { return Ok(None) };
        let now = project.reload().map_err(call_error)?;
        self.replace_project(&mut project, now);
        Ok(project.trust_need())
    }

    /// Replaces the project with its current version.
    fn replace_project(&self, project: &mut Project, now: Project) {
        for config in &now.servers {
            // A server that is started from its package is the same server, with another command.
            let same = |known: &ServerConfig| {
                known.package.is_some()
                    && known.identity == config.identity
                    && known.secrets == config.secrets
                    && known.pinned == config.pinned
            };
            if !self.upstreams.config(&config.name).is_some_and(|known| same(&known)) {
                self.upstreams.insert_or_replace(config.clone());
            }
        }
        self.known.replace(project, now);
    }

    /// Fulfills a need that was agreed to.
    pub(crate) async fn fulfill(
        &self,
        need: Need,
        progress: ProgressCallback,
    ) -> Result<(), CallError> {
        match need {
            Need::Install(package) => {
                self.packages.install(&package, progress).await.map_err(call_error)?;
                match &self.lock {
                    Some(lock) => lock.approve_installed(&package.server).await.map_err(call_error),
                    None => Ok(()),
                }
            }
            Need::Change(ToolChange { server: Some(shown), .. }) => match &self.lock {
                Some(lock) => lock.approve_start(&shown).await.map_err(call_error),
                None => Ok(()),
            },
            Need::Variables(variables) => self.reload_variables(&variables.server),
            Need::Trust(trust) => self.trust(&trust),
            _ => Ok(()),
        }
    }

    /// Reads the variables of a server again.
    fn reload_variables(&self, server: &str) -> Result<(), CallError> {
        let Some(mut project) = self.known.lock() else { return Ok(()) };
        let now = project.reload().map_err(call_error)?;
        if !now.trust.is_trusted() {
            // The new variables include one that decides something: trust in it is asked for next.
            self.replace_project(&mut project, now);
            return Ok(());
        }
        if let Some(config) = now.servers.iter().find(|config| config.name == server) {
            self.upstreams.insert_or_replace(config.clone());
        }
        *project = now;
        Ok(())
    }

    /// Trusts the project's files, and activates its servers.
    fn trust(&self, need: &TrustNeed) -> Result<(), CallError> {
        let Some(mut project) = self.known.lock() else { return Ok(()) };
        if project.trust.is_trusted() {
            return Ok(());
        }
        let now = project.accept_trust(need).map_err(call_error)?;
        self.replace_project(&mut project, now);
        Ok(())
    }
}

/// Returns a tool that cannot be called yet, under the local name of its server.
pub(crate) fn lacking(
    server: &str,
    tool: &ToolName,
    need: Need,
) -> Result<ResolvedTool, CallError> {
    let name = format!("{server}:{}", tool.tool()).parse();
    let name = name.map_err(|_| CallError::unknown(tool.as_str()))?;
    Ok(ResolvedTool::with_need(name, need))
}

//! A project: its files, read once, and the settings that take effect.
//!
//! Input: a folder. Output: a [`Project`].
//!
//! **Invariant:** for a project that is not trusted, no variable is expanded and no permission is
//! granted: its deny and ask patterns take effect, and everything else is ignored.

use super::file_names::ENV_FILE;
use super::journal::ProjectJournal;
use super::locate::locate;
use super::parts::{
    ApprovalSettings, Cloud, DeclaredServer, Permissions, ProjectDeclarations, RoutingRule,
    UnusableCause, UnusableServer,
};
use super::routing_cache;
use super::trust::{ManifestDigests, TrustState, TrustStore, changed};
use super::variables::ExpansionVariables;
use crate::config::Environment;
use crate::config::PinnedFiles;
use crate::config::ServerConfig;
use crate::error::Error;
use crate::install::UnusedPackages;
use crate::model::{Durability, Limits, Secret};
use crate::project::project_files::ProjectFiles;
use crate::project::server_entry::ServerEntry;
use crate::project::{MCP_FILE, PML_FILE};
use crate::store::ProjectState;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A project and its settings.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Project {
    /// Its folder.
    pub root: PathBuf,
    /// Whether its files are trusted. If they are not, the other fields are as if the files did not
    /// exist, except that their deny and ask patterns apply, and that `declared` has their
    /// contents.
    pub trust: TrustState,
    /// The permissions. Without a file, every tool is asked about.
    pub permissions: Permissions,
    /// The servers that programs may call, with all variables expanded.
    pub servers: Vec<ServerConfig>,
    /// Servers that are declared but cannot be used.
    pub unusable: Vec<UnusableServer>,
    /// The project's own routing rules, in the order written.
    pub routing: Vec<RoutingRule>,
    /// The cloud's routing rules, as last received.
    pub synced_routing: Vec<RoutingRule>,
    /// The cloud that carries out server-routed calls.
    pub cloud: Option<Cloud>,
    /// The limits of a run.
    pub limits: Limits,
    /// Settings for asking people.
    pub approvals: ApprovalSettings,
    /// The failures that the journal survives.
    pub durability: Durability,
    /// The contents of the files, trusted or not, as written.
    pub declared: ProjectDeclarations,
    pub(super) digests: ManifestDigests,
    /// The file that records whether the files are trusted.
    trust_store: Option<PathBuf>,
    /// The environment that it was read with.
    pub(super) environment: Arc<Environment>,
}

impl Project {
    /// Loads the project around `folder`, with the variables of this process.
    ///
    /// # Errors
    /// If one of its files is unreadable or invalid, belongs to another user, or leads out of the
    /// project.
    pub fn load(folder: &Path) -> Result<Project, Error> {
        Project::load_with_environment(folder, &Environment::of_process())
    }

    /// Loads the project around `folder`, with the given variables.
    ///
    /// # Errors
    /// As [`Project::load`].
    pub fn load_with_environment(
        folder: &Path,
        environment: &Environment,
    ) -> Result<Project, Error> {
        let (files, trust) = ProjectFiles::read_with_trust(folder, environment)?;
        files.into_project(trust, environment)
    }

    /// Loads the project around `folder` as if it were trusted, including its `.env`, and records
    /// nothing: for machines that check out their owner's own code.
    ///
    /// # Errors
    /// As [`Project::load`].
    pub fn load_trusted(folder: &Path, environment: &Environment) -> Result<Project, Error> {
        let files = ProjectFiles::read(folder, environment)?;
        let trust = match files.digests.is_empty() {
            true => TrustState::NotNeeded,
            false => TrustState::Trusted,
        };
        files.into_project(trust, environment)
    }

    /// Loads the project around `folder` for a user who has decided to trust `accepted`: its files
    /// are trusted as long as they are the same as in `accepted`. Changed files are trusted only if
    /// this user has recorded trust in them.
    ///
    /// # Errors
    /// As [`Project::load`].
    pub fn load_accepted(
        folder: &Path,
        environment: &Environment,
        accepted: &Project,
    ) -> Result<Project, Error> {
        let (files, recorded) = ProjectFiles::read_with_trust(folder, environment)?;
        let changed = changed(&accepted.digests, &files.digests);
        let trust = if files.root == accepted.root && changed.is_empty() {
            accepted.trust.clone()
        } else if recorded == TrustState::Trusted {
            recorded
        } else {
            TrustState::changed(changed, &accepted.digests)
        };
        files.into_project(trust, environment)
    }

    /// Records that this user trusts the files as they were when they were read. This value does
    /// not change: load the project again.
    ///
    /// # Errors
    /// If it cannot be recorded.
    pub fn grant_trust(&self, environment: &Environment) -> Result<(), Error> {
        if self.digests.is_empty() {
            return Ok(());
        }
        let store = TrustStore::required(environment, &self.root)?;
        store.grant(&self.root, &self.digests, &store.lock()?)
    }

    /// Removes this user's trust in the folder, whatever its files are now. Reports whether it was
    /// trusted.
    ///
    /// # Errors
    /// If it cannot be recorded.
    pub fn revoke_trust(folder: &Path, environment: &Environment) -> Result<bool, Error> {
        let root = locate(folder, environment);
        TrustStore::required(environment, &root)?.revoke(&root)
    }

    /// Returns the digest of each part that needs trust, by name: the settings files, the files
    /// that launch lines name (`./tools/docs.py`), and the variables of `.env` that decide
    /// something (`.env:NAME`).
    pub fn digests(&self) -> impl Iterator<Item = (&str, &str)> {
        self.digests.iter().map(|(name, digest)| (name.as_str(), digest.as_str()))
    }

    /// Returns the names of the settings files that exist.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let settings = |name: &&str| [PML_FILE, MCP_FILE].contains(name);
        self.digests.keys().map(String::as_str).filter(settings)
    }

    /// Returns the files that determine the project: its own and those that launch lines name,
    /// existing or not, and the file that records trust.
    pub fn sources(&self) -> Vec<PathBuf> {
        let own = [PML_FILE, MCP_FILE, ENV_FILE].map(|name| self.root.join(name));
        let named = self.declared.files.iter().map(|file| self.root.join(&file.name));
        own.into_iter().chain(named).chain(self.trust_store.clone()).collect()
    }

    /// Returns the folder of the project's state.
    pub fn state_folder(&self) -> PathBuf {
        self.root.join(ProjectState::FOLDER)
    }

    /// Returns the packages that an older pml installed into the project, or `None` if there are
    /// none.
    pub fn unused_packages(&self) -> Option<UnusedPackages> {
        UnusedPackages::of(&self.state_folder())
    }

    /// Returns the folder of its journal, in the user's state folder: for
    /// [`Store::open`](crate::Store::open).
    ///
    /// # Errors
    /// If the user has no state folder, or one that may not be used for this project; if it cannot
    /// be created.
    pub fn journal_folder(&self) -> Result<PathBuf, Error> {
        let journal = ProjectJournal::of(&self.root, &self.environment)?;
        journal.prepare()?;
        Ok(journal.folder())
    }

    /// Returns the declaration of a server, or `None`.
    pub fn declared_server(&self, name: &str) -> Option<&DeclaredServer> {
        self.declared.servers.iter().find(|declared| declared.name == name)
    }
}

impl ProjectFiles {
    fn into_project(
        mut self,
        trust: TrustState,
        environment: &Environment,
    ) -> Result<Project, Error> {
        // A change of this file is a reason to reload. If the location of trust is refused, it is
        // ignored.
        let store = TrustStore::of(environment, &self.root).ok().flatten();
        let permissions = self.resolved.permissions.take().unwrap_or_default();
        let Permissions { allow, grants, .. } = permissions.clone();
        let mut project = Project {
            trust,
            declared: ProjectDeclarations {
                servers: self.declared_servers(),
                allow,
                grants,
                cloud: self.resolved.cloud.as_ref().map(|cloud| cloud.url.clone()),
                model_may_approve: self.resolved.approvals.model_may_approve,
                files: self.declared_files(),
                variables: self.declared_variables(),
            },
            digests: std::mem::take(&mut self.digests),
            trust_store: store.map(|store| store.path()),
            environment: Arc::new(environment.clone()),
            ..Project::restricted(self.root.clone(), permissions)
        };
        let unusable = std::mem::take(&mut self.unusable);
        if project.trust.is_trusted() {
            project.permissions.allow = project.declared.allow.clone();
            project.permissions.grants = project.declared.grants.clone();
            project.apply_trusted_settings(self, environment)?;
        }
        project.unusable.extend(unusable);
        Ok(project)
    }
}

impl Project {
    /// Returns a project that is not trusted: its files may only forbid.
    fn restricted(root: PathBuf, permissions: Permissions) -> Project {
        let Permissions { ask, deny, .. } = permissions;
        Project {
            root,
            trust: TrustState::Unknown,
            permissions: Permissions { ask, deny, ..Permissions::default() },
            servers: Vec::new(),
            unusable: Vec::new(),
            routing: Vec::new(),
            synced_routing: Vec::new(),
            cloud: None,
            limits: Limits::default(),
            approvals: ApprovalSettings::default(),
            durability: Durability::default(),
            declared: ProjectDeclarations::default(),
            digests: ManifestDigests::new(),
            trust_store: None,
            environment: Arc::default(),
        }
    }

    /// Applies all settings of trusted files.
    fn apply_trusted_settings(
        &mut self,
        mut files: ProjectFiles,
        environment: &Environment,
    ) -> Result<(), Error> {
        let resolved = std::mem::take(&mut files.resolved);
        let key = resolved.cloud.as_ref().and_then(|cloud| cloud.api_key_env.clone());
        let file = match key.is_some() || files.entries.iter().any(ServerEntry::needs_env_file) {
            true => files.take_variables()?,
            false => BTreeMap::new(),
        };
        let variables = ExpansionVariables::new(environment, &file);
        for entry in &files.entries {
            let name = &entry.declared.name;
            let cause = UnusableCause::Mistake;
            let unusable = |reason| UnusableServer { name: name.clone(), reason, cause };
            let launch_files = files.launch_files(name).map_err(unusable);
            let server = launch_files.and_then(|launch_files| {
                let mut server = entry.expand(&self.root, &variables)?;
                server.pinned = PinnedFiles::new(launch_files);
                Ok(server)
            });
            match server {
                Ok(server) => self.servers.push(server),
                Err(unusable) => self.unusable.push(unusable),
            }
        }
        self.cloud = resolved.cloud.map(|cloud| Cloud {
            api_key: key.and_then(|name| variables.of_process_or_file(&name)).map(Secret::new),
            ..cloud
        });
        self.routing = resolved.routing;
        if self.cloud.is_some() {
            self.synced_routing = routing_cache::read(&self.root);
        }
        self.limits = resolved.limits;
        self.approvals = resolved.approvals;
        self.durability = resolved.durability;
        Ok(())
    }
}

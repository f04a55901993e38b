//! The files of a project, read once: their contents, and the manifest of all parts that decide.
//!
//! Input: a folder. Output: [`ProjectFiles`].
//!
//! **Invariant:** digests are computed from the bytes that were parsed: no file is read a second
//! time.

use super::document::Document;
use super::dotenv;
use super::file_names::ENV_FILE;
use super::locate::locate;
use super::manifest::{LaunchFiles, ScanBudget, VariableRole, deciding_variables};
use super::parts::{
    DeclaredFile, DeclaredFileState, DeclaredServer, DeclaredVariable, Permissions, UnusableCause,
    UnusableServer,
};
use super::raw;
use super::raw_server::claude_servers;
use super::resolve::{ResolvedSettings, resolve};
use super::trust::{ManifestDigests, TrustState, TrustStore, digest_of};
use super::variables::ExpansionVariables;
use crate::config::Environment;
use crate::config::check_name;
use crate::error::Error;
use crate::model::{Secret, ToolPattern};
use crate::project::server_entry::ServerEntry;
use crate::{
    disk::user_files::{FileContents, read},
    project::{MCP_FILE, PML_FILE},
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files of a project, as read.
pub(super) struct ProjectFiles {
    pub(super) root: PathBuf,
    /// The settings of `.pml.json`, without its servers.
    pub(super) resolved: ResolvedSettings,
    /// All servers; an entry in `.pml.json` wins.
    pub(super) entries: Vec<ServerEntry>,
    /// Servers of `.mcp.json` whose names pml does not accept.
    pub(super) unusable: Vec<UnusableServer>,
    /// The same servers, as they are shown to a person.
    misnamed: Vec<DeclaredServer>,
    /// The files that the launch line of each server names, or the reason why it cannot be used.
    launch_files: BTreeMap<String, Result<LaunchFiles, String>>,
    /// The variables that decide something.
    roles: BTreeMap<String, VariableRole>,
    /// The variables of `.env`, if it was read.
    variables: Option<BTreeMap<String, Secret>>,
    /// The digest of each part that decides, by name.
    pub(super) digests: ManifestDigests,
}

impl ProjectFiles {
    /// Reads the files of the project around `folder`.
    pub(super) fn read(folder: &Path, environment: &Environment) -> Result<ProjectFiles, Error> {
        ProjectFiles::at(locate(folder, environment), environment)
    }

    /// Reads the files of the project in `root`.
    pub(super) fn at(root: PathBuf, environment: &Environment) -> Result<ProjectFiles, Error> {
        let (settings, servers) = (read(&root, PML_FILE)?, read(&root, MCP_FILE)?);
        let both = [(PML_FILE, &settings), (MCP_FILE, &servers)].into_iter();
        let digests = both.filter_map(|(name, file)| {
            Some((name.to_owned(), digest_of(name, &file.as_ref()?.bytes)))
        });
        let mut files = ProjectFiles {
            root,
            digests: digests.collect(),
            resolved: match settings {
                Some(file) => {
                    let document = Document::new(file)?;
                    resolve(&raw::settings(&document)?, &document)?
                }
                None => ResolvedSettings {
                    permissions: Some(ask_about_all()),
                    ..ResolvedSettings::default()
                },
            },
            entries: Vec::new(),
            unusable: Vec::new(),
            misnamed: Vec::new(),
            launch_files: BTreeMap::new(),
            roles: BTreeMap::new(),
            variables: None,
        };
        files.entries = std::mem::take(&mut files.resolved.entries);
        if let Some(file) = servers {
            files.add_servers(file)?;
        }
        files.add_manifest(environment)?;
        Ok(files)
    }

    /// Reads the files, and determines whether this user trusts them.
    pub(super) fn read_with_trust(
        folder: &Path,
        environment: &Environment,
    ) -> Result<(ProjectFiles, TrustState), Error> {
        let files = ProjectFiles::read(folder, environment)?;
        if files.digests.is_empty() {
            return Ok((files, TrustState::NotNeeded));
        }
        let Some(store) = TrustStore::of(environment, &files.root)? else {
            return Ok((files, TrustState::Unknown));
        };
        let trust = store.check(&files.root, &files.digests)?;
        if !matches!(trust, TrustState::Changed { .. }) {
            return Ok((files, trust));
        }
        // Another pml process may be between writing a file and recording it.
        store.wait();
        let files = ProjectFiles::read(folder, environment)?;
        let trust = store.check(&files.root, &files.digests)?;
        Ok((files, trust))
    }

    fn add_servers(&mut self, file: FileContents) -> Result<(), Error> {
        let document = Document::new(file)?;
        for server in claude_servers(&document)? {
            // The file belongs to another program, which accepts other names.
            if let Err(error) = check_name(&server.name) {
                let (name, reason) = (server.name.clone(), error.to_string());
                self.misnamed.push(ServerEntry::declared(&server, &document, Some(reason.clone())));
                let cause = UnusableCause::Mistake;
                self.unusable.push(UnusableServer { name, reason, cause });
                continue;
            }
            let entry = ServerEntry::new(&server, &document)?;
            if self.entries.iter().all(|known| known.declared.name != server.name) {
                self.entries.push(entry);
            }
        }
        Ok(())
    }

    /// Adds the parts that decide beside the settings.
    fn add_manifest(&mut self, environment: &Environment) -> Result<(), Error> {
        self.roles = deciding_variables(&self.entries);
        if !self.roles.is_empty() {
            let file = file_variables(&self.root)?;
            let set = self.roles.keys().filter_map(|name| Some((name, file.get(name)?)));
            self.digests.extend(set.map(|(name, value)| VariableRole::item(name, value)));
            self.variables = Some(file);
        }
        let none = BTreeMap::new();
        let variables =
            ExpansionVariables::new(environment, self.variables.as_ref().unwrap_or(&none));
        let mut budget = ScanBudget::default();
        for entry in &self.entries {
            let Some(line) = entry.launch_line(&self.root, &variables) else { continue };
            let launch_files = LaunchFiles::of(&self.root, line, &mut budget);
            if let Ok(launch_files) = &launch_files {
                let digests = launch_files.digests().iter();
                self.digests.extend(digests.map(|(name, digest)| (name.clone(), digest.clone())));
            }
            self.launch_files.insert(entry.declared.name.clone(), launch_files);
        }
        Ok(())
    }

    /// Returns the files that the launch line of a server names, or the reason why it cannot be
    /// used.
    pub(super) fn launch_files(&self, server: &str) -> Result<LaunchFiles, String> {
        self.launch_files.get(server).cloned().unwrap_or_else(|| Ok(LaunchFiles::default()))
    }

    /// Returns the variables of `.env`. They are never requested for an untrusted project.
    pub(super) fn take_variables(&mut self) -> Result<BTreeMap<String, Secret>, Error> {
        match self.variables.take() {
            Some(variables) => Ok(variables),
            None => file_variables(&self.root),
        }
    }

    /// Returns all servers, as they are shown to a person.
    pub(super) fn declared_servers(&self) -> Vec<DeclaredServer> {
        let entries = self.entries.iter().map(|entry| &entry.declared);
        entries.chain(&self.misnamed).cloned().collect()
    }

    /// Returns the files that launch lines name, as they are shown to a person.
    pub(super) fn declared_files(&self) -> Vec<DeclaredFile> {
        let mut declared = Vec::new();
        for entry in &self.entries {
            let server = &entry.declared.name;
            let Some(Ok(launch_files)) = self.launch_files.get(server) else { continue };
            let file = |(name, state): (&String, &DeclaredFileState)| DeclaredFile {
                server: server.clone(),
                name: name.clone(),
                state: state.clone(),
            };
            declared.extend(launch_files.states().iter().map(file));
        }
        declared
    }

    /// Returns the variables that decide something, as they are shown to a person.
    pub(super) fn declared_variables(&self) -> Vec<DeclaredVariable> {
        let in_file = |name: &String| {
            self.variables.as_ref().is_some_and(|variables| variables.contains_key(name))
        };
        let variable = |(name, role): (&String, &VariableRole)| DeclaredVariable {
            name: name.clone(),
            given_to: role.given_to.clone(),
            steers_loading: role.steers_loading,
            overrides_default: role.overrides_default,
            in_env_file: in_file(name),
        };
        self.roles.iter().map(variable).collect()
    }
}

fn file_variables(root: &Path) -> Result<BTreeMap<String, Secret>, Error> {
    match read(root, ENV_FILE)? {
        Some(file) => dotenv::parse(&file),
        None => Ok(BTreeMap::new()),
    }
}

fn ask_about_all() -> Permissions {
    let all = "*".parse::<ToolPattern>().expect("it covers everything");
    Permissions { ask: vec![all], ..Permissions::default() }
}

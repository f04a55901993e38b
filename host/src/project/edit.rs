//! Edits `.pml.json` without touching the user's own lines, comments and spacing.
//!
//! **Invariant:** the result is a file that pml can read. It is replaced atomically, by one process
//! at a time.
//! **Invariant:** an edit never makes an untrusted file trusted: the file stays trusted only if it
//! was trusted before, or if it did not exist. Additions from an agent's shell are never trusted,
//! whoever calls this.

use super::document::{Document, JSONC};
use super::fields::shown;
use super::locate::locate;
use super::new_server::check_new_server;
use super::raw;
use super::raw_server::claude_servers;
use super::resolve::{ResolvedSettings, resolve};
use super::trust::{ManifestDigests, TrustStore, digest_of};
use super::user::UserSettings;
use crate::config::Environment;
use crate::disk::user_files::replace;
use crate::error::Error;
use crate::model::{Code, ToolPattern, nearest};
use crate::project::agent_variable;
use crate::project::project_files::ProjectFiles;
use crate::{
    disk::user_files::{FileContents, PROJECT_FILE_SIZE, read},
    project::{MCP_FILE, PML_FILE},
};
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The contents of a new file.
const NEW: &str = "{\n  \"version\": \"0.1.0\",\n  \"permissions\": {\n    \"allow\": [],\n    \"deny\": [],\n    \"ask\": [\"*\"]\n  }\n}\n";

/// The `.pml.json` of a project, to be edited.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    root: PathBuf,
    store: TrustStore,
    environment: Environment,
}

/// The result of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditOutcome {
    /// Whether the file has changed.
    pub changed: bool,
    /// Whether the file is trusted as it is now.
    pub trusted: bool,
}

/// How to handle an entry that exists already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverwriteMode {
    /// It is an error.
    Refuse,
    /// The new entry replaces it.
    Replace,
}

/// Whether a person has reviewed what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewedBy {
    /// The user wrote it or agreed to it: a file that was trusted stays trusted.
    User,
    /// It came from an untrusted file: the new file is not trusted either.
    Nobody,
}

/// The condition without which an edit is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EditPrecondition {
    Nothing,
    /// The project is trusted as it is.
    Trust,
}

impl SettingsFile {
    /// Returns the settings file of the project around `folder`, whether it exists or not.
    ///
    /// # Errors
    /// If there is no folder in which to record trust.
    pub fn of(folder: &Path, environment: &Environment) -> Result<SettingsFile, Error> {
        let root = locate(folder, environment);
        let store = TrustStore::required(environment, &root)?;
        Ok(SettingsFile { root, store, environment: environment.clone() })
    }

    /// Returns the project's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes the file if it does not exist.
    ///
    /// # Errors
    /// If it cannot be written, or exists and is not valid.
    pub fn create(&self) -> Result<EditOutcome, Error> {
        self.edit(self.effective_review(ReviewedBy::User), |_| Ok(false))
    }

    /// Returns whether a person has reviewed an addition. Nobody has reviewed an agent's additions,
    /// unless this user lets agents make them.
    fn effective_review(&self, reviewed: ReviewedBy) -> ReviewedBy {
        let may = || UserSettings::load(&self.environment, &self.root);
        match agent_variable(&self.environment) {
            Some(_) if !may().is_ok_and(|settings| settings.agents_may_widen) => ReviewedBy::Nobody,
            _ => reviewed,
        }
    }

    /// Adds servers.
    ///
    /// # Errors
    /// If one exists and must not be replaced, or is not valid; then none is added.
    pub fn add_servers(
        &self,
        servers: &[(String, Value)],
        existing: OverwriteMode,
        reviewed: ReviewedBy,
    ) -> Result<EditOutcome, Error> {
        for (name, entry) in servers {
            check_new_server(name, entry)?;
        }
        self.edit(self.effective_review(reviewed), |settings| {
            for (name, entry) in servers {
                let list = settings.object_value_or_create("servers").ok_or_else(not_an_object)?;
                match (list.get(name), existing) {
                    (None, _) => drop(list.append(name, cst_value(entry))),
                    (Some(property), OverwriteMode::Replace) => {
                        property.set_value(cst_value(entry))
                    }
                    (Some(_), OverwriteMode::Refuse) => return Err(self.name_taken(name)),
                }
            }
            Ok(!servers.is_empty())
        })
    }

    /// Removes a server. If `.mcp.json` has a server of the same name, that one takes effect: no
    /// person has reviewed it, so the project is no longer trusted.
    ///
    /// # Errors
    /// If there is none of this name; the error names a similar one.
    pub fn remove_server(&self, name: &str) -> Result<EditOutcome, Error> {
        let hidden = match read(&self.root, MCP_FILE)? {
            Some(file) => claude_servers(&Document::new(file)?)?,
            None => Vec::new(),
        };
        let reviewed = match hidden.iter().any(|server| server.name == name) {
            true => ReviewedBy::Nobody,
            false => ReviewedBy::User,
        };
        self.edit(reviewed, |settings| {
            let servers = settings.object_value("servers");
            match servers.as_ref().and_then(|servers| servers.get(name)) {
                Some(property) => property.remove(),
                None => {
                    let servers = servers.map(|servers| servers.properties()).unwrap_or_default();
                    let names: Vec<_> =
                        servers.iter().filter_map(|server| server.decoded_name()).collect();
                    return Err(self.unknown(name, &names));
                }
            }
            Ok(true)
        })
    }

    /// Allows the tools of a pattern, if that pattern is not there yet.
    ///
    /// # Errors
    /// If the file is not valid or cannot be written.
    pub fn allow(&self, pattern: &ToolPattern) -> Result<EditOutcome, Error> {
        let pattern = String::from(pattern.clone());
        self.edit(ReviewedBy::User, |settings| {
            let permissions =
                settings.object_value_or_create("permissions").ok_or_else(not_an_object)?;
            let allow = permissions.array_value_or_create("allow").ok_or_else(not_an_object)?;
            let texts = allow.elements();
            let mut texts = texts.iter().filter_map(|element| element.as_string_lit());
            if texts.any(|text| text.decoded_value().is_ok_and(|text| text == pattern)) {
                return Ok(false);
            }
            allow.append(CstInputValue::String(pattern));
            Ok(true)
        })
    }

    fn edit(
        &self,
        reviewed: ReviewedBy,
        change: impl FnOnce(&CstObject) -> Result<bool, Error>,
    ) -> Result<EditOutcome, Error> {
        self.rewrite(EditPrecondition::Nothing, reviewed, |document| {
            let tree = CstRootNode::parse(document.text(), &JSONC).map_err(|_| not_an_object())?;
            let settings = tree.object_value().ok_or_else(not_an_object)?;
            Ok(change(&settings)?.then(|| tree.to_string()))
        })
    }

    /// Replaces the file with the result of `change`; `None` leaves it unchanged.
    pub(super) fn rewrite(
        &self,
        needed: EditPrecondition,
        reviewed: ReviewedBy,
        change: impl FnOnce(&Document) -> Result<Option<String>, Error>,
    ) -> Result<EditOutcome, Error> {
        let lock = self.store.lock()?;
        let before = read(&self.root, PML_FILE)?;
        let manifest = ProjectFiles::at(self.root.clone(), &self.environment)?.digests;
        if needed == EditPrecondition::Trust {
            self.check_trust(&manifest)?;
        }
        let was_trusted = match &before {
            Some(file) => self.store.is_file_trusted(
                &self.root,
                PML_FILE,
                &digest_of(PML_FILE, &file.bytes),
            )?,
            None => true,
        };
        let is_new = before.is_none();
        let new = || FileContents { path: self.root.join(PML_FILE), bytes: NEW.into() };
        let document = Document::new(before.unwrap_or_else(new))?;
        parse_settings(&document)?;
        let text = change(&document)?;
        let changed = text.is_some() || is_new;
        let path = document.path().to_path_buf();
        let text = text.unwrap_or_else(|| document.text().into());
        if text.len() as u64 > PROJECT_FILE_SIZE {
            let most = PROJECT_FILE_SIZE >> 10;
            let message = format!("`.pml.json` would be larger than {most} KiB, which is the most");
            return Err(Error::new(Code::Config, message)
                .with_hint("remove servers, patterns or grants that are no longer needed"));
        }
        parse_settings(&Document::new(FileContents {
            path: path.clone(),
            bytes: text.clone().into(),
        })?)?;
        if changed {
            replace(&path, text.as_bytes())?;
        }
        let trusted = was_trusted && (reviewed == ReviewedBy::User || !changed);
        if changed && trusted {
            let mut now = ProjectFiles::at(self.root.clone(), &self.environment)?.digests;
            // Only the written text is trusted, not a file that somebody may have put in its place.
            now.insert(PML_FILE.into(), digest_of(PML_FILE, text.as_bytes()));
            self.store.grant_written(&self.root, PML_FILE, &manifest, &now, &lock)?;
        }
        Ok(EditOutcome { changed, trusted })
    }

    /// Refuses an edit that would not take effect.
    fn check_trust(&self, manifest: &ManifestDigests) -> Result<(), Error> {
        match self.store.check(&self.root, manifest)?.reason() {
            None => Ok(()),
            Some(reason) => {
                let message = format!("nothing can always be allowed here: {reason}");
                Err(Error::new(Code::Untrusted, message).with_hint(
                    "read what it declares with `pml trust --show`, then trust it with `pml trust`",
                ))
            }
        }
    }

    fn name_taken(&self, name: &str) -> Error {
        let message = format!("`.pml.json` already has a server {}", shown(name));
        Error::new(Code::Config, message)
            .with_hint("choose another name, or replace the server with `--force`")
    }

    fn unknown(&self, name: &str, names: &[String]) -> Error {
        let message = format!("`.pml.json` has no server {}", shown(name));
        let near = nearest(name, names.iter().map(String::as_str));
        let hint = match (near.first(), names) {
            (Some(near), _) => format!("did you mean {}?", shown(near)),
            (None, []) => "it has no servers: `pml servers` lists those of all files".into(),
            (None, names) => {
                let names: Vec<_> = names.iter().map(|name| shown(name)).collect();
                format!("its servers are {}", names.join(", "))
            }
        };
        Error::new(Code::Config, message).with_hint(hint)
    }
}

/// Returns the settings of a document.
pub(super) fn parse_settings(document: &Document) -> Result<ResolvedSettings, Error> {
    resolve(&raw::settings(document)?, document)
}

pub(super) fn not_an_object() -> Error {
    Error::new(Code::Internal, "`.pml.json` changed while pml edited it")
}

pub(super) fn cst_value(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(cst_value).collect()),
        Value::Object(fields) => CstInputValue::Object(
            fields.iter().map(|(key, value)| (key.clone(), cst_value(value))).collect(),
        ),
    }
}

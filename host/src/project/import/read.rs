//! Reads the files of other clients.

use super::source::{ImportLocation, ImportScope, ImportSource};
use super::translate::{FoundServer, ImportTranslator};
use crate::config::Environment;
use crate::disk::user_files::{read, read_own};
use crate::error::Error;
use crate::project::document::Document;
use crate::project::locate::locate;
use crate::project::raw_server::SERVERS;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Maximum size of a file: Claude Code stores the history of all projects beside their servers.
const FILE_SIZE: u64 = 64 << 20;

/// The servers of other clients.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FoundServers {
    /// Servers that can be added to `.pml.json`. Each name is unique.
    pub servers: Vec<FoundServer>,
    /// Servers and files that cannot be imported, with the reason.
    pub skipped: Vec<SkippedImport>,
    /// The clients that have pml itself among their servers, with the file of each.
    pub clients_with_pml: Vec<(ImportSource, PathBuf)>,
}

/// A server or file that cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedImport {
    /// The server, or `None` for the whole file.
    pub name: Option<String>,
    /// The file.
    pub file: PathBuf,
    /// The reason.
    pub reason: String,
}

/// Returns the servers of `clients`, for the project around `folder`.
pub fn find_servers(
    folder: &Path,
    environment: &Environment,
    clients: &[ImportSource],
) -> FoundServers {
    let root = locate(folder, environment);
    let mut found = FoundServers::default();
    for client in clients {
        for location in client.locations(&root, environment) {
            let mut add = || -> Result<(), Error> {
                let Some(servers) = servers(&root, &location)? else { return Ok(()) };
                for (name, entry) in servers.into_iter().take(SERVERS) {
                    let translator =
                        ImportTranslator { client: *client, location: &location, root: &root };
                    match translator.translate(&name, &entry) {
                        Ok(Some(server)) => found.add(server),
                        Ok(None) => found.clients_with_pml.push((*client, location.path.clone())),
                        Err(reason) => found.skip(Some(name), &location.path, reason),
                    }
                }
                Ok(())
            };
            if let Err(error) = add() {
                found.skip(None, &location.path, error.to_string());
            }
        }
    }
    found
}

impl FoundServers {
    fn add(&mut self, server: FoundServer) {
        match self.servers.iter().find(|known| known.name == server.name) {
            None => self.servers.push(server),
            Some(known) if known.entry == server.entry => {}
            Some(known) => {
                let reason = format!("{} has another server of this name", known.client);
                self.skip(Some(server.name), &server.file, reason);
            }
        }
    }

    fn skip(&mut self, name: Option<String>, file: &Path, reason: String) {
        self.skipped.push(SkippedImport { name, file: file.into(), reason });
    }
}

/// Returns the entries at a location, by name.
fn servers(
    root: &Path,
    location: &ImportLocation,
) -> Result<Option<serde_json::Map<String, Value>>, Error> {
    let file = match location.scope {
        ImportScope::Project => {
            match location.path.strip_prefix(root).ok().and_then(Path::to_str) {
                Some(name) => read(root, name)?,
                None => None,
            }
        }
        ImportScope::User => read_own(&location.path, FILE_SIZE)?,
    };
    let Some(file) = file else { return Ok(None) };
    let document = Document::new(file)?;
    let Some(tree) = document.tree()? else { return Ok(None) };
    let mut value = Value::from(tree);
    for key in &location.keys {
        match value.get_mut(key) {
            Some(inner) => value = inner.take(),
            None => return Ok(None),
        }
    }
    match value {
        Value::Object(servers) => Ok(Some(servers)),
        Value::Null => Ok(None),
        _ => {
            let what = location.keys.last().map_or("", String::as_str);
            Err(document.error_at(0, format!("`{what}` must be an object")))
        }
    }
}

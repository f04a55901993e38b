//! Reads the files of other clients.

use super::source::{ImportLocation, ImportScope, ImportSource};
use super::translate::{FoundServer, ImportTranslator};
use crate::config::Environment;
use crate::disk::user_files::{read, read_own};
use crate::error::Error;
use crate::project::document::Document;
use crate::project::locate::locate;
use crate::project::raw_server::{SERVERS, is_pml};
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
    /// The clients that start `pml stdio`, with the file of each.
    pub clients_with_pml: Vec<(ImportSource, PathBuf)>,
    /// Entries that are named `pml`, or run it, and that do not start `pml stdio`.
    pub broken_pml_entries: Vec<BrokenPmlEntry>,
}

/// An entry that looks as if it started pml for a client, and does not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenPmlEntry {
    /// The client.
    pub client: ImportSource,
    /// The name of the entry.
    pub name: String,
    /// The file.
    pub file: PathBuf,
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
                        Ok(None) => found.add_pml(*client, name, &entry, &location.path),
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

    /// Adds an entry that is pml itself, by its name or its command.
    fn add_pml(&mut self, client: ImportSource, name: String, entry: &Value, file: &Path) {
        match starts_pml(entry, std::env::current_exe().ok().as_deref()) {
            true => self.clients_with_pml.push((client, file.into())),
            false => {
                self.broken_pml_entries.push(BrokenPmlEntry { client, name, file: file.into() });
            }
        }
    }

    fn skip(&mut self, name: Option<String>, file: &Path, reason: String) {
        self.skipped.push(SkippedImport { name, file: file.into(), reason });
    }
}

/// Reports whether an entry starts `pml stdio`: by its name, or as the running executable.
fn starts_pml(entry: &Value, running: Option<&Path>) -> bool {
    let Some(command) = entry.get("command").and_then(Value::as_str) else { return false };
    let arguments = entry.get("args").and_then(Value::as_array);
    let serves = arguments.is_some_and(|arguments| arguments.iter().any(|word| word == "stdio"));
    serves && (is_pml(command) || running.is_some_and(|running| running == Path::new(command)))
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

#[cfg(test)]
mod tests {
    use super::starts_pml;
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn only_what_serves_a_client_counts_as_pml() {
        let running = Some(Path::new("/opt/pml-dev"));
        for (entry, starts) in [
            (json!({ "command": "pml", "args": ["stdio"] }), true),
            (json!({ "command": "/usr/bin/pml", "args": ["--quiet", "stdio"] }), true),
            (json!({ "command": "/opt/pml-dev", "args": ["stdio"] }), true),
            (json!({ "command": "/else/pml-dev", "args": ["stdio"] }), false),
            (json!({ "command": "pml" }), false),
            (json!({ "command": "pml", "args": ["run", "x.ts"] }), false),
            (json!({ "command": "node", "args": ["pml", "stdio"] }), false),
            (json!({ "url": "https://host.example" }), false),
            (json!(1), false),
        ] {
            assert_eq!(starts_pml(&entry, running), starts, "{entry}");
        }
    }
}

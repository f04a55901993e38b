//! What this user has approved of a project's servers and tools, in their own state folder.
//!
//! The lock comes with the project: a pull or a clone may bring any entry. So what this user
//! approved is kept here too, as a set: an entry that they have approved before, on another branch
//! perhaps, asks nothing, and one that somebody else wrote is compared with the last one.
//!
//! **Invariant:** the file lies outside of the project. **Invariant:** a file that cannot be read
//! is an error; it never counts as empty.

use super::journal::ProjectJournal;
use crate::disk::user_files::{display_path, lock, read_own, replace};
use crate::error::Error;
use crate::lock::{Lock, LockFile, LockedServer};
use crate::model::{Code, ToolName};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Maximum size of the file.
const MAX_SIZE: u64 = 64 << 20;

/// Maximum number of entries that are kept of one server: those of the branches somebody works on.
const MAX_SERVERS: usize = 16;

/// Maximum number of definitions that are kept of one tool.
const MAX_TOOLS: usize = 64;

/// The newest format.
const VERSION: u32 = 1;

/// The file of approved entries.
#[derive(Clone, Debug)]
pub(crate) struct ApprovedFile {
    journal: ProjectJournal,
}

/// Everything that was approved in a project, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ApprovedEntries {
    version: u32,
    #[serde(default)]
    servers: BTreeMap<String, Vec<ApprovedServer>>,
    #[serde(default)]
    tools: BTreeMap<ToolName, Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ApprovedServer {
    /// The digest of the entry, for the platform that it was approved on.
    digest: String,
    /// The digest of its package, if it is started from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    package: Option<String>,
    /// The entry as a lock has it.
    entry: String,
}

impl ApprovedEntries {
    /// Reports whether an entry of a server with this digest was approved.
    pub(crate) fn has_server(&self, server: &str, digest: &str) -> bool {
        self.approved_servers(server).any(|approved| approved.digest == digest)
    }

    /// Returns the digests of the packages that a server was approved with.
    pub(crate) fn packages(&self, server: &str) -> impl Iterator<Item = &str> {
        self.approved_servers(server).filter_map(|approved| approved.package.as_deref())
    }

    fn approved_servers(&self, server: &str) -> impl Iterator<Item = &ApprovedServer> {
        self.servers.get(server).into_iter().flatten()
    }

    /// Returns the newest approved entry of a server.
    pub(crate) fn newest_server(&self, server: &str) -> Option<LockedServer> {
        let newest = self.servers.get(server)?.last()?;
        let lock = LockFile::parse(&newest.entry, LockFile::NAME.as_ref()).ok()?;
        lock.servers.into_values().next()
    }

    /// Returns the approved definitions of a tool, the newest last.
    pub(crate) fn definitions(&self, tool: &ToolName) -> &[String] {
        self.tools.get(tool).map_or(&[], Vec::as_slice)
    }

    fn add_server(&mut self, name: &str, server: &LockedServer) {
        let platform = server.platform();
        let digest = server.digest(platform);
        let known = self.servers.entry(name.into()).or_default();
        known.retain(|approved| approved.digest != digest);
        let entry = LockedServer { tools: BTreeMap::new(), ..server.clone() };
        let lock = Lock::with_server(name, entry);
        let package = server.package_digest(platform);
        known.push(ApprovedServer { digest, package, entry: LockFile::text_of(&lock) });
        drop_oldest(known, MAX_SERVERS);
    }

    fn add_tool(&mut self, tool: &ToolName, definition: &str) {
        let known = self.tools.entry(tool.clone()).or_default();
        known.retain(|approved| approved != definition);
        known.push(definition.into());
        drop_oldest(known, MAX_TOOLS);
    }
}

fn drop_oldest<T>(known: &mut Vec<T>, most: usize) {
    let too_many = known.len().saturating_sub(most);
    known.drain(..too_many);
}

impl ApprovedFile {
    /// Returns the file of a project.
    pub(crate) fn of(journal: ProjectJournal) -> ApprovedFile {
        ApprovedFile { journal }
    }

    /// Reads what was approved.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or was written by a newer pml.
    pub(crate) fn read(&self) -> Result<ApprovedEntries, Error> {
        let path = self.path();
        let Some(file) = read_own(&path, MAX_SIZE)? else { return Ok(ApprovedEntries::default()) };
        let refuse = |message: &str| {
            Error::new(Code::Config, format!("{message}: {}", display_path(&path)))
                .with_hint("move the file away: you are asked again about what was approved")
        };
        let entries: ApprovedEntries = serde_json::from_slice(&file.bytes).map_err(|error| {
            refuse("the list of approved entries is damaged").with_source(error)
        })?;
        match entries.version {
            0..=VERSION => Ok(entries),
            _ => Err(refuse("the list of approved entries was written by a newer pml")),
        }
    }

    /// Adds servers as they are on this machine, and tools with their definitions.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub(crate) fn add<'a>(
        &self,
        servers: impl IntoIterator<Item = (&'a str, &'a LockedServer)>,
        tools: impl IntoIterator<Item = (&'a ToolName, &'a str)>,
    ) -> Result<ApprovedEntries, Error> {
        self.journal.prepare()?;
        let _held = lock(&self.journal.folder().join("approved.lock"))?;
        let before = self.read()?;
        let mut now = before.clone();
        now.version = VERSION;
        for (name, server) in servers {
            now.add_server(name, server);
        }
        for (tool, definition) in tools {
            now.add_tool(tool, definition);
        }
        if now != before {
            let text = serde_json::to_string_pretty(&now).map_err(|error| {
                Error::new(Code::Internal, "cannot write approved entries").with_source(error)
            })?;
            replace(&self.path(), (text + "\n").as_bytes())?;
        }
        Ok(now)
    }

    fn path(&self) -> PathBuf {
        self.journal.folder().join("approved.json")
    }
}

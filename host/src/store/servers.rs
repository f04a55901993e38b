//! A cache of what servers reported, from one process to the next: the protocol they speak, and the
//! tools they listed last.
//!
//! Input: the report of a server when it was last started. Output: the same report, only for a
//! server with the same identity. A file that is damaged or too large counts as empty and is
//! overwritten.
//!
//! **Invariant:** the cache is not trusted, because anybody can write the file. It saves a probe
//! and lets tools be shown before their server runs; no decision depends on it.

use super::StoreError;
use crate::disk;
use crate::model::WriteDurability;
use crate::model::{Definition, ProtocolEra, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Maximum bytes of the file: some thousand tools with large schemas. A larger file is not ours.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The cached reports of a project's servers, in `servers.json` of its `.pml`. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct ServerCache {
    inner: Arc<ServerCacheInner>,
}

#[derive(Debug)]
struct ServerCacheInner {
    folder: PathBuf,
    /// Read once, at the first access.
    cached: Mutex<Option<CachedServers>>,
}

type CachedServers = BTreeMap<String, Arc<CachedServer>>;

/// The report of a server when it was last started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CachedServer {
    /// The server's identity: see [`ServerConfig::identity`](crate::ServerConfig::identity).
    pub(crate) identity: String,
    /// The era of the protocol that it speaks.
    pub(crate) era: ProtocolEra,
    /// The negotiated revision of MCP.
    pub(crate) protocol: String,
    /// Its tools.
    pub(crate) definitions: Vec<Definition>,
    /// The time at which it listed them.
    pub(crate) listed_at: Timestamp,
    /// The time from its start until it listed its tools.
    pub(crate) started_in: Duration,
}

impl ServerCache {
    /// Returns the cache of the project whose `.pml` is `folder`. Reads no file yet.
    pub(crate) fn open(folder: impl Into<PathBuf>) -> ServerCache {
        let inner = ServerCacheInner { folder: folder.into(), cached: Mutex::new(None) };
        ServerCache { inner: Arc::new(inner) }
    }

    /// Returns the report of the server `name`, if the server still has this identity.
    pub(crate) fn get(&self, name: &str, identity: &str) -> Option<Arc<CachedServer>> {
        let mut cached = self.inner.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let servers = cached.get_or_insert_with(|| read(&self.path()));
        let found = servers.get(name).filter(|found| found.identity == identity)?;
        // The file is not trusted: a server gets no tools that belong to another.
        let own = found.definitions.iter().all(|definition| definition.tool.server() == name);
        own.then(|| found.clone())
    }

    /// Stores the report of the server `name`. Waits for other processes that write at the same
    /// time. Stores nothing if the project's folder does not exist.
    pub(crate) fn put(&self, name: &str, report: CachedServer) -> Result<(), StoreError> {
        if !disk::is_own_folder(&self.inner.folder) {
            return Ok(());
        }
        let lock = self.inner.folder.join("servers.lock");
        let _held = disk::lock(&lock).map_err(|error| failure("lock", &lock, error))?;
        let path = self.path();
        // Changes that other processes made meanwhile are preserved.
        let mut servers = read(&path);
        servers.insert(name.into(), Arc::new(report));
        let written = write(&path, &servers);
        *self.inner.cached.lock().unwrap_or_else(PoisonError::into_inner) = Some(servers);
        written
    }

    fn path(&self) -> PathBuf {
        self.inner.folder.join("servers.json")
    }
}

/// The content of the file.
#[derive(Serialize, Deserialize)]
struct ServerCacheFile<S> {
    version: u32,
    servers: S,
}

/// The only layout so far; a file with another one counts as damaged.
const VERSION: u32 = 1;

/// Reads the file. Returns an empty map if it does not exist or is not ours.
fn read(path: &Path) -> CachedServers {
    let content = || -> Option<ServerCacheFile<BTreeMap<String, CachedServer>>> {
        serde_json::from_slice(&disk::read(path, MAX_FILE_BYTES).ok()?).ok()
    };
    match content() {
        Some(content) if content.version == VERSION => {
            content.servers.into_iter().map(|(name, report)| (name, Arc::new(report))).collect()
        }
        _ => CachedServers::new(),
    }
}

/// Replaces the file, so that a reader sees either the old or the new content.
fn write(path: &Path, servers: &CachedServers) -> Result<(), StoreError> {
    let content = ServerCacheFile {
        version: VERSION,
        servers: servers.iter().map(|(name, report)| (name, &**report)).collect::<BTreeMap<_, _>>(),
    };
    let text = serde_json::to_vec(&content)
        .map_err(|error| failure("write", path, io::Error::other(error)))?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Ok(());
    }
    disk::replace(path, &text, WriteDurability::Process)
        .map_err(|error| failure("write", path, error))
}

fn failure(action: &'static str, path: &Path, source: io::Error) -> StoreError {
    StoreError::Io { action, path: path.to_owned(), source: Arc::new(source) }
}

#[cfg(test)]
mod tests {
    use super::{CachedServer, ServerCache};
    use crate::model::{Definition, ProtocolEra, Timestamp};
    use serde_json::json;
    use std::time::Duration;

    fn report(tool: &str) -> CachedServer {
        let tool = tool.parse().expect("a tool");
        CachedServer {
            identity: "i".into(),
            era: ProtocolEra::Modern,
            protocol: "2026-07-28".into(),
            definitions: vec![Definition::new(tool, "Does.", json!({ "type": "object" }))],
            listed_at: Timestamp(7),
            started_in: Duration::from_millis(300),
        }
    }

    #[test]
    fn what_was_kept_is_there_for_the_next_process() {
        let folder = tempfile::tempdir().expect("a folder");
        ServerCache::open(folder.path()).put("a", report("a:x")).expect("written");
        ServerCache::open(folder.path()).put("b", report("b:x")).expect("written");
        let cache = ServerCache::open(folder.path());
        assert_eq!(cache.get("a", "i").as_deref(), Some(&report("a:x")));
        assert_eq!(cache.get("b", "i").as_deref(), Some(&report("b:x")));
        assert_eq!(cache.get("c", "i"), None);
    }

    #[test]
    fn another_identity_is_another_server() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = ServerCache::open(folder.path());
        cache.put("a", report("a:x")).expect("written");
        assert_eq!(cache.get("a", "j"), None);
        // A file that lists tools of another server for this one yields no report.
        cache.put("a", report("b:x")).expect("written");
        assert_eq!(cache.get("a", "i"), None);
    }

    #[test]
    fn a_damaged_file_counts_as_empty_and_is_written_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        for text in ["", "{", "[]", r#"{"version":2,"servers":{}}"#] {
            std::fs::write(folder.path().join("servers.json"), text).expect("written");
            let cache = ServerCache::open(folder.path());
            assert_eq!(cache.get("a", "i"), None);
            cache.put("a", report("a:x")).expect("written");
            assert!(ServerCache::open(folder.path()).get("a", "i").is_some(), "{text}");
        }
    }

    #[test]
    fn many_writers_lose_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            for index in 0..8 {
                let folder = folder.path();
                scope.spawn(move || {
                    let name = format!("s{index}");
                    let tool = format!("{name}:x");
                    ServerCache::open(folder).put(&name, report(&tool)).expect("written");
                });
            }
        });
        let cache = ServerCache::open(folder.path());
        assert!((0..8).all(|index| cache.get(&format!("s{index}"), "i").is_some()));
    }

    #[test]
    fn a_project_without_its_folder_keeps_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let missing = folder.path().join(".pml");
        ServerCache::open(&missing).put("a", report("a:x")).expect("nothing to do");
        assert!(!missing.exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_this_user_reads_it_and_no_link_is_followed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "mine").expect("written");
        let link = folder.path().join("servers.json.new");
        std::os::unix::fs::symlink(&victim, link).expect("a link");
        ServerCache::open(folder.path()).put("a", report("a:x")).expect("written");
        assert_eq!(std::fs::read_to_string(&victim).expect("there"), "mine");
        let mode = std::fs::metadata(folder.path().join("servers.json")).expect("there");
        assert_eq!(mode.permissions().mode() & 0o777, 0o600);
    }
}

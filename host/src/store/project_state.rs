//! The state of a project in its `.pml`, beside the journal: the id of this client, and the
//! servers that were used.
//!
//! **Invariant:** only the store creates the folder; this code only writes into it. **Invariant:**
//! concurrent processes lose no data: each change is made under a lock, and a file is replaced as a
//! whole.

use crate::disk::user_files::{PROJECT_FILE_SIZE, display_path, read_own};
use crate::disk::user_files::{lock, replace};
use crate::disk::{FileLock, is_own_folder};
use crate::error::Error;
use crate::model::{Code, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// The stored state of a project.
#[derive(Clone, Debug)]
pub struct ProjectState {
    folder: PathBuf,
}

/// A server that was used, as recorded in `deps.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dependency {
    /// Its launch line, as written.
    pub command: String,
    /// The server's identity: the digest of its launch line, before variables were expanded.
    pub identity: String,
    /// When it was first used with this identity.
    pub first_used: Timestamp,
    /// When it was last used.
    pub last_used: Timestamp,
}

#[derive(Default, Serialize, Deserialize)]
struct DependencyFile {
    version: u32,
    servers: BTreeMap<String, Dependency>,
}

/// The newest format of `deps.json`. Version 2 may also have `packages`, which are no longer read:
/// what is installed is recorded in the user's package cache.
const VERSION: u32 = 2;

impl ProjectState {
    /// The name of the folder in a project.
    pub const FOLDER: &'static str = ".pml";

    /// Returns the state stored in `folder`, which must exist when something is written.
    pub fn at(folder: impl Into<PathBuf>) -> ProjectState {
        ProjectState { folder: folder.into() }
    }

    /// Returns the id of this client, which is generated once for each project.
    ///
    /// # Errors
    /// If the file cannot be read or written, or does not hold an id.
    pub fn client_id(&self) -> Result<Uuid, Error> {
        let path = self.folder.join("client-id");
        if let Some(id) = read_id(&path)? {
            return Ok(id);
        }
        let _lock = self.lock()?;
        // Another process may have been first.
        if let Some(id) = read_id(&path)? {
            return Ok(id);
        }
        let id = Uuid::new_v4();
        replace(&path, format!("{id}\n").as_bytes())?;
        Ok(id)
    }

    /// Records that a server was used.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn record_server_use(
        &self,
        name: &str,
        command: &str,
        identity: &str,
        now: Timestamp,
    ) -> Result<(), Error> {
        let _lock = self.lock()?;
        let mut dependencies = self.load()?;
        let previous = dependencies.servers.get(name).filter(|server| server.identity == identity);
        let first_used = previous.map_or(now, |server| server.first_used);
        let (command, identity) = (command.to_owned(), identity.to_owned());
        let dependency = Dependency { command, identity, first_used, last_used: now };
        dependencies.servers.insert(name.into(), dependency);
        self.save(dependencies)
    }

    /// Locks the state against other processes. A folder that is a link may have come with a clone:
    /// nothing is written through it.
    fn lock(&self) -> Result<FileLock, Error> {
        if !is_own_folder(&self.folder) {
            let message = format!(
                "the project has no state folder of your own: {}",
                display_path(&self.folder)
            );
            return Err(Error::new(Code::Config, message).with_hint("run `pml init`"));
        }
        lock(&self.folder.join("lock"))
    }

    fn save(&self, mut dependencies: DependencyFile) -> Result<(), Error> {
        dependencies.version = VERSION;
        let text = serde_json::to_string_pretty(&dependencies)
            .map_err(|error| Error::new(Code::Internal, "cannot write state").with_source(error))?;
        replace(&self.dependencies_path(), (text + "\n").as_bytes())
    }

    /// Returns the servers that were used, by name.
    ///
    /// # Errors
    /// If the file cannot be read or parsed.
    pub fn dependencies(&self) -> Result<BTreeMap<String, Dependency>, Error> {
        self.load().map(|dependencies| dependencies.servers)
    }

    fn dependencies_path(&self) -> PathBuf {
        self.folder.join("deps.json")
    }

    fn load(&self) -> Result<DependencyFile, Error> {
        let path = self.dependencies_path();
        let Some(file) = read_own(&path, PROJECT_FILE_SIZE)? else {
            return Ok(DependencyFile::default());
        };
        let dependencies: DependencyFile = serde_json::from_slice(&file.bytes)
            .map_err(|error| damaged(&path).with_source(error))?;
        match dependencies.version {
            0..=VERSION => Ok(dependencies),
            _ => Err(damaged(&path)),
        }
    }
}

fn read_id(path: &Path) -> Result<Option<Uuid>, Error> {
    let Some(file) = read_own(path, 1 << 10)? else { return Ok(None) };
    let text = std::str::from_utf8(&file.bytes).map_err(|_| damaged(path))?;
    text.trim().parse().map(Some).map_err(|_| damaged(path))
}

fn damaged(path: &Path) -> Error {
    Error::new(
        Code::Config,
        format!("the file is damaged, or was written by a newer pml: {}", display_path(path)),
    )
    .with_hint("update pml, or move the file away: pml makes a new one")
}

#[cfg(test)]
mod tests {
    use super::{ProjectState, Timestamp};
    use std::collections::HashSet;

    #[test]
    fn everybody_gets_the_same_id() {
        let folder = tempfile::tempdir().unwrap();
        let state = ProjectState::at(folder.path());
        let ids: HashSet<_> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| state.client_id().unwrap())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(ids.len(), 1);
        assert_eq!(ids.iter().next().unwrap().get_version_num(), 4);
        assert_eq!(
            ProjectState::at(folder.path()).client_id().unwrap(),
            *ids.iter().next().unwrap()
        );
    }

    #[test]
    fn a_damaged_id_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("client-id"), "x").unwrap();
        assert!(ProjectState::at(folder.path()).client_id().is_err());
    }

    #[test]
    fn servers_are_remembered_from_first_to_last_use_as_long_as_they_stay_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let state = ProjectState::at(folder.path());
        assert!(state.dependencies().unwrap().is_empty());
        state.record_server_use("a", "npx a", "1", Timestamp(10)).unwrap();
        state.record_server_use("a", "npx a", "1", Timestamp(20)).unwrap();
        state.record_server_use("b", "npx b", "2", Timestamp(20)).unwrap();
        let dependencies = state.dependencies().unwrap();
        assert_eq!(
            (dependencies["a"].first_used, dependencies["a"].last_used),
            (Timestamp(10), Timestamp(20))
        );
        assert_eq!(dependencies.len(), 2);
        state.record_server_use("a", "npx other", "3", Timestamp(30)).unwrap();
        assert_eq!(state.dependencies().unwrap()["a"].first_used, Timestamp(30));
    }

    #[test]
    fn a_file_of_the_first_version_still_opens_and_is_written_as_the_second() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deps.json");
        let first = r#"{ "version": 1, "servers": { "a": { "command": "npx a", "identity": "1", "first_used": 10, "last_used": 20 } } }"#;
        std::fs::write(&path, first).unwrap();
        let state = ProjectState::at(folder.path());
        assert_eq!(state.dependencies().unwrap()["a"].first_used, Timestamp(10));
        state.record_server_use("a", "npx a", "1", Timestamp(30)).unwrap();
        assert_eq!(state.dependencies().unwrap()["a"].first_used, Timestamp(10));
        assert!(std::fs::read_to_string(&path).unwrap().contains("\"version\": 2"));
        std::fs::write(&path, first.replace("\"version\": 1", "\"version\": 3")).unwrap();
        assert!(state.dependencies().is_err());
    }

    #[test]
    fn packages_that_an_older_pml_recorded_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deps.json");
        let second = r#"{ "version": 2, "servers": {}, "packages": { "a": { "seal": "x" } } }"#;
        std::fs::write(&path, second).unwrap();
        let state = ProjectState::at(folder.path());
        state.record_server_use("a", "npx a", "1", Timestamp(10)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("npx a") && !text.contains("packages"), "{text}");
    }

    #[test]
    fn processes_that_write_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let state = ProjectState::at(folder.path());
        std::thread::scope(|scope| {
            for number in 0..8 {
                let state = &state;
                let used =
                    move || state.record_server_use(&number.to_string(), "x", "y", Timestamp(1));
                scope.spawn(move || used().unwrap());
            }
        });
        assert_eq!(state.dependencies().unwrap().len(), 8);
    }

    #[test]
    fn nothing_is_written_where_there_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(ProjectState::at(folder.path().join(".pml")).client_id().is_err());
        assert!(!folder.path().join(".pml").exists());
    }
}

//! What is remembered about a project in its `.pml` beside the journal: who this client is, and which servers were used.
//!
//! **Invariant:** the folder is made by the store alone; here it is only written into. **Invariant:** several processes at
//! once lose nothing: each change is made under a lock, and a file is replaced whole.

use super::file::{PROJECT_FILE_SIZE, read_own, shown};
use super::write::{lock, replace};
use crate::error::Error;
use crate::model::{Code, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// The state of a project.
#[derive(Clone, Debug)]
pub struct State {
    folder: PathBuf,
}

/// A server that was used, as `deps.json` remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dependency {
    /// Its launch line, as written.
    pub command: String,
    /// What it was: the digest of its launch, before variables were expanded.
    pub identity: String,
    /// When it was first used as this.
    pub first_used: Timestamp,
    /// When it was last used.
    pub last_used: Timestamp,
}

#[derive(Default, Serialize, Deserialize)]
struct Dependencies {
    version: u32,
    servers: BTreeMap<String, Dependency>,
}

/// The newest format of `deps.json`.
const VERSION: u32 = 1;

impl State {
    /// The folder's name in a project.
    pub const FOLDER: &'static str = ".pml";

    /// Returns the state that is kept in `folder`, which must be there when something is written.
    pub fn at(folder: impl Into<PathBuf>) -> State {
        State { folder: folder.into() }
    }

    /// Returns the id of this client, which is drawn once for a project.
    ///
    /// # Errors
    /// If the file cannot be read or written, or has something else in it.
    pub fn client_id(&self) -> Result<Uuid, Error> {
        let path = self.folder.join("client-id");
        if let Some(id) = read_id(&path)? {
            return Ok(id);
        }
        let _lock = lock(&self.folder.join("lock"))?;
        // Another process may have been first.
        if let Some(id) = read_id(&path)? {
            return Ok(id);
        }
        let id = Uuid::new_v4();
        replace(&path, format!("{id}\n").as_bytes())?;
        Ok(id)
    }

    /// Remembers that a server was used.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn server_used(
        &self,
        name: &str,
        command: &str,
        identity: &str,
        now: Timestamp,
    ) -> Result<(), Error> {
        let _lock = lock(&self.folder.join("lock"))?;
        let mut known = self.load()?;
        let same = known.servers.get(name).filter(|known| known.identity == identity);
        let first_used = same.map_or(now, |known| known.first_used);
        let (command, identity) = (command.to_owned(), identity.to_owned());
        let used = Dependency { command, identity, first_used, last_used: now };
        known.servers.insert(name.into(), used);
        known.version = VERSION;
        let text = serde_json::to_string_pretty(&known)
            .map_err(|error| Error::new(Code::Internal, "cannot write state").with_source(error))?;
        replace(&self.dependencies_path(), (text + "\n").as_bytes())
    }

    /// Returns the servers that were used, by name.
    ///
    /// # Errors
    /// If the file cannot be read or understood.
    pub fn dependencies(&self) -> Result<BTreeMap<String, Dependency>, Error> {
        self.load().map(|known| known.servers)
    }

    fn dependencies_path(&self) -> PathBuf {
        self.folder.join("deps.json")
    }

    fn load(&self) -> Result<Dependencies, Error> {
        let path = self.dependencies_path();
        let Some(file) = read_own(&path, PROJECT_FILE_SIZE)? else {
            return Ok(Dependencies::default());
        };
        let known: Dependencies = serde_json::from_slice(&file.bytes)
            .map_err(|error| damaged(&path).with_source(error))?;
        match known.version {
            0..=VERSION => Ok(known),
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
    Error::new(Code::Config, format!("the file is damaged, or of a newer pml: {}", shown(path)))
        .with_hint("move it away: it is made anew")
}

#[cfg(test)]
mod tests {
    use super::{State, Timestamp};
    use std::collections::HashSet;

    #[test]
    fn everybody_gets_the_same_id() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::at(folder.path());
        let ids: HashSet<_> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| state.client_id().unwrap())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(ids.len(), 1);
        assert_eq!(ids.iter().next().unwrap().get_version_num(), 4);
        assert_eq!(State::at(folder.path()).client_id().unwrap(), *ids.iter().next().unwrap());
    }

    #[test]
    fn a_damaged_id_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("client-id"), "x").unwrap();
        assert!(State::at(folder.path()).client_id().is_err());
    }

    #[test]
    fn servers_are_remembered_from_first_to_last_use_as_long_as_they_stay_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::at(folder.path());
        assert!(state.dependencies().unwrap().is_empty());
        state.server_used("a", "npx a", "1", Timestamp(10)).unwrap();
        state.server_used("a", "npx a", "1", Timestamp(20)).unwrap();
        state.server_used("b", "npx b", "2", Timestamp(20)).unwrap();
        let known = state.dependencies().unwrap();
        assert_eq!((known["a"].first_used, known["a"].last_used), (Timestamp(10), Timestamp(20)));
        assert_eq!(known.len(), 2);
        state.server_used("a", "npx other", "3", Timestamp(30)).unwrap();
        assert_eq!(state.dependencies().unwrap()["a"].first_used, Timestamp(30));
    }

    #[test]
    fn processes_that_write_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let state = State::at(folder.path());
        std::thread::scope(|scope| {
            for number in 0..8 {
                let state = &state;
                let used = move || state.server_used(&number.to_string(), "x", "y", Timestamp(1));
                scope.spawn(move || used().unwrap());
            }
        });
        assert_eq!(state.dependencies().unwrap().len(), 8);
    }

    #[test]
    fn nothing_is_written_where_there_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(State::at(folder.path().join(".pml")).client_id().is_err());
        assert!(!folder.path().join(".pml").exists());
    }
}

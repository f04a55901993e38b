//! The projects that this user trusts, and at which content.
//!
//! Input: a project's root and the digests of its manifest. Output: a [`TrustState`]. Trust is
//! stored in the user's own state folder (`trust.json`), never in a project.
//!
//! **Invariant:** a digest is computed from the very bytes that were parsed.
//! **Invariant:** an unreadable store is an error; it never counts as empty.

use super::manifest::{is_settings, named};
use crate::config::Environment;
use crate::disk::FileLock;
use crate::disk::user_files::{display_path, read_own};
use crate::disk::user_files::{lock, make_private_folder, replace};
use crate::error::Error;
use crate::model::{Code, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tracing::{debug, info};

/// Maximum size: enough for a hundred thousand projects.
const STORE_SIZE: u64 = 32 << 20;

/// Whether a project's files are trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TrustState {
    /// It has no files that need trust.
    NotNeeded,
    /// The user has agreed to these files at their content.
    Trusted,
    /// The user has trusted the folder, and these parts of it have changed, appeared or disappeared
    /// since.
    Changed {
        /// The names of those that were trusted before: a file's, or `.env:NAME` for a variable of
        /// `.env`.
        files: Vec<String>,
        /// The names of those that were never trusted.
        new: Vec<String>,
    },
    /// The user has not decided about the folder.
    Unknown,
}

impl TrustState {
    /// Returns the state of a folder whose `parts` differ from what was trusted `before`.
    pub(super) fn changed(parts: Vec<String>, before: &ManifestDigests) -> TrustState {
        let (files, new) = parts.into_iter().partition(|part| before.contains_key(part));
        TrustState::Changed { files, new }
    }

    /// Reports whether the files take effect.
    pub fn is_trusted(&self) -> bool {
        matches!(self, TrustState::NotNeeded | TrustState::Trusted)
    }

    /// Returns the reason why the files are not trusted, for people.
    pub fn reason(&self) -> Option<String> {
        match self {
            TrustState::NotNeeded | TrustState::Trusted => None,
            TrustState::Changed { files, new } => {
                let list = |parts: &[String]| {
                    parts.iter().map(|part| named(part)).collect::<Vec<_>>().join(" and ")
                };
                let changed = (!files.is_empty())
                    .then(|| format!("{} changed since you trusted this folder", list(files)));
                let verb = if new.len() == 1 { "is" } else { "are" };
                let new =
                    (!new.is_empty()).then(|| format!("{} {verb} not trusted yet", list(new)));
                Some(changed.into_iter().chain(new).collect::<Vec<_>>().join(", and "))
            }
            TrustState::Unknown => Some("this folder is not trusted".into()),
        }
    }
}

/// The digest of each part of a manifest, by name.
pub(super) type ManifestDigests = BTreeMap<String, String>;

/// Returns the digest of a file that is stored.
pub(super) fn digest_of(name: &str, bytes: &[u8]) -> String {
    let mut sha = Sha256::new();
    sha.update(name);
    // No name contains this byte, so the end of the name is unambiguous.
    sha.update([0]);
    sha.update(bytes);
    hex(&sha.finalize())
}

/// Returns the names of the parts that have changed or appeared, and of the settings files that
/// have disappeared, in order. A script or variable that has disappeared has no effect any more:
/// the other parts were trusted as they are.
pub(super) fn changed(before: &ManifestDigests, now: &ManifestDigests) -> Vec<String> {
    let decides = |name: &&String| now.contains_key(*name) || is_settings(name);
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).filter(decides).collect();
    let changed = names.into_iter().filter(|name| before.get(*name) != now.get(*name));
    changed.cloned().collect()
}

/// The store of trust.
#[derive(Clone, Debug)]
pub(super) struct TrustStore {
    folder: PathBuf,
}

#[derive(Default, Serialize, Deserialize)]
struct TrustFile {
    version: u32,
    projects: BTreeMap<String, ManifestDigests>,
}

/// The newest format of the store. Version 1 recorded only settings files: the user was never shown
/// the other parts that decide, so these count as changed.
const VERSION: u32 = 2;

impl TrustStore {
    /// Returns the store of this user, or `None` if they have no folder for one that the project in
    /// `root` cannot change.
    pub(super) fn of(environment: &Environment, root: &Path) -> Result<Option<TrustStore>, Error> {
        Ok(environment.state_folder(root)?.map(|folder| TrustStore { folder }))
    }

    /// Returns the store of this user, or an error if there is none.
    pub(super) fn required(environment: &Environment, root: &Path) -> Result<TrustStore, Error> {
        let folder = environment.required_state_folder(root, "to remember what you trust")?;
        Ok(TrustStore { folder })
    }

    /// Returns whether a project's files are trusted.
    pub(super) fn check(&self, root: &Path, files: &ManifestDigests) -> Result<TrustState, Error> {
        if files.is_empty() {
            return Ok(TrustState::NotNeeded);
        }
        let stored = self.load()?;
        let Some(known) = stored.projects.get(key(root)?) else {
            return Ok(TrustState::Unknown);
        };
        let changed = changed(known, files);
        debug!(target: "pml::trust", parts = files.len(), changed = changed.len(), "trust checked");
        Ok(match changed.is_empty() {
            true => TrustState::Trusted,
            false => TrustState::changed(changed, known),
        })
    }

    /// Locks the store, and the files that are edited under this lock.
    pub(super) fn lock(&self) -> Result<FileLock, Error> {
        make_private_folder(&self.folder)?;
        lock(&self.folder.join("lock"))
    }

    /// Waits until no process is writing. If the lock cannot be checked, it does not wait.
    pub(super) fn wait(&self) {
        let lock = self.folder.join("lock");
        if lock.exists() {
            drop(crate::disk::lock(&lock));
        }
    }

    /// Records the digests of a project, and replaces earlier ones.
    pub(super) fn grant(
        &self,
        root: &Path,
        files: &ManifestDigests,
        _: &FileLock,
    ) -> Result<(), Error> {
        let mut stored = self.load()?;
        stored.projects.insert(key(root)?.into(), files.clone());
        self.save(&stored)?;
        info!(target: "pml::trust", files = files.len(), "project trusted");
        Ok(())
    }

    /// Reports whether one file is trusted at its content.
    pub(super) fn is_file_trusted(
        &self,
        root: &Path,
        name: &str,
        digest: &str,
    ) -> Result<bool, Error> {
        let stored = self.load()?;
        let known = stored.projects.get(key(root)?).and_then(|files| files.get(name));
        Ok(known.is_some_and(|known| known == digest))
    }

    /// Records a file that pml itself wrote, together with the parts that decide only since then:
    /// the user who requested the edit has seen its launch lines. All other parts stay as trusted
    /// or untrusted as they are; parts that no longer decide are removed.
    pub(super) fn grant_written(
        &self,
        root: &Path,
        name: &str,
        before: &ManifestDigests,
        after: &ManifestDigests,
        _: &FileLock,
    ) -> Result<(), Error> {
        let mut stored = self.load()?;
        let known = stored.projects.entry(key(root)?.into()).or_default();
        known.retain(|part, _| after.contains_key(part) || !before.contains_key(part));
        let new = after.iter().filter(|(part, _)| *part == name || !before.contains_key(*part));
        known.extend(new.map(|(part, digest)| (part.clone(), digest.clone())));
        self.save(&stored)
    }

    /// Removes a project. Reports whether it was in the store.
    pub(super) fn revoke(&self, root: &Path) -> Result<bool, Error> {
        let _lock = self.lock()?;
        let mut stored = self.load()?;
        let known = stored.projects.remove(key(root)?).is_some();
        if known {
            self.save(&stored)?;
            info!(target: "pml::trust", "project no longer trusted");
        }
        Ok(known)
    }

    /// Returns the path of the store.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join("trust.json")
    }

    fn load(&self) -> Result<TrustFile, Error> {
        let path = self.path();
        let Some(file) = read_own(&path, STORE_SIZE)? else { return Ok(TrustFile::default()) };
        let refuse = |message: &str| {
            Error::new(Code::Config, format!("{message}: {}", display_path(&path)))
                .with_hint("move the file away to begin with no trusted folders")
        };
        let stored: TrustFile = serde_json::from_slice(&file.bytes)
            .map_err(|error| refuse("the list of trusted folders is damaged").with_source(error))?;
        match stored.version {
            0..=VERSION => Ok(stored),
            _ => Err(refuse("the list of trusted folders was written by a newer pml")),
        }
    }

    fn save(&self, stored: &TrustFile) -> Result<(), Error> {
        let stored = TrustFile { version: VERSION, projects: stored.projects.clone() };
        let text = serde_json::to_string_pretty(&stored)
            .map_err(|error| Error::new(Code::Internal, "cannot write trust").with_source(error))?;
        replace(&self.path(), (text + "\n").as_bytes())
    }
}

fn key(root: &Path) -> Result<&str, Error> {
    root.to_str().ok_or_else(|| {
        let message = format!("the folder's name is not Unicode: {}", display_path(root));
        Error::new(Code::Config, message).with_hint("such a folder cannot be trusted: rename it")
    })
}

#[cfg(test)]
mod tests {
    use super::{ManifestDigests, TrustState, TrustStore, digest_of};
    use std::path::Path;

    fn files(files: &[(&str, &str)]) -> ManifestDigests {
        let digest =
            |(name, text): &(&str, &str)| ((*name).to_owned(), digest_of(name, text.as_bytes()));
        files.iter().map(digest).collect()
    }

    fn store() -> (tempfile::TempDir, TrustStore) {
        let folder = tempfile::tempdir().unwrap();
        let store = TrustStore { folder: folder.path().join("state/pml") };
        (folder, store)
    }

    #[test]
    fn trust_is_for_one_folder_at_one_content() {
        let (_folder, store) = store();
        let (root, other) = (Path::new("/a"), Path::new("/b"));
        let both = files(&[(".pml.json", "{}"), (".mcp.json", "{}")]);
        assert_eq!(store.check(root, &ManifestDigests::new()).unwrap(), TrustState::NotNeeded);
        assert_eq!(store.check(root, &both).unwrap(), TrustState::Unknown);
        store.grant(root, &both, &store.lock().unwrap()).unwrap();
        assert_eq!(store.check(root, &both).unwrap(), TrustState::Trusted);
        assert_eq!(store.check(other, &both).unwrap(), TrustState::Unknown);
        let changed = |files: &ManifestDigests| match store.check(root, files).unwrap() {
            TrustState::Changed { files, .. } => files.join(" "),
            other => format!("{other:?}"),
        };
        assert_eq!(changed(&files(&[(".pml.json", "{} "), (".mcp.json", "{}")])), ".pml.json");
        assert_eq!(changed(&files(&[(".pml.json", "{}")])), ".mcp.json");
        assert!(store.revoke(root).unwrap() && !store.revoke(root).unwrap());
        assert_eq!(store.check(root, &both).unwrap(), TrustState::Unknown);
    }

    #[test]
    fn a_file_that_we_wrote_does_not_make_another_trusted() {
        let (_folder, store) = store();
        let root = Path::new("/a");
        let both = files(&[(".pml.json", "{}"), (".mcp.json", "{}")]);
        let theirs = files(&[(".mcp.json", "{}")]);
        let lock = store.lock().unwrap();
        store.grant_written(root, ".pml.json", &theirs, &both, &lock).unwrap();
        let changed = TrustState::Changed { files: Vec::new(), new: vec![".mcp.json".into()] };
        assert_eq!(changed.reason().unwrap(), "`.mcp.json` is not trusted yet");
        assert_eq!(store.check(root, &both).unwrap(), changed);
        assert_eq!(store.check(root, &files(&[(".pml.json", "{}")])).unwrap(), TrustState::Trusted);
    }

    #[test]
    fn what_decides_since_we_wrote_a_file_is_trusted_with_it_and_what_decided_before_is_not() {
        let (_folder, store) = store();
        let (root, lock) = (Path::new("/a"), store.lock().unwrap());
        let first = files(&[(".pml.json", "1"), ("./a.py", "a")]);
        store.grant(root, &first, &lock).unwrap();
        // A script was changed before the edit.
        let before = files(&[(".pml.json", "1"), ("./a.py", "evil"), ("./old.py", "o")]);
        let after = files(&[(".pml.json", "2"), ("./a.py", "evil"), ("./b.py", "b")]);
        store.grant_written(root, ".pml.json", &before, &after, &lock).unwrap();
        let changed = TrustState::Changed { files: vec!["./a.py".into()], new: Vec::new() };
        assert_eq!(store.check(root, &after).unwrap(), changed);
        let reason = changed.reason().unwrap();
        assert_eq!(reason, "`./a.py` changed since you trusted this folder");
        let own = files(&[(".pml.json", "2"), ("./a.py", "a"), ("./b.py", "b")]);
        assert_eq!(store.check(root, &own).unwrap(), TrustState::Trusted);
        // A part that disappeared has no effect; if it returns with other content, it counts as
        // changed.
        let less = files(&[(".pml.json", "2"), ("./b.py", "b")]);
        assert_eq!(store.check(root, &less).unwrap(), TrustState::Trusted);
        let back = files(&[(".pml.json", "2"), ("./a.py", "c"), ("./b.py", "b")]);
        assert_eq!(store.check(root, &back).unwrap(), changed);
    }

    #[test]
    fn what_an_older_pml_recorded_counts_where_nothing_else_decides() {
        let (_folder, store) = store();
        drop(store.lock().unwrap());
        let root = Path::new("/a");
        let settings = files(&[(".pml.json", "{}")]);
        let old = serde_json::json!({ "version": 1, "projects": { "/a": settings } });
        std::fs::write(store.path(), old.to_string()).unwrap();
        assert_eq!(store.check(root, &settings).unwrap(), TrustState::Trusted);
        let more = files(&[(".pml.json", "{}"), ("./x.py", ""), (".env:PYTHONPATH", "")]);
        let never_shown = vec!["./x.py".to_owned(), ".env:PYTHONPATH".into()];
        let changed = store.check(root, &more).unwrap();
        assert_eq!(changed, TrustState::Changed { files: Vec::new(), new: never_shown });
        let reason = changed.reason().unwrap();
        assert_eq!(reason, "`./x.py` and `PYTHONPATH` in `.env` are not trusted yet");
        let both = TrustState::Changed { files: vec![".pml.json".into()], new: vec!["a".into()] };
        assert_eq!(
            both.reason().unwrap(),
            "`.pml.json` changed since you trusted this folder, and `a` is not trusted yet"
        );
    }

    #[test]
    fn the_same_bytes_under_another_name_are_another_file() {
        assert_ne!(digest_of(".pml.json", b"{}"), digest_of(".mcp.json", b"{}"));
        assert_ne!(digest_of("a", b"bc"), digest_of("ab", b"c"));
    }

    #[test]
    fn a_damaged_store_refuses() {
        let (_folder, store) = store();
        drop(store.lock().unwrap());
        for text in ["", "{", "[]", "{\"version\":3,\"projects\":{}}"] {
            std::fs::write(store.path(), text).unwrap();
            assert!(store.check(Path::new("/a"), &files(&[("x", "")])).is_err(), "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_store_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, store) = store();
        store.grant(Path::new("/a"), &files(&[("x", "")]), &store.lock().unwrap()).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&store.folder), mode(&store.path())), (0o700, 0o600));
    }

    #[test]
    fn processes_that_trust_at_once_lose_nothing() {
        let (_folder, store) = store();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let store = &store;
                scope.spawn(move || {
                    let root = format!("/p{number}");
                    let lock = store.lock().unwrap();
                    store.grant(Path::new(&root), &files(&[("x", "")]), &lock).unwrap();
                });
            }
        });
        assert_eq!(store.load().unwrap().projects.len(), 8);
    }
}

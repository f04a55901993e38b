//! Definitions of tools that somebody decided about, stored by digest, so that a later definition
//! can be compared with the one that was decided on.
//!
//! Input: a definition as a server gave it. Output: the same definition, even in another process
//! and much later. Each is a file in `definitions/` of the project's `.pml`; the oldest files are
//! removed when there are too many.
//!
//! **Invariant:** a returned definition has the digest that was asked for: a file that was changed
//! counts as missing. **Invariant:** no decision depends on these files. If a definition is
//! missing, a person is asked all the same, and sees fewer details.

use super::StoreError;
use crate::disk;
use crate::model::Definition;
use crate::model::WriteDurability;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Maximum bytes of one definition as JSON. Larger ones are not stored.
const MAX_DEFINITION_BYTES: u64 = 2 << 20;

/// Maximum number of stored definitions: those of some dozen servers.
const MAX_DEFINITIONS: usize = 1_000;

/// Maximum bytes of all stored definitions.
const MAX_TOTAL_BYTES: u64 = 32 << 20;

/// The stored definitions of a project, by digest. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Definitions {
    inner: Arc<DefinitionsInner>,
}

#[derive(Debug)]
struct DefinitionsInner {
    folder: PathBuf,
    /// The digests of definitions that this process has stored.
    stored: Mutex<HashSet<Box<str>>>,
}

impl Definitions {
    /// Returns the definitions of the project whose `.pml` is `folder`. Reads no file yet. If the
    /// folder does not exist, nothing is ever written.
    pub fn open(folder: impl Into<PathBuf>) -> Definitions {
        let inner = DefinitionsInner { folder: folder.into(), stored: Mutex::new(HashSet::new()) };
        Definitions { inner: Arc::new(inner) }
    }

    /// Reports whether this process has stored the definition with this digest.
    pub fn has_stored(&self, digest: &str) -> bool {
        self.stored().contains(digest)
    }

    /// Stores a definition under its digest. This is a look-up if this process has stored it
    /// before; otherwise it may block.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn store(&self, digest: &str, definition: &Definition) -> Result<(), StoreError> {
        if self.stored().contains(digest) || !disk::is_own_folder(&self.inner.folder) {
            return Ok(());
        }
        // Only a bug of pml can cause a mismatch, and the file could never be read back.
        if !is_digest(digest) || definition.digest() != digest {
            return Ok(());
        }
        let text = serde_json::to_vec(definition).unwrap_or_default();
        if text.len() as u64 > MAX_DEFINITION_BYTES {
            return Ok(());
        }
        let folder = self.folder();
        disk::make_private_folder(&folder).map_err(|error| failure("make", &folder, error))?;
        // A clone of the repository may have brought a link.
        if !folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            let error = io::Error::from(io::ErrorKind::NotADirectory);
            return Err(failure("write into", &folder, error));
        }
        let path = path(&folder, digest);
        let is_new = path.symlink_metadata().is_err();
        // An existing file is written again: this makes it one of the newest, and restores it if it
        // was changed.
        disk::replace(&path, &text, WriteDurability::Process)
            .map_err(|error| failure("write", &path, error))?;
        self.stored().insert(digest.into());
        if is_new {
            remove_oldest(&folder, MAX_DEFINITIONS, MAX_TOTAL_BYTES);
        }
        Ok(())
    }

    /// Returns the definition with this digest. Returns `None` if it is not stored any more.
    pub fn get(&self, digest: &str) -> Option<Definition> {
        let bytes = is_digest(digest)
            .then(|| disk::read(&path(&self.folder(), digest), MAX_DEFINITION_BYTES));
        let definition: Definition = serde_json::from_slice(&bytes?.ok()?).ok()?;
        (definition.digest() == digest).then_some(definition)
    }

    fn folder(&self) -> PathBuf {
        self.inner.folder.join("definitions")
    }

    fn stored(&self) -> std::sync::MutexGuard<'_, HashSet<Box<str>>> {
        self.inner.stored.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reports whether a text is a digest: only a digest is used as the name of a file.
fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn path(folder: &Path, digest: &str) -> PathBuf {
    folder.join(format!("{digest}.json"))
}

/// Removes the oldest files until there are few enough. Files that cannot be removed stay.
fn remove_oldest(folder: &Path, max_files: usize, max_bytes: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let own = |entry: io::Result<fs::DirEntry>| -> Option<(SystemTime, u64, PathBuf)> {
        let path = entry.ok()?.path();
        path.file_name()?.to_str()?.strip_suffix(".json").filter(|name| is_digest(name))?;
        let found = path.symlink_metadata().ok()?;
        Some((found.modified().ok()?, found.len(), path))
    };
    let mut files: Vec<_> = entries.filter_map(own).collect();
    // Newest first.
    files.sort_by(|one, other| other.cmp(one));
    let mut bytes = 0_u64;
    for (index, (_, size, path)) in files.iter().enumerate() {
        bytes = bytes.saturating_add(*size);
        if index >= max_files || bytes > max_bytes {
            let _ = fs::remove_file(path);
        }
    }
}

fn failure(action: &'static str, path: &Path, source: io::Error) -> StoreError {
    StoreError::Io { action, path: path.to_owned(), source: Arc::new(source) }
}

#[cfg(test)]
mod tests {
    use super::{Definitions, path, remove_oldest};
    use crate::model::Definition;
    use serde_json::json;
    use std::fs;
    use std::time::{Duration, SystemTime};

    fn definition(about: &str) -> Definition {
        Definition::new("fs:read".parse().unwrap(), about, json!({ "type": "object" }))
    }

    fn store(definitions: &Definitions, about: &str) -> String {
        let digest = definition(about).digest();
        definitions.store(&digest, &definition(about)).unwrap();
        digest
    }

    #[test]
    fn what_was_kept_is_there_for_the_next_process() {
        let folder = tempfile::tempdir().unwrap();
        let digest = store(&Definitions::open(folder.path()), "Reads.");
        let again = Definitions::open(folder.path());
        assert_eq!(again.get(&digest), Some(definition("Reads.")));
        assert_eq!(again.get(&definition("Writes.").digest()), None);
    }

    #[test]
    fn what_was_changed_on_disk_does_not_count_and_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let definitions = Definitions::open(folder.path());
        let digest = store(&definitions, "Reads.");
        let file = path(&folder.path().join("definitions"), &digest);
        let other = serde_json::to_string(&definition("Reads and sends.")).unwrap();
        for text in ["", "{", other.as_str()] {
            fs::write(&file, text).unwrap();
            assert_eq!(definitions.get(&digest), None, "{text}");
        }
        assert_eq!(store(&Definitions::open(folder.path()), "Reads."), digest);
        assert_eq!(definitions.get(&digest), Some(definition("Reads.")));
    }

    #[test]
    fn only_a_digest_names_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let definitions = Definitions::open(folder.path());
        fs::write(folder.path().join("x.json"), "{}").unwrap();
        for name in ["../x", "x", "", &"A".repeat(64), &format!("../{}", "a".repeat(61))] {
            assert_eq!(definitions.get(name), None);
            definitions.store(name, &definition("Reads.")).unwrap();
        }
        // A definition is not stored under a digest that is not its own either.
        definitions.store(&"a".repeat(64), &definition("Reads.")).unwrap();
        assert!(!folder.path().join("definitions").exists());
    }

    #[test]
    fn a_project_without_its_folder_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join(".pml");
        let digest = store(&Definitions::open(&missing), "Reads.");
        assert!(!missing.exists());
        assert_eq!(Definitions::open(&missing).get(&digest), None);
    }

    #[test]
    fn the_oldest_go() {
        let folder = tempfile::tempdir().unwrap();
        let definitions = Definitions::open(folder.path());
        let digests: Vec<_> = (0..6).map(|n| store(&definitions, &n.to_string())).collect();
        let files = folder.path().join("definitions");
        for (digest, age) in digests.iter().zip([5, 4, 3, 2, 1, 0]) {
            let file = fs::File::options().write(true).open(path(&files, digest)).unwrap();
            let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000 - age);
            file.set_modified(at).unwrap();
        }
        fs::write(files.join("notes.txt"), "mine").unwrap();
        let remaining =
            || digests.iter().filter(|digest| definitions.get(digest).is_some()).count();
        remove_oldest(&files, 4, u64::MAX);
        assert_eq!((remaining(), definitions.get(&digests[1])), (4, None));
        let size = path(&files, &digests[5]).metadata().unwrap().len();
        remove_oldest(&files, 4, size * 2);
        assert_eq!(remaining(), 2);
        assert!(definitions.get(&digests[5]).is_some() && files.join("notes.txt").exists());
    }

    #[test]
    fn many_writers_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let folder = folder.path();
                scope.spawn(move || {
                    let definitions = Definitions::open(folder);
                    (0..20).for_each(|n| drop(store(&definitions, &n.to_string())));
                });
            }
        });
        let definitions = Definitions::open(folder.path());
        assert!((0..20).all(|n| definitions.get(&definition(&n.to_string()).digest()).is_some()));
        assert_eq!(fs::read_dir(folder.path().join("definitions")).unwrap().count(), 20);
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_where_a_link_leads() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let link = folder.path().join("definitions");
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        let one = definition("Reads.");
        assert!(Definitions::open(folder.path()).store(&one.digest(), &one).is_err());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }
}

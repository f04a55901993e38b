//! The closures that were resolved, by their digest: what a person agreed to is installed exactly,
//! even if the registry has moved on.
//!
//! **Invariant:** a closure that is read has the digest that it is asked for, whoever wrote it.

use super::error::InstallError;
use crate::disk;
use crate::install::folders::make_folder;
use crate::model::{MAX_CLOSURE_PACKAGES, PackageClosure, Timestamp, WriteDurability};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Maximum size of a closure's file: more than that of the largest one.
const MAX_SIZE: u64 = 32 << 20;

/// How long a closure is kept for a question that nobody has answered yet. Runs that wait are kept
/// as long.
const PENDING: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The closures of this user.
#[derive(Clone, Debug)]
pub(super) struct ClosureStore {
    folder: PathBuf,
}

impl ClosureStore {
    /// Returns the store in the user's cache folder.
    pub(super) fn in_cache(cache: &Path) -> ClosureStore {
        ClosureStore { folder: cache.join("closures") }
    }

    /// Keeps a closure, and returns its digest.
    pub(super) fn keep(&self, closure: &PackageClosure) -> Result<String, InstallError> {
        let digest = closure.digest();
        if self.load(&digest).is_none() {
            make_folder(&self.folder)?;
            let path = self.path(&digest);
            let text = serde_json::to_vec_pretty(closure)
                .map_err(|error| InstallError::io("write", &path, error.into()))?;
            disk::replace(&path, &text, WriteDurability::Process)
                .map_err(|error| InstallError::io("write", &path, error))?;
        }
        Ok(digest)
    }

    /// Returns the closure with this digest. Returns `None` if it is not kept, or is another one.
    pub(super) fn load(&self, digest: &str) -> Option<PackageClosure> {
        // The digest may have been read from a journal, and becomes part of a path.
        if digest.len() != 64 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let text = disk::read(&self.path(digest), MAX_SIZE).ok()?;
        let closure: PackageClosure = serde_json::from_slice(&text).ok()?;
        (closure.len() <= MAX_CLOSURE_PACKAGES && closure.digest() == digest).then_some(closure)
    }

    /// Removes all closures but these, and those that may still be agreed to.
    pub(super) fn retain(&self, kept: &BTreeSet<String>, now: Timestamp) {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let written = entry.metadata().and_then(|found| found.modified()).ok();
            let written = written.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
            let now = Duration::from_micros(now.0);
            let is_old = written.is_none_or(|written| written + PENDING < now);
            let needed = name.strip_suffix(".json").is_some_and(|digest| kept.contains(digest));
            if is_old && !needed {
                // A file that cannot be removed does no harm.
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    fn path(&self, digest: &str) -> PathBuf {
        self.folder.join(format!("{digest}.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::{ClosureStore, Timestamp};
    use crate::model::{Clock, ClosurePackage, PackageClosure, SystemClock};

    fn closure(version: &str) -> PackageClosure {
        let package = ClosurePackage { version: version.into(), ..ClosurePackage::default() };
        PackageClosure { packages: [("a".to_owned(), package)].into() }
    }

    #[test]
    fn a_closure_is_found_by_its_digest_and_never_taken_for_another() {
        let folder = tempfile::tempdir().unwrap();
        let store = ClosureStore::in_cache(folder.path());
        let digest = store.keep(&closure("1")).unwrap();
        assert_eq!(store.load(&digest), Some(closure("1")));
        let other = store.keep(&closure("2")).unwrap();
        std::fs::copy(store.path(&other), store.path(&digest)).unwrap();
        assert_eq!(store.load(&digest), None);
        // It is mended by whoever resolves it again.
        store.keep(&closure("1")).unwrap();
        assert_eq!(store.load(&digest), Some(closure("1")));
        assert_eq!((store.load("../x"), store.load("")), (None, None));
        let now = SystemClock.now();
        store.retain(&[other.clone()].into(), now);
        assert!(store.load(&digest).is_some(), "a question may still name it");
        let later = Timestamp(now.0 + 31 * 24 * 60 * 60 * 1_000_000);
        store.retain(&[other.clone()].into(), later);
        assert!(store.load(&digest).is_none() && store.load(&other).is_some());
    }
}

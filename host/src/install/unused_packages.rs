//! Packages that an older pml installed into a project's `.pml/deps`. Nothing reads them any more.

use super::cached_packages::size_of;
use crate::disk::is_own_folder;
use std::path::{Path, PathBuf};

/// Packages of an older pml, which can be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusedPackages {
    /// Their folder.
    pub folder: PathBuf,
    /// The size of all files in it, in bytes.
    pub size: u64,
}

impl UnusedPackages {
    /// Returns those of the project whose `.pml` is `state`, or `None` if there are none.
    pub(crate) fn of(state: &Path) -> Option<UnusedPackages> {
        let folder = state.join("deps");
        is_own_folder(&folder).then(|| UnusedPackages { size: size_of(&folder), folder })
    }
}

#[cfg(test)]
mod tests {
    use super::UnusedPackages;
    use std::fs;

    #[test]
    fn they_are_measured_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(UnusedPackages::of(folder.path()), None);
        fs::create_dir_all(folder.path().join("deps/npm/x@1.0.0")).unwrap();
        fs::write(folder.path().join("deps/npm/x@1.0.0/file"), "12345").unwrap();
        let found = UnusedPackages::of(folder.path()).unwrap();
        assert_eq!((found.size, found.folder), (5, folder.path().join("deps")));
        assert!(folder.path().join("deps/npm/x@1.0.0/file").exists());
    }
}

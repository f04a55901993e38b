//! A temporary folder that installed packages can be in.

use std::path::Path;

/// A temporary folder. It is removed although installed packages are read-only.
pub(super) struct CleanFolder(tempfile::TempDir);

impl CleanFolder {
    pub(super) fn new() -> CleanFolder {
        CleanFolder(tempfile::tempdir().expect("a folder"))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for CleanFolder {
    fn drop(&mut self) {
        // What cannot be removed does no harm.
        let _ = crate::disk::remove_tree(self.0.path());
    }
}

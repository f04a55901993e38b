//! The files that a server's launch line names. `project` reads them; `upstream` only checks
//! whether they changed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Compares the files that a launch line names with their state when the project was read.
pub(crate) trait PinnedFileCheck: Send + Sync {
    /// Reads the files and returns the names of those that changed or are new.
    fn changed(&self) -> Vec<String>;

    /// Returns the digest of the launch line and all the files.
    fn digest(&self) -> String;

    /// Returns the sha256 of the content of each file, by name.
    fn contents(&self) -> BTreeMap<String, String>;
}

/// The files that a server's launch line names, as they were when the project was read. The server
/// is not started once they have changed.
#[derive(Clone, Default)]
pub(crate) struct PinnedFiles(Option<Arc<dyn PinnedFileCheck>>);

impl PinnedFiles {
    /// Returns pinned files that `files` can check again.
    pub(crate) fn new(files: impl PinnedFileCheck + 'static) -> PinnedFiles {
        PinnedFiles(Some(Arc::new(files)))
    }

    /// Reads the files and returns the names of those that changed or are new.
    pub(crate) fn changed(&self) -> Vec<String> {
        self.0.as_ref().map(|files| files.changed()).unwrap_or_default()
    }

    /// Returns the sha256 of the content of each file, by name, as it was when the project was read.
    pub(crate) fn contents(&self) -> BTreeMap<String, String> {
        self.0.as_ref().map(|files| files.contents()).unwrap_or_default()
    }
}

impl PartialEq for PinnedFiles {
    fn eq(&self, other: &PinnedFiles) -> bool {
        let digest = |files: &PinnedFiles| files.0.as_ref().map(|files| files.digest());
        digest(self) == digest(other)
    }
}

impl fmt::Debug for PinnedFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PinnedFiles")
    }
}

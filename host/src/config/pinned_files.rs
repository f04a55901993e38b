//! The files that a server's launch line names: known by those who start it, read by those who know
//! the project.

use std::fmt;
use std::sync::Arc;

/// Says which of the files that a launch line names are not what they were when the project was
/// read.
pub(crate) trait LookAgain: Send + Sync {
    /// Returns the names of files that changed or came since. It reads them.
    fn changed(&self) -> Vec<String>;

    /// Returns what the launch line and all of them hash to.
    fn digest(&self) -> String;
}

/// The files that a server's launch line names, as they were when the project was read. It is not
/// started once they are others.
#[derive(Clone, Default)]
pub(crate) struct PinnedFiles(Option<Arc<dyn LookAgain>>);

impl PinnedFiles {
    /// Returns files that can be looked at again.
    pub(crate) fn new(files: impl LookAgain + 'static) -> PinnedFiles {
        PinnedFiles(Some(Arc::new(files)))
    }

    /// Returns the names of files that changed or came since. It reads them.
    pub(crate) fn changed(&self) -> Vec<String> {
        self.0.as_ref().map(|files| files.changed()).unwrap_or_default()
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

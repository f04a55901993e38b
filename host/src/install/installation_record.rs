//! The record of an installation, which lies beside it in the package cache.

use crate::model::{Package, Timestamp};
use serde::{Deserialize, Serialize};

/// An installation. Any process of the user could write this file, so a record counts only if its
/// seal is valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct InstallationRecord {
    /// The name of its entry in the cache. So a record counts for no other entry.
    pub(super) name: String,
    /// The request that it was made for: the digest of everything that determines what is
    /// installed.
    pub(super) spec: String,
    /// The package that was installed. The server and the launch line that asked for it first are
    /// left out: the installation is for all projects.
    pub(super) package: Package,
    /// The digest of the closure that was installed.
    pub(super) closure: String,
    /// The platform of the closure.
    pub(super) platform: String,
    /// The digest of the installed tree.
    pub(super) digest: String,
    /// The file that is started, relative to the tree.
    pub(super) entry: String,
    /// The program that starts it.
    pub(super) started_by: StartedBy,
    /// The size of all files, in bytes.
    pub(super) size: u64,
    /// The number of packages.
    pub(super) packages: u64,
    /// When it was installed.
    pub(super) installed_at: Timestamp,
    /// Proves that this user installed it: made with a key that no project has.
    pub(super) seal: String,
}

/// The program that starts a package's own program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StartedBy {
    /// The operating system.
    Itself,
    /// The `node` of the `PATH`.
    Node,
    /// The Python that is installed with it.
    Python,
}

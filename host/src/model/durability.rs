//! What a journal in a file promises.

use serde::{Deserialize, Serialize};

/// What survives. No level ever leaves a damaged journal behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Durability {
    /// Nothing is lost or repeated when the process dies, however it dies. A power cut may take the
    /// last writes.
    #[default]
    Process,
    /// Beside that, what was written as
    /// [`RequiredDurability::Disk`](crate::journal::RequiredDurability::Disk) survives a power cut.
    /// Each such write waits for the disk.
    Power,
}

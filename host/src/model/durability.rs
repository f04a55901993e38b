//! The durability of a journal in a file.

use serde::{Deserialize, Serialize};

/// The failures that a journal survives. No level ever leaves a damaged journal behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Durability {
    /// Nothing is lost or repeated when the process dies, in whatever way. A power failure may lose
    /// the last writes.
    #[default]
    Process,
    /// In addition, everything that was written as
    /// [`RequiredDurability::Disk`](crate::journal::RequiredDurability::Disk) survives a power
    /// failure. Each such write waits for the disk.
    Power,
}

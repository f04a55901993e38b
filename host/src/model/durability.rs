//! The durability of a journal, and of single writes.

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
    /// [`WriteDurability::Disk`](crate::journal::WriteDurability::Disk) survives a power
    /// failure. Each such write waits for the disk.
    Power,
}

/// The durability that a write must have before it counts as done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteDurability {
    /// The OS has it: it survives the death of this process, but not a power failure.
    #[default]
    Process,
    /// It is on disk.
    Disk,
}

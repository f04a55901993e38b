//! `--frozen` and `--no-frozen`: whether a command may add to the lock.

use crate::widening_permit;
use anyhow::Result;
use clap::Args;
use pml::{Environment, project::LockMode};

/// The flags.
#[derive(Args, Clone, Copy, Default)]
pub(super) struct LockFlags {
    /// Call only what `.pml/mcp.lock` has, exactly as it has it, and write nothing into it; the
    /// default where `CI` is `true`
    #[arg(long, conflicts_with = "no_frozen", help_heading = "Approval")]
    frozen: bool,
    /// Add to the lock what is used for the first time, also where `CI` is `true`
    #[arg(long, help_heading = "Approval")]
    no_frozen: bool,
}

impl LockFlags {
    /// Returns how servers are held against the lock.
    ///
    /// # Errors
    /// If an agent runs the command with `--no-frozen`, which lets more run than without it.
    pub(super) fn mode(self) -> Result<LockMode> {
        if self.no_frozen {
            widening_permit::refuse_agents("--no-frozen")?;
        }
        let frozen =
            self.frozen || !self.no_frozen && Environment::of_process().is_continuous_integration();
        Ok(match frozen {
            true => LockMode::Frozen,
            false => LockMode::Update,
        })
    }
}

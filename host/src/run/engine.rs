//! The engine: one for a process, cheap to clone.

use super::{Divergence, Recording, Run, replay};
use crate::config::{Config, Settings};
use crate::error::Error;
use crate::model::Code;
use crate::sandbox::Machine;
use crate::source::Script;
use std::{fmt, sync::Arc};

/// Runs programs. Clones share everything; a process needs only one.
#[derive(Clone)]
pub struct Engine {
    pub(super) settings: Arc<Settings>,
    pub(super) machine: Arc<Machine>,
}

impl Engine {
    /// Makes an engine. All settings are checked here, once.
    ///
    /// # Errors
    /// If a setting is out of its range, or the machine cannot run the guest: its CPU is too old, or it does not let a
    /// process reserve enough addresses.
    pub fn new(config: &Config) -> Result<Engine, Error> {
        let settings = Settings::try_from(config)?;
        let machine = Machine::new(settings.runs).map_err(|error| {
            Error::new(Code::Internal, "cannot start the sandbox on this machine")
                .with_source(error.into_boxed_dyn_error())
                .with_hint("if addresses are limited (`ulimit -v`), lift the limit or lower `Config::runs`")
        })?;
        Ok(Engine { settings: Arc::new(settings), machine: Arc::new(machine) })
    }

    /// Returns a run of `script`, which starts when it is awaited.
    pub fn run(&self, script: Script) -> Run {
        Run::new(self.clone(), script)
    }

    /// Runs a recorded program again, with nothing but what was recorded, and compares every step.
    ///
    /// # Errors
    /// If the sandbox fails. A step that differs is not an error but a [`Divergence`].
    pub async fn replay(&self, recording: &Recording) -> Result<Option<Divergence>, Error> {
        replay::replay(self, recording).await
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("limits", &self.settings.limits).finish_non_exhaustive()
    }
}

//! The project that a command is about, and its journal.

use super::execute::Kept;
use crate::{Durability, Environment, Error, Journal, MemoryJournal, ProjectState, Store, locate};
use anyhow::Context;
use std::path::PathBuf;
use std::sync::Arc;

/// Opens the journal of the project around the current folder, and makes it if it is not there.
pub(super) fn store(durability: Durability) -> anyhow::Result<Arc<dyn Journal>> {
    let store = Store::open(folder()?, durability).map_err(Error::from)?;
    Ok(Arc::new(store))
}

/// Opens the journal that runs are kept in.
pub(super) fn journal_of(kept: Kept, durability: Durability) -> anyhow::Result<Arc<dyn Journal>> {
    match kept {
        Kept::InMemory => Ok(Arc::new(MemoryJournal::new())),
        Kept::OnDisk => store(durability),
    }
}

/// Opens the journal to look at it. Where there is none, nothing is made: it is empty.
pub(super) fn journal() -> anyhow::Result<Arc<dyn Journal>> {
    match folder()?.exists() {
        true => store(Durability::Process),
        false => Ok(Arc::new(MemoryJournal::new())),
    }
}

/// The current folder.
pub(super) fn current() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("cannot find the current folder")
}

/// The project's `.pml`.
fn folder() -> anyhow::Result<PathBuf> {
    Ok(locate(&current()?, &Environment::of_process()).join(ProjectState::FOLDER))
}

//! The project that a command is about, and its journal.

use super::execute::Kept;
use crate::{Durability, Environment, Error, Journal, MemoryJournal, ProjectState, Store, locate};
use anyhow::Context;
use std::path::PathBuf;
use std::sync::Arc;

/// Opens the journal of the project around the current folder, and makes it if it is not there.
pub(super) fn store(durability: Durability) -> anyhow::Result<Arc<dyn Journal>> {
    let folder = folder()?;
    let store = match heads() {
        // What the user's own folder says of the trail, no project can change.
        Some(heads) => Store::open_with_heads(folder, durability, heads),
        None => Store::open(folder, durability),
    };
    Ok(Arc::new(store.map_err(Error::from)?))
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

/// The same, but for its audit trail: one that is gone is looked for where it was known to be.
pub(super) fn trail() -> anyhow::Result<Arc<dyn Journal>> {
    let folder = folder()?;
    match heads().is_some_and(|heads| Store::has_head(&folder, heads)) {
        true => store(Durability::Process),
        false => journal(),
    }
}

/// Whether there is an audit trail already, or a journal that it would stand in.
pub(super) fn has_trail() -> bool {
    let Ok(folder) = folder() else { return false };
    heads().is_some_and(|heads| Store::has_head(&folder, heads)) || folder.join("state.db").exists()
}

/// Where the heads of audit trails are kept: in the user's state folder, if they have one.
fn heads() -> Option<PathBuf> {
    Some(Environment::of_process().state_folder()?.join("audit"))
}

/// The current folder.
pub(super) fn current() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("cannot find the current folder")
}

/// The project's `.pml`.
fn folder() -> anyhow::Result<PathBuf> {
    Ok(locate(&current()?, &Environment::of_process()).join(ProjectState::FOLDER))
}

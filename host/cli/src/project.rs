//! The project that a command is about, and its journal.

use super::execute::JournalStorage;
use crate::older_journal;
use anyhow::Context;
use pml::{
    Environment, Error, Journal, MemoryJournal, Project, Store,
    journal::Durability,
    project::{ProjectJournal, locate},
};
use std::path::PathBuf;
use std::sync::Arc;

/// Opens the journal of the project around the current folder, and makes it if it is not there.
pub(super) fn store(durability: Durability) -> anyhow::Result<Arc<dyn Journal>> {
    let place = place()?;
    place.prepare()?;
    older_journal::take_up(&place)?;
    open(&place, durability)
}

fn open(place: &ProjectJournal, durability: Durability) -> anyhow::Result<Arc<dyn Journal>> {
    // What lies beside the journal says whether the trail in it was cut or written anew.
    let store = Store::open_with_heads(place.folder(), durability, place.heads());
    Ok(Arc::new(store.map_err(Error::from)?))
}

/// Opens the journal that runs of a project are kept in, and the project's own folder for what is
/// remembered of its servers.
pub(super) fn journal_of(
    kept: JournalStorage,
    durability: Durability,
    project: &Project,
) -> anyhow::Result<Arc<dyn Journal>> {
    match kept {
        JournalStorage::InMemory => Ok(Arc::new(MemoryJournal::new())),
        JournalStorage::OnDisk => {
            prepare_caches(project)?;
            store(durability)
        }
    }
}

/// Makes the project's `.pml` if something will be remembered in it. A link or a file in its place
/// is refused.
fn prepare_caches(project: &Project) -> Result<(), Error> {
    let folder = project.state_folder();
    match folder.symlink_metadata() {
        // Another user's is left alone, as is all in it.
        Ok(found) if found.is_dir() => {}
        Ok(_) => Store::make_folder(&folder)?,
        Err(_) if project.declared.servers.is_empty() && project.declared.cloud.is_none() => {}
        // Where it cannot be made, servers are asked again.
        Err(_) => drop(Store::make_folder(&folder)),
    }
    Ok(())
}

/// Opens the journal to look at it. Where there is none, nothing is made: it is empty.
pub(super) fn journal() -> anyhow::Result<Arc<dyn Journal>> {
    let place = place()?;
    match place.folder().exists() || older_journal::is_there(&place) {
        true => store(Durability::Process),
        false => Ok(Arc::new(MemoryJournal::new())),
    }
}

/// The same, but for its audit trail: one that is gone is looked for where it was known to be.
/// Nothing is imported.
pub(super) fn trail() -> anyhow::Result<Arc<dyn Journal>> {
    let place = place()?;
    let folder = place.folder();
    match folder.exists() || Store::has_head(&folder, place.heads()) {
        true => {
            place.prepare()?;
            open(&place, Durability::Process)
        }
        false => Ok(Arc::new(MemoryJournal::new())),
    }
}

/// Whether there is an audit trail already, or a journal that it would stand in.
pub(super) fn has_trail() -> bool {
    place().is_ok_and(|place| {
        let folder = place.folder();
        Store::has_head(&folder, place.heads()) || folder.join("state.db").exists()
    })
}

/// Where the journal of this project is kept.
pub(super) fn place() -> anyhow::Result<ProjectJournal> {
    let environment = Environment::of_process();
    Ok(ProjectJournal::of(&locate(&current()?, &environment), &environment)?)
}

/// The current folder.
pub(super) fn current() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("cannot find the current folder")
}

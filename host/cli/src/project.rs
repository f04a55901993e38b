//! Finds the project that a command is about, and opens its journal.

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

/// Opens the journal of the project around the current folder. Creates it if it does not exist, and
/// imports an older journal first.
pub(super) fn store(durability: Durability) -> anyhow::Result<Arc<dyn Journal>> {
    let place = place()?;
    place.prepare()?;
    older_journal::take_up(&place)?;
    open(&place, durability)
}

fn open(place: &ProjectJournal, durability: Durability) -> anyhow::Result<Arc<dyn Journal>> {
    // The heads are stored outside the journal. They show whether its audit trail was cut or
    // rewritten.
    let store = Store::open_with_heads(place.folder(), durability, place.heads());
    Ok(Arc::new(store.map_err(Error::from)?))
}

/// Opens the journal for runs of a project. On disk, it also prepares the project's `.pml`, where
/// the tools of its servers are cached.
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

/// Creates the project's `.pml` if its servers need a cache there. Refuses a link or a file in its
/// place.
fn prepare_caches(project: &Project) -> Result<(), Error> {
    let folder = project.state_folder();
    match folder.symlink_metadata() {
        // A folder of another user is ignored, and so are the files in it.
        Ok(found) if found.is_dir() => {}
        Ok(_) => Store::make_folder(&folder)?,
        Err(_) if project.declared.servers.is_empty() && project.declared.cloud.is_none() => {}
        // Without a cache, servers are asked again.
        Err(_) => drop(Store::make_folder(&folder)),
    }
    Ok(())
}

/// Opens the journal for reading. If there is none, creates nothing and returns an empty one.
pub(super) fn journal() -> anyhow::Result<Arc<dyn Journal>> {
    let place = place()?;
    match place.folder().exists() || older_journal::is_there(&place) {
        true => store(Durability::Process),
        false => Ok(Arc::new(MemoryJournal::new())),
    }
}

/// Opens the journal for reading its audit trail. A journal that was deleted but has a recorded
/// head is opened too, so that the loss is reported. An older journal is not imported.
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

/// Reports whether there is an audit trail, or a journal that could hold one.
pub(super) fn has_trail() -> bool {
    place().is_ok_and(|place| {
        let folder = place.folder();
        Store::has_head(&folder, place.heads()) || folder.join("state.db").exists()
    })
}

/// Returns the location of this project's journal.
pub(super) fn place() -> anyhow::Result<ProjectJournal> {
    let environment = Environment::of_process();
    Ok(ProjectJournal::of(&locate(&current()?, &environment), &environment)?)
}

/// Returns the current folder.
pub(super) fn current() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("cannot find the current folder")
}

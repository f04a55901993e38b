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
pub(super) fn open_journal(durability: Durability) -> anyhow::Result<Arc<dyn Journal>> {
    let project_journal = project_journal()?;
    project_journal.prepare()?;
    older_journal::import_once(&project_journal)?;
    open_store(&project_journal, durability)
}

fn open_store(
    project_journal: &ProjectJournal,
    durability: Durability,
) -> anyhow::Result<Arc<dyn Journal>> {
    // The heads are stored outside the journal. They show whether its audit trail was cut or
    // rewritten.
    let store = Store::open_with_heads(
        project_journal.folder(),
        durability,
        project_journal.audit_head_folder(),
    );
    Ok(Arc::new(store.map_err(Error::from)?))
}

/// Opens the journal for runs of a project. On disk, it also prepares the project's `.pml`, where
/// the tools of its servers are cached.
pub(super) fn journal_for(
    storage: JournalStorage,
    durability: Durability,
    project: &Project,
) -> anyhow::Result<Arc<dyn Journal>> {
    match storage {
        JournalStorage::InMemory => Ok(Arc::new(MemoryJournal::new())),
        JournalStorage::OnDisk => {
            prepare_caches(project)?;
            open_journal(durability)
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

/// Opens the journal if there is one. Otherwise creates nothing and returns an empty one in memory.
pub(super) fn journal() -> anyhow::Result<Arc<dyn Journal>> {
    let project_journal = project_journal()?;
    match project_journal.folder().exists() || older_journal::exists(&project_journal) {
        true => open_journal(Durability::Process),
        false => Ok(Arc::new(MemoryJournal::new())),
    }
}

/// Opens the journal for reading its audit trail. A journal that was deleted but has a recorded
/// head is opened too, so that the loss is reported. An older journal is not imported.
pub(super) fn audit_journal() -> anyhow::Result<Arc<dyn Journal>> {
    let project_journal = project_journal()?;
    let folder = project_journal.folder();
    match folder.exists() || Store::has_head(&folder, project_journal.audit_head_folder()) {
        true => {
            project_journal.prepare()?;
            open_store(&project_journal, Durability::Process)
        }
        false => Ok(Arc::new(MemoryJournal::new())),
    }
}

/// Reports whether there is an audit trail, or a journal that could hold one.
pub(super) fn has_audit_trail() -> bool {
    project_journal().is_ok_and(|project_journal| {
        let folder = project_journal.folder();
        Store::has_head(&folder, project_journal.audit_head_folder())
            || folder.join("state.db").exists()
    })
}

/// Returns the location of this project's journal.
pub(super) fn project_journal() -> anyhow::Result<ProjectJournal> {
    let environment = Environment::of_process();
    Ok(ProjectJournal::of(&locate(&current_folder()?, &environment), &environment)?)
}

/// Returns the current folder.
pub(super) fn current_folder() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("cannot find the current folder")
}

//! Checks the machine: programs can run on it, and their journal can be stored.

use super::check::DoctorCheck;
use crate::older_journal;
use pml::{
    Config, Engine, Environment, Error, Store, journal::Durability, project::ProjectJournal,
    replay::GUEST_DIGEST, text::escape,
};
use std::path::Path;

const AREA: &str = "machine";

/// Number of digits of a digest that are shown.
const DIGITS: usize = 12;

/// Checks the machine, and the location of the journal of the project at `root`.
pub(super) fn checks(root: &Path) -> Vec<DoctorCheck> {
    let digest = &GUEST_DIGEST[..DIGITS.min(GUEST_DIGEST.len())];
    let version = env!("CARGO_PKG_VERSION");
    let mut checks =
        vec![DoctorCheck::fine(AREA, format!("pml {version}, guest sha256:{digest}")), sandbox()];
    match ProjectJournal::of(root, &Environment::of_process()) {
        Ok(project_journal) => {
            checks.push(journal(&project_journal));
            checks.extend(older_journal(&project_journal));
        }
        Err(error) => checks.push(DoctorCheck::error(AREA, &error)),
    }
    checks
}

/// Returns a note about the journal that an older pml wrote into the project, if there is one.
fn older_journal(project_journal: &ProjectJournal) -> Option<DoctorCheck> {
    if !older_journal::exists(project_journal) {
        return None;
    }
    Some(match project_journal.legacy_outcome() {
        Ok(Some(older)) => DoctorCheck::note(AREA, older_journal::describe(&older)),
        Ok(None) => DoctorCheck::note(
            AREA,
            "journals are now in your state folder; the next command that needs this one checks whether \
             `.pml/state.db` is yours, and imports its runs that have ended",
        ),
        Err(error) => DoctorCheck::error(AREA, &error),
    })
}

fn sandbox() -> DoctorCheck {
    let mut config = Config::new();
    config.runs(1);
    match Engine::new(&config) {
        Ok(_) => DoctorCheck::fine(AREA, "programs can run in the sandbox"),
        Err(error) => DoctorCheck::error(AREA, &error),
    }
}

fn journal(project_journal: &ProjectJournal) -> DoctorCheck {
    let folder = project_journal.folder();
    let shown = escape(&folder.to_string_lossy()).into_owned();
    // The check must not create the journal.
    if folder.join("state.db").exists() {
        return match Store::open(&folder, Durability::Process) {
            Ok(_) => DoctorCheck::fine(AREA, format!("the journal can be opened: {shown}")),
            Err(error) => DoctorCheck::error(AREA, &Error::from(error)),
        };
    }
    let existing = folder.ancestors().find(|above| above.exists()).unwrap_or(&folder);
    match is_writable(existing) {
        true => DoctorCheck::fine(
            AREA,
            format!("there is no journal yet, the first run makes it: {shown}"),
        ),
        false => {
            let existing = escape(&existing.to_string_lossy()).into_owned();
            DoctorCheck::failure(
                AREA,
                format!("the journal cannot be made, because this folder is read-only: {existing}"),
            )
            .hint(
                "choose another state folder with `--state-dir`, or run programs with `--no-journal`",
            )
        }
    }
}

#[cfg(unix)]
fn is_writable(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_writable(folder: &Path) -> bool {
    folder.metadata().is_ok_and(|found| !found.permissions().readonly())
}

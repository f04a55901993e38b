//! The journal that an older pml wrote into a project's `.pml`. Its runs are imported as history if
//! it belongs to this user; otherwise it is ignored.

use super::quantity::counted;
use super::ui;
use pml::{
    Clock, Error, Store, SystemClock,
    journal::{JournalImportError, OwnershipProof},
    project::{LegacyJournalOutcome, ProjectJournal},
    text::escape,
};

/// Reports whether the project has such a file.
pub(super) fn exists(project_journal: &ProjectJournal) -> bool {
    project_journal.legacy_folder().join("state.db").symlink_metadata().is_ok()
}

/// Imports the older journal or refuses to, prints which, and records that, so that it happens
/// once.
pub(super) fn import_once(project_journal: &ProjectJournal) -> Result<(), Error> {
    if !exists(project_journal) || project_journal.legacy_outcome()?.is_some() {
        return Ok(());
    }
    let _lock = project_journal.lock()?;
    // Another process may have imported it meanwhile.
    if project_journal.legacy_outcome()?.is_some() {
        return Ok(());
    }
    let (folder, from) = (project_journal.folder(), project_journal.legacy_folder());
    let now = SystemClock.now();
    let older = match Store::import(
        &folder,
        &project_journal.audit_head_folder(),
        &from,
        OwnershipProof::TrailHead,
        now,
    ) {
        Ok(imported) => {
            LegacyJournalOutcome::Imported { runs: imported.runs, left: imported.skipped }
        }
        Err(JournalImportError::Refused(reason)) => LegacyJournalOutcome::Refused { reason },
        // The next command tries again.
        Err(JournalImportError::InUse) => return Ok(()),
        Err(JournalImportError::Failed(error)) => return Err(error.into()),
    };
    ui::say(&format!("note: {}", describe(&older)));
    project_journal.record_legacy_outcome(older)
}

/// Describes for a person whether the journal was imported or refused.
pub(super) fn describe(older: &LegacyJournalOutcome) -> String {
    match older {
        LegacyJournalOutcome::Imported { runs, left } => {
            let left = match left {
                0 => String::new(),
                left => format!(", {} that had not ended stay there", counted(*left, "run")),
            };
            let runs = counted(*runs, "run");
            format!(
                "journals are now in your state folder: {runs} imported from `.pml/state.db`{left}; \
                 you can delete that file"
            )
        }
        LegacyJournalOutcome::Refused { reason } => {
            format!("`.pml/state.db` is not used: {}; you can delete that file", escape(reason))
        }
    }
}

//! The journal that an older pml left in a project's `.pml`: history, if it is this user's, and
//! nothing else.

use super::quantity::counted;
use super::ui;
use pml::{
    Clock, Error, Store, SystemClock,
    journal::{JournalImportError, OwnershipProof},
    project::{LegacyJournalOutcome, ProjectJournal},
    text::escape,
};

/// Returns whether there is one that nothing was decided about.
pub(super) fn is_there(place: &ProjectJournal) -> bool {
    place.older_folder().join("state.db").symlink_metadata().is_ok()
}

/// Imports it, or leaves it alone, and says which, once.
pub(super) fn take_up(place: &ProjectJournal) -> Result<(), Error> {
    if !is_there(place) || place.older()?.is_some() {
        return Ok(());
    }
    let _lock = place.lock()?;
    // Another process may have been first.
    if place.older()?.is_some() {
        return Ok(());
    }
    let (folder, from) = (place.folder(), place.older_folder());
    let now = SystemClock.now();
    let older = match Store::import(&folder, &place.heads(), &from, OwnershipProof::TrailHead, now)
    {
        Ok(imported) => LegacyJournalOutcome::Imported { runs: imported.runs, left: imported.left },
        Err(JournalImportError::Refused(reason)) => LegacyJournalOutcome::Refused { reason },
        // The next command looks again.
        Err(JournalImportError::InUse) => return Ok(()),
        Err(JournalImportError::Failed(error)) => return Err(error.into()),
    };
    ui::say(&format!("note: {}", told(&older)));
    place.set_older(older)
}

/// What became of it, for a person.
pub(super) fn told(older: &LegacyJournalOutcome) -> String {
    match older {
        LegacyJournalOutcome::Imported { runs, left } => {
            let left = match left {
                0 => String::new(),
                left => format!(", {} not over left there", counted(*left, "run")),
            };
            let runs = counted(*runs, "run");
            format!(
                "journals are kept in your state folder now: {runs} imported from `.pml/state.db`{left}; \
                 the file may be deleted"
            )
        }
        LegacyJournalOutcome::Refused { reason } => format!(
            "`.pml/state.db` was left alone, and nothing in it counts: {}; the file may be deleted",
            escape(reason)
        ),
    }
}

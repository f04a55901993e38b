//! A journal looked at from outside, and moved: what is known of it without opening it for good.

use super::audit::HeadFile;
use super::failure::io_failure;
use super::list::{each_run, last};
use super::open::open;
use super::owner::OwnerFolder;
use super::store::Store;
use crate::model::Timestamp;
use crate::store::StoreError;
use std::ops::ControlFlow;
use std::path::Path;

/// What a journal holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalOverview {
    /// How many runs.
    pub runs: u64,
    /// How many of them are not over.
    pub unfinished: u64,
    /// When something last happened in the newest.
    pub last: Option<Timestamp>,
    /// Whether a living process has runs of it.
    pub in_use: bool,
}

impl Store {
    /// Looks at the journal in `folder`. Where there is none, it holds nothing.
    pub fn glance(folder: &Path, now: Timestamp) -> Result<JournalOverview, StoreError> {
        let owners = OwnerFolder::of(folder);
        let mut glance =
            JournalOverview { in_use: owners.any_alive(), ..JournalOverview::default() };
        if !folder.join("state.db").exists() {
            return Ok(glance);
        }
        let (connection, path) = open(folder)?;
        let seen = each_run(&connection, &owners, now, |run| {
            if glance.last.is_none() {
                glance.last = Some(last(&connection, &run)?.0);
            }
            glance.runs += 1;
            glance.unfinished += u64::from(!run.state.ended());
            Ok(ControlFlow::Continue(()))
        });
        seen.map_err(|trouble| trouble.at(&path))?;
        Ok(glance)
    }

    /// Keeps the head of the trail in `from` for the journal in `to` as well: it is about to be
    /// moved there.
    pub fn copy_head(from: &Path, to: &Path, heads: &Path) -> Result<(), StoreError> {
        let copied = head(heads, to).copy(&head(heads, from));
        copied.map_err(|error| io_failure("keep the end of the audit trail", heads, error))
    }

    /// Forgets the head of the trail that was in `folder`: it is elsewhere now.
    pub fn forget_head(folder: &Path, heads: &Path) -> Result<(), StoreError> {
        let forgotten = head(heads, folder).forget();
        forgotten.map_err(|error| io_failure("keep the end of the audit trail", heads, error))
    }
}

fn head(heads: &Path, folder: &Path) -> HeadFile {
    HeadFile::of(heads, &folder.join("state.db"))
}

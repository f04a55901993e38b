//! Inspects a journal without keeping it open, and moves the anchor of its audit trail.

use super::audit::HeadFile;
use super::failure::io_failure;
use super::list::{each_run, last_entry};
use super::open::open;
use super::owner::OwnerFolder;
use super::store::Store;
use crate::model::Timestamp;
use crate::store::StoreError;
use std::ops::ControlFlow;
use std::path::Path;

/// An overview of a journal's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalOverview {
    /// The number of runs.
    pub runs: u64,
    /// The number of runs that have not ended.
    pub unfinished: u64,
    /// The time of the last entry of the newest run.
    pub last_activity: Option<Timestamp>,
    /// True if a living process owns runs of it.
    pub in_use: bool,
}

impl Store {
    /// Reads an overview of the journal in `folder`. If there is no journal, the overview is empty.
    pub fn overview(folder: &Path, now: Timestamp) -> Result<JournalOverview, StoreError> {
        let owners = OwnerFolder::of(folder);
        let mut overview =
            JournalOverview { in_use: owners.any_alive(), ..JournalOverview::default() };
        if !folder.join("state.db").exists() {
            return Ok(overview);
        }
        let (connection, path) = open(folder)?;
        let visited = each_run(&connection, &owners, now, |run| {
            if overview.last_activity.is_none() {
                overview.last_activity = Some(last_entry(&connection, &run)?.0);
            }
            overview.runs += 1;
            overview.unfinished += u64::from(!run.state.has_ended());
            Ok(ControlFlow::Continue(()))
        });
        visited.map_err(|error| error.into_store_error(&path))?;
        Ok(overview)
    }

    /// Copies the anchor of the audit trail in `from` for the journal in `to`, which is about to be
    /// moved there.
    pub fn copy_head(from: &Path, to: &Path, heads: &Path) -> Result<(), StoreError> {
        let copied = head(heads, to).copy(&head(heads, from));
        copied.map_err(|error| io_failure("keep the end of the audit trail", heads, error))
    }

    /// Removes the anchor of the audit trail that was in `folder`: the journal was moved.
    pub fn remove_head(folder: &Path, heads: &Path) -> Result<(), StoreError> {
        let removed = head(heads, folder).remove();
        removed.map_err(|error| io_failure("keep the end of the audit trail", heads, error))
    }
}

fn head(heads: &Path, folder: &Path) -> HeadFile {
    HeadFile::of(heads, &folder.join("state.db"))
}

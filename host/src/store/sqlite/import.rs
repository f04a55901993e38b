//! Imports ended runs of another journal, as history.
//!
//! Input: the folder of a journal that this user had before. Output: the headers and entries of its
//! ended runs. No question is opened and no decision is imported, so that imported data decides
//! nothing.
//!
//! **Invariant:** a journal that lies in a project is imported only if its whole audit trail
//! matches the anchor in this user's state folder. A clone may bring any file, but cannot bring
//! that anchor. **Invariant:** the other journal is neither changed nor opened by SQLite: a copy in
//! this user's own folder is read.

use super::answers;
use super::audit::{self, HeadFile, TrailWriter};
use super::columns::entry_id;
use super::failure::{OperationError, io_failure};
use super::list::each_run;
use super::load::load;
use super::open::{check_and_migrate, connect, open, wal_size, with_suffix};
use super::owner::{OwnerFolder, make_private_folder, private_options};
use super::runs::insert;
use super::store::Store;
use super::{entries, failure::failure};
use crate::model::{RunId, Timestamp};
use crate::store::{AuditEvent, AuditFilter, AuditNote, JournalEvent, RunState, StoreError};
use rusqlite::{Connection, ErrorCode};
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Maximum bytes of a journal that are copied: far more than a thousand runs have.
const MAX_JOURNAL_BYTES: u64 = 1 << 30;

/// The result of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalImport {
    /// Runs that were imported.
    pub runs: u64,
    /// Runs that were not imported: they had not ended, or could not be read.
    pub skipped: u64,
}

/// The reason for which nothing was imported.
#[derive(Debug)]
pub enum JournalImportError {
    /// The journal was refused, for this reason.
    Refused(String),
    /// A process uses the journal: the import can be tried again.
    InUse,
    /// The journal to import into does not work.
    Failed(StoreError),
}

impl From<StoreError> for JournalImportError {
    fn from(error: StoreError) -> JournalImportError {
        JournalImportError::Failed(error)
    }
}

/// The proof that a journal belongs to this user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnershipProof {
    /// The anchor of its audit trail: the journal lies where others can write.
    TrailHead,
    /// Its location: the user's own state folder.
    StateFolder,
}

impl Store {
    /// Imports the ended runs of the journal in `from` into the one in `folder`, which is created
    /// if it does not exist. The anchors of both audit trails are in `heads`.
    pub fn import(
        folder: &Path,
        heads: &Path,
        from: &Path,
        proof: OwnershipProof,
        now: Timestamp,
    ) -> Result<JournalImport, JournalImportError> {
        let head = HeadFile::of(heads, &from.join("state.db"));
        if proof == OwnershipProof::TrailHead && !matches!(head.read(), Ok(Some(_))) {
            let reason = "nothing in your state folder says that it is yours";
            return Err(JournalImportError::Refused(reason.into()));
        }
        let owners = OwnerFolder::of(from);
        if owners.any_alive() {
            return Err(JournalImportError::InUse);
        }
        let copy = JournalCopy::of(from, folder)?;
        let (old, runs, skipped) = copy.read(&owners, now)?;
        let no_entries = AuditFilter { limit: Some(0), ..AuditFilter::default() };
        let checked_head = (proof == OwnershipProof::TrailHead).then_some(&head);
        let trail = audit::read(&old, checked_head, &no_entries)
            .map_err(|error| copy.refused(error.into()))?;
        if proof == OwnershipProof::TrailHead
            && (trail.defect.is_some() || trail.anchored != Some(trail.count))
        {
            let reason = "its audit trail is not the one that your state folder knows";
            return Err(JournalImportError::Refused(reason.into()));
        }
        let (new, path) = open(folder)?;
        let failed = |error: rusqlite::Error| failure(&path, &error);
        let trail_writer = TrailWriter::new(Some(HeadFile::of(heads, &path)));
        new.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
        let mut imported = JournalImport { runs: 0, skipped };
        for (run, state) in runs {
            match import_run(&old, &copy.path, &new, run, state).map_err(failed)? {
                RunImportResult::Imported => imported.runs += 1,
                RunImportResult::AlreadyPresent => {}
                RunImportResult::Unreadable => imported.skipped += 1,
            }
        }
        let note = AuditEvent::Imported {
            from: from.to_string_lossy().into_owned(),
            runs: imported.runs,
            left: imported.skipped,
            entries: trail.count,
            head: trail.hash,
        };
        trail_writer.append(&new, &AuditNote::new(now, None, note)).map_err(failed)?;
        new.execute_batch("COMMIT").map_err(failed)?;
        trail_writer.update_head(&new);
        Ok(imported)
    }
}

enum RunImportResult {
    Imported,
    AlreadyPresent,
    Unreadable,
}

fn import_run(
    old: &Connection,
    path: &Path,
    new: &Connection,
    run: RunId,
    state: RunState,
) -> rusqlite::Result<RunImportResult> {
    let Ok(stored) = load(old, path, run) else { return Ok(RunImportResult::Unreadable) };
    let number = match insert(new, &stored.header, state, None) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            return Ok(RunImportResult::AlreadyPresent);
        }
        inserted => inserted?,
    };
    for (entry, sequence) in stored.entries.iter().zip(0..) {
        entries::write(new, entry_id(number, sequence), entry)?;
        if let JournalEvent::Asked { question } = &entry.event {
            answers::insert_closed(new, number, question)?;
        }
    }
    Ok(RunImportResult::Imported)
}

/// A copy of a journal at one moment, removed when it is dropped.
struct JournalCopy {
    folder: PathBuf,
    path: PathBuf,
}

impl JournalCopy {
    /// Copies the journal in `from` into a new folder in `to`.
    fn of(from: &Path, to: &Path) -> Result<JournalCopy, JournalImportError> {
        let folder = to.join(format!("import-{}", uuid::Uuid::new_v4().simple()));
        make_private_folder(&folder)
            .map_err(|error| io_failure("make the folder", &folder, error))?;
        let copy = JournalCopy { path: folder.join("state.db"), folder };
        let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
        if !is_folder(from) {
            return Err(JournalImportError::Refused("its folder is a link".into()));
        }
        let original = from.join("state.db");
        copy.file(&original, &copy.path)?;
        let wal = with_suffix(&original, "-wal");
        if wal.symlink_metadata().is_ok() {
            copy.file(&wal, &with_suffix(&copy.path, "-wal"))?;
        }
        Ok(copy)
    }

    fn file(&self, from: &Path, to: &Path) -> Result<(), JournalImportError> {
        let refused =
            |error: io::Error| JournalImportError::Refused(format!("it cannot be read: {error}"));
        let file = open_plain(from).map_err(refused)?;
        let mut copy = private_options()
            .write(true)
            .create_new(true)
            .open(to)
            .map_err(|error| io_failure("write", to, error))?;
        let copied = io::copy(&mut file.take(MAX_JOURNAL_BYTES + 1), &mut copy)
            .map_err(|error| io_failure("write", to, error))?;
        match copied > MAX_JOURNAL_BYTES {
            true => Err(JournalImportError::Refused("it is too large".into())),
            false => Ok(()),
        }
    }

    /// Opens the copy. Returns the connection, the ended runs, oldest first, and the number of
    /// other runs.
    #[expect(clippy::type_complexity, reason = "it is taken apart where it is called")]
    fn read(
        &self,
        owners: &OwnerFolder,
        now: Timestamp,
    ) -> Result<(Connection, Vec<(RunId, RunState)>, u64), JournalImportError> {
        let refused = |error: StoreError| self.refused(OperationError::Refused(error));
        let connection = connect(&self.path).map_err(refused)?;
        // The copy is migrated like any journal; the original is not touched.
        check_and_migrate(&connection, &self.path, wal_size(&self.path) == 0).map_err(refused)?;
        let (mut runs, mut skipped) = (Vec::new(), 0);
        let listed = each_run(&connection, owners, now, |run| {
            match run.state.has_ended() {
                true => runs.push((run.run, run.state)),
                false => skipped += 1,
            }
            Ok(ControlFlow::Continue(()))
        });
        listed.map_err(|error| self.refused(error))?;
        runs.reverse();
        Ok((connection, runs, skipped))
    }

    /// Maps an error of the copy: the original has the same defect.
    fn refused(&self, error: OperationError) -> JournalImportError {
        JournalImportError::Refused(match error.into_store_error(&self.path) {
            StoreError::Altered { detail, .. } | StoreError::Damaged { detail, .. } => detail,
            StoreError::Newer { .. } => "a newer pml wrote it".into(),
            // These errors say nothing about the original.
            error @ (StoreError::Full { .. } | StoreError::Io { .. }) => {
                return JournalImportError::Failed(error);
            }
            error => error.to_string(),
        })
    }
}

impl Drop for JournalCopy {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Opens a regular file of this user's; refuses links.
fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let file = options.custom_flags(flags.bits().cast_signed()).open(path)?;
        let found = file.metadata()?;
        if !found.is_file() || found.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other("it is not a file of yours"));
        }
        Ok(file)
    }
    #[cfg(not(unix))]
    options.open(path)
}

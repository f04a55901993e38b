//! The folder of a project's journal in the user's state folder, found by the project's path.
//!
//! ```text
//! STATE/projects/NAME-DIGEST/               the journal; DIGEST is of the project's canonical path
//! STATE/projects/NAME-DIGEST/project.json   the project, and the outcome of the import from `.pml`
//! STATE/audit/                              the ends of audit trails, apart from the journals
//! STATE/replaced/                           journals that were replaced by an adopted one
//! ```
//!
//! **Invariant:** a folder is used only if its `project.json` names this project, and if no other
//! user can write into it.

use crate::config::Environment;
use crate::config::state_folder::resolved;
use crate::disk::FileLock;
use crate::disk::user_files::{display_path, read_own};
use crate::disk::user_files::{file_error, lock, make_private_folder, replace};
use crate::error::Error;
use crate::model::{Code, hex};
use crate::store::ProjectState;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;
use std::path::{Path, PathBuf};

/// The file that names the project of a journal.
const FILE: &str = "project.json";

/// Maximum size of that file.
const SIZE: u64 = 64 << 10;

/// The newest format of that file.
const VERSION: u32 = 1;

/// Number of characters of a project's name at the beginning of its journal's folder name, for
/// people who browse.
const NAME: usize = 40;

/// Maximum number of journals that are searched for missing projects.
const MAX_JOURNALS: usize = 10_000;

/// The location of a project's journal.
#[derive(Clone, Debug)]
pub struct ProjectJournal {
    state: PathBuf,
    root: PathBuf,
}

/// The outcome of importing the journal that an older pml left in a project's `.pml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum LegacyJournalOutcome {
    /// Its finished runs were imported.
    Imported {
        /// Number of imported runs.
        runs: u64,
        /// Number of runs that were not imported, because they were unfinished or unreadable.
        left: u64,
    },
    /// It was not imported.
    Refused {
        /// The reason.
        reason: String,
    },
}

/// A journal whose project no longer exists at its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrphanedJournal {
    /// The former path of the project.
    pub path: PathBuf,
    /// The folder of its journal.
    pub folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct JournalOwnerRecord {
    version: u32,
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    older: Option<LegacyJournalOutcome>,
}

impl ProjectJournal {
    /// Returns the location of the journal of the project in `root`. Creates nothing.
    ///
    /// # Errors
    /// If the user has no state folder, or one that may not be used for this project: see
    /// [`Environment::state_folder`].
    pub fn of(root: &Path, environment: &Environment) -> Result<ProjectJournal, Error> {
        let state = environment.required_state_folder(root, "to keep the journal in")?;
        let root = root.canonicalize().unwrap_or_else(|_| root.into());
        Ok(ProjectJournal { state, root })
    }

    /// Returns the project's folder, links resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the journal's folder.
    pub fn folder(&self) -> PathBuf {
        self.projects().join(name_of(&self.root))
    }

    /// Returns the folder that contains the ends of audit trails.
    pub fn audit_head_folder(&self) -> PathBuf {
        self.state.join("audit")
    }

    /// Returns the folder in which an older pml stored the journal.
    pub fn legacy_folder(&self) -> PathBuf {
        self.root.join(ProjectState::FOLDER)
    }

    /// Creates the journal's folder if it does not exist, and records its project.
    ///
    /// # Errors
    /// If it cannot be created, is open to others, or is the journal of another project.
    pub fn prepare(&self) -> Result<(), Error> {
        for folder in [&self.state, &self.projects(), &self.folder()] {
            make_private_folder(folder).map_err(with_state_folder_hint)?;
            check_private(folder)?;
        }
        match self.owner_record()? {
            Some(_) => Ok(()),
            None => self.write(None),
        }
    }

    /// Returns the outcome of importing an older pml's journal from the project, or `None` if that
    /// is not decided yet.
    pub fn legacy_outcome(&self) -> Result<Option<LegacyJournalOutcome>, Error> {
        Ok(self.owner_record()?.and_then(|written| written.older))
    }

    /// Records that outcome.
    pub fn record_legacy_outcome(&self, older: LegacyJournalOutcome) -> Result<(), Error> {
        self.write(Some(older))
    }

    /// Locks the journal against importing and adopting by other processes.
    pub fn lock(&self) -> Result<FileLock, Error> {
        lock(&self.projects().join("lock"))
    }

    /// Returns the journals whose project no longer exists, sorted by path.
    pub fn orphaned_journals(&self) -> Vec<OrphanedJournal> {
        let Ok(folders) = self.projects().read_dir() else { return Vec::new() };
        let mut orphaned: Vec<_> = folders
            .flatten()
            .take(MAX_JOURNALS)
            .filter_map(|entry| {
                let folder = entry.path();
                // An unreadable record names no project.
                let written = read(&folder).ok().flatten()?;
                Some(OrphanedJournal { path: written.path.into(), folder })
            })
            .filter(|journal| journal.path != self.root && is_gone(&journal.path))
            .collect();
        orphaned.sort_by(|one, other| one.path.cmp(&other.path));
        orphaned
    }

    /// Returns the journal of the project that was at `path`, or `None`. The path may still exist.
    pub fn find_by_path(&self, path: &Path) -> Option<OrphanedJournal> {
        let path = resolved(path).ok()?;
        let folder = self.projects().join(name_of(&path));
        let at = |folder: &Path| {
            let written = read(folder).ok().flatten()?;
            (Path::new(&written.path) == path)
                .then(|| OrphanedJournal { path: path.clone(), folder: folder.into() })
        };
        // A journal whose adoption was interrupted is in this folder already, and still names its
        // former project.
        at(&folder).or_else(|| at(&self.folder()))
    }

    /// Moves the existing journal of this project to another folder. Returns the new path, or
    /// `None` if there was no journal.
    pub fn set_aside(&self, _: &FileLock) -> Result<Option<PathBuf>, Error> {
        let here = self.folder();
        if here.symlink_metadata().is_err() {
            return Ok(None);
        }
        let replaced = self.state.join("replaced");
        make_private_folder(&replaced)?;
        let unique = uuid::Uuid::new_v4().simple().to_string();
        let aside = replaced.join(format!("{}-{}", name_of(&self.root), &unique[..8]));
        std::fs::rename(&here, &aside).map_err(|error| file_error("move", &here, error))?;
        Ok(Some(aside))
    }

    /// Adopts the journal of another project for this one.
    pub fn adopt(&self, orphaned: &OrphanedJournal, _: &FileLock) -> Result<(), Error> {
        let (from, here) = (&orphaned.folder, self.folder());
        if *from != here {
            std::fs::rename(from, &here).map_err(|error| file_error("move", from, error))?;
        }
        check_private(&here)?;
        // The record on the older pml's journal stays: the import is not offered again.
        let older = read(&here)?.and_then(|written| written.older);
        self.write(older)
    }

    fn projects(&self) -> PathBuf {
        self.state.join("projects")
    }

    fn owner_record(&self) -> Result<Option<JournalOwnerRecord>, Error> {
        let folder = self.folder();
        let Some(written) = read(&folder)? else { return Ok(None) };
        if Path::new(&written.path) != Path::new(&*self.root.to_string_lossy()) {
            let was = crate::model::escape(&written.path).into_owned();
            let message = format!(
                "the journal in this folder belongs to another project, {was}: {}",
                display_path(&folder)
            );
            return Err(Error::new(Code::Journal, message).with_hint(format!(
                "if this project was moved from there, run `pml runs adopt {was}`; otherwise move the folder away"
            )));
        }
        Ok(Some(written))
    }

    fn write(&self, older: Option<LegacyJournalOutcome>) -> Result<(), Error> {
        let path = self.root.to_string_lossy().into_owned();
        let text =
            serde_json::to_string_pretty(&JournalOwnerRecord { version: VERSION, path, older })
                .map_err(|error| {
                    Error::new(Code::Internal, "cannot write state").with_source(error)
                })?;
        replace(&self.folder().join(FILE), (text + "\n").as_bytes())
    }
}

fn read(folder: &Path) -> Result<Option<JournalOwnerRecord>, Error> {
    let path = folder.join(FILE);
    let Some(file) = read_own(&path, SIZE)? else { return Ok(None) };
    let refuse = |message: &str| {
        Error::new(Code::Journal, format!("{message}: {}", display_path(&path)))
            .with_hint("update pml, or move the folder away to begin a new journal")
    };
    let written: JournalOwnerRecord = serde_json::from_slice(&file.bytes).map_err(|error| {
        refuse("the record of the journal's project is damaged").with_source(error)
    })?;
    match written.version {
        0..=VERSION => Ok(Some(written)),
        _ => Err(refuse("the record of the journal's project was written by a newer pml")),
    }
}

/// Reports whether no project exists at a path any more. An empty folder counts as a leftover.
fn is_gone(path: &Path) -> bool {
    match path.symlink_metadata() {
        Err(error) => {
            matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        }
        Ok(found) if found.is_dir() => {
            path.read_dir().is_ok_and(|mut entries| entries.next().is_none())
        }
        Ok(_) => true,
    }
}

/// Returns the name of a journal's folder. It is unique for each path.
fn name_of(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let name: String = name.chars().map(|c| if plain(c) { c } else { '_' }).take(NAME).collect();
    let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let digest = &hex(&digest)[..24];
    match name.trim_start_matches(['.', '-']) {
        "" => digest.into(),
        name => format!("{name}-{digest}"),
    }
}

/// Refuses a folder in which another user could have written.
fn check_private(folder: &Path) -> Result<(), Error> {
    let refuse = |why: &str| {
        Error::new(Code::Security, format!("the folder {why}: {}", display_path(folder)))
            .with_hint("move it away, or choose another state folder with `--state-dir`")
    };
    let found = folder.symlink_metadata().map_err(|error| file_error("look at", folder, error))?;
    if !found.is_dir() {
        return Err(refuse("is a link or a file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Err(refuse("belongs to another user"));
        }
        if found.mode() & 0o077 != 0 {
            let hint =
                format!("if its contents are yours, run `chmod 700 {}`", display_path(folder));
            return Err(refuse("can be read or written by other users").with_hint(hint));
        }
    }
    Ok(())
}

fn with_state_folder_hint(error: Error) -> Error {
    error.with_hint(
        "choose another state folder with `--state-dir DIR` or `PML_STATE_DIR`, or run without a journal: `--no-journal`",
    )
}

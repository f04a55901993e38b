//! Opens a journal, or creates one.

use super::failure::{failure, io_failure};
use super::owner::{make_private_folder, private_options};
use super::schema::{self, DatabaseKind, MIGRATIONS};
use crate::store::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;
use tracing::{debug, info};

/// The `.gitignore` of the folder that pml creates.
const GITIGNORE: &str = "*\n!mcp.lock\n";

/// Capacity of the cache of prepared statements: more than there are.
const STATEMENT_CACHE: usize = 64;

/// Size to which the WAL is truncated when it restarts. It is less than the size that triggers a
/// checkpoint, so that the size shows whether a checkpoint is needed.
const WAL_SIZE_LIMIT: i64 = 1 << 20;

/// Serialises opening within a process: creating the file opens and closes it, which would drop the
/// locks of another thread that was faster.
static OPENING: Mutex<()> = Mutex::new(());

/// Opens or creates the journal in `folder`. Returns the connection and the path of its file.
pub(super) fn open(folder: &Path) -> Result<(Connection, PathBuf), StoreError> {
    let _guard = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = folder.join("state.db");
    prepare_folder(folder)?;
    for path in [
        path.clone(),
        with_suffix(&path, "-wal"),
        with_suffix(&path, "-shm"),
        folder.join("owners"),
    ] {
        refuse_link(&path)?;
    }
    let wal = wal_size(&path);
    if size(&path) == 0 && wal > 0 {
        // SQLite would treat the journal as new and delete the WAL.
        let detail = "it is empty, but its WAL is not".into();
        return Err(StoreError::Damaged { path, detail });
    }
    make_file(&path)?;
    let connection = connect(&path)?;
    check_and_migrate(&connection, &path, wal == 0)?;
    Ok((connection, path))
}

/// Creates the folder for this user only, if it does not exist, and excludes it from version
/// control. An existing one may have come with a clone: it must be a folder, and this user's.
pub(super) fn prepare_folder(folder: &Path) -> Result<(), StoreError> {
    refuse_link(folder)?;
    let refused = |kind, reason: &str| {
        Err(io_failure("use the folder", folder, io::Error::new(kind, reason.to_owned())))
    };
    match fs::symlink_metadata(folder) {
        Ok(found) if !found.is_dir() => {
            return refused(io::ErrorKind::NotADirectory, "it is not a folder");
        }
        Ok(found) if !is_own(&found) => {
            let reason = "it belongs to another user: move it away, or make it yours";
            return refused(io::ErrorKind::PermissionDenied, reason);
        }
        Ok(found) => {
            return restrict(folder, &found)
                .map_err(|error| io_failure("close the folder to others", folder, error));
        }
        // For any other error, creating the folder fails with a better one.
        Err(_) => {}
    }
    make_private_folder(folder).map_err(|error| io_failure("make the folder", folder, error))?;
    let ignore = folder.join(".gitignore");
    match fs::OpenOptions::new().write(true).create_new(true).open(&ignore) {
        Ok(mut file) => file
            .write_all(GITIGNORE.as_bytes())
            .map_err(|error| io_failure("write", &ignore, error)),
        // Another process created it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(io_failure("make", &ignore, error)),
    }
}

/// Refuses a link: writing through it could change any file of this user.
fn refuse_link(path: &Path) -> Result<(), StoreError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            let reason = "it is a symbolic link, which may have come with a clone: remove it";
            let source = io::Error::new(io::ErrorKind::NotADirectory, reason);
            Err(io_failure("follow a link", path, source))
        }
        _ => Ok(()),
    }
}

/// Removes the permissions of others from an existing folder: a checkout leaves it readable, and
/// its content is for this user only.
#[cfg(unix)]
fn restrict(folder: &Path, found: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    match found.permissions().mode() & 0o077 {
        0 => Ok(()),
        _ => fs::set_permissions(folder, fs::Permissions::from_mode(0o700)),
    }
}

#[cfg(not(unix))]
fn restrict(_: &Path, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_own(found: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(found) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_own(_: &fs::Metadata) -> bool {
    true
}

/// Creates an empty file for this user only, if there is none. SQLite gives the files beside it the
/// same mode.
fn make_file(path: &Path) -> Result<(), StoreError> {
    // An existing file is not even opened: see the invariant in `mod.rs`.
    match private_options().write(true).create_new(true).open(path) {
        Err(error) if !path.exists() => Err(io_failure("make the journal", path, error)),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Returns the size of the WAL of the journal at `path`.
pub(super) fn wal_size(path: &Path) -> u64 {
    size(&with_suffix(path, "-wal"))
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

pub(super) fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Opens a connection, without changing the file yet.
pub(super) fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let failed = |error| failure(path, &error);
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    harden(&connection).map_err(failed)?;
    connection.busy_handler(Some(wait_while_busy)).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    Ok(connection)
}

/// Turns off features of SQLite that the author of a hostile file could use. Triggers stay on: the
/// schema check accepts only those of the audit trail.
fn harden(connection: &Connection) -> rusqlite::Result<()> {
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
    ] {
        connection.set_db_config(setting, on)?;
    }
    // Pages are checked when they are read, before their content is used as an offset.
    connection.pragma_update(None, "cell_size_check", true)
}

/// Waits while another process writes: briefly at first, because most writes take microseconds, and
/// about ten seconds in all. Returns `false` to give up.
pub(super) fn wait_while_busy(attempts: i32) -> bool {
    match attempts {
        0..20 => sleep(Duration::from_micros(100)),
        20..2000 => sleep(Duration::from_millis(5)),
        _ => return false,
    }
    true
}

/// Checks that this version can use the journal, and only then changes it.
pub(super) fn check_and_migrate(
    connection: &Connection,
    path: &Path,
    complete: bool,
) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| failure(path, &error);
    let checkpoint = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    connection.set_db_config(checkpoint, true).map_err(failed)?;
    let damaged =
        |detail: &str| StoreError::Damaged { path: path.into(), detail: detail.to_owned() };
    let (found, difference) = schema::examine(connection).map_err(failed)?;
    if let Some(detail) = difference {
        return Err(StoreError::Altered { path: path.into(), detail });
    }
    match found {
        DatabaseKind::Foreign => return Err(damaged("it is the database of another program")),
        DatabaseKind::Journal(found) if found as usize > MIGRATIONS.len() => {
            let (path, known) = (path.to_path_buf(), MIGRATIONS.len() as u32);
            return Err(StoreError::Newer { path, found, known });
        }
        DatabaseKind::Journal(_) | DatabaseKind::Empty => {}
    }
    if complete && is_truncated(connection, path).map_err(failed)? && wal_size(path) == 0 {
        return Err(damaged("it is cut short"));
    }
    if connection.is_readonly("main").map_err(failed)? {
        return Err(StoreError::ReadOnly { path: path.into() });
    }
    if found == DatabaseKind::Empty {
        // This must come first. On an existing journal it would write without any effect.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL").map_err(failed)?;
    }
    configure(connection).map_err(failed)?;
    let version = MIGRATIONS.len();
    if found != DatabaseKind::Journal(version as u32) {
        schema::migrate(connection, MIGRATIONS).map_err(failed)?;
        info!(target: "pml::store", ?found, version, "journal brought to this version");
    }
    debug!(target: "pml::store", version, "journal opened");
    connection.set_db_config(checkpoint, false).map_err(failed)?;
    Ok(())
}

/// Reports whether the last page is incomplete. SQLite itself only detects missing whole pages.
fn is_truncated(connection: &Connection, path: &Path) -> rusqlite::Result<bool> {
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let expected = number("page_size")? * number("page_count")?;
    Ok(size(path) < expected as u64)
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    // If two processes create the journal at once, SQLite reports busy here without calling the
    // busy handler.
    let mut attempts = 0;
    let mode = loop {
        let set = connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        match set {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                if !wait_while_busy(attempts) {
                    break Err(error);
                }
                attempts += 1;
            }
            set => break set,
        }
    };
    mode?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // A checkpoint waits for the disk, so the writer's thread decides when to run one.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", WAL_SIZE_LIMIT, |_| Ok(()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::{open, prepare_folder};
    use crate::error::Error;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_folder_that_is_a_link_is_refused_and_nothing_is_written_through_it() {
        let (project, victim) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = project.path().join(".pml");
        for target in [victim.path().to_owned(), victim.path().join("not there")] {
            symlink(target, &folder).unwrap();
            for refused in [prepare_folder(&folder), open(&folder).map(drop)] {
                let error = refused.expect_err("a link");
                assert!(error.to_string().contains(".pml"), "{error}");
                assert!(format!("{:?}", Error::from(error)).contains("symbolic link"));
            }
            std::fs::remove_file(&folder).unwrap();
        }
        assert_eq!(std::fs::read_dir(victim.path()).unwrap().count(), 0);
        prepare_folder(&folder).unwrap();
        open(&folder).unwrap();
    }

    #[test]
    fn links_within_the_folder_are_refused_too() {
        for name in ["state.db", "state.db-wal", "state.db-shm", "owners"] {
            let (project, victim) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            symlink(victim.path().join("x"), project.path().join(name)).unwrap();
            let error = open(project.path()).expect_err(name).to_string();
            assert!(error.contains(name), "{error}");
            assert_eq!(std::fs::read_dir(victim.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_file_in_its_place_is_refused() {
        let project = tempfile::tempdir().unwrap();
        let folder = project.path().join(".pml");
        std::fs::write(&folder, "").unwrap();
        assert!(prepare_folder(&folder).is_err());
    }

    #[test]
    fn a_folder_of_another_user_is_refused() {
        // Only root can give a folder away; for others, the root folder belongs to another user.
        let given = tempfile::tempdir().unwrap();
        let is_root = rustix::process::geteuid().is_root();
        let folder = if is_root { given.path() } else { std::path::Path::new("/") };
        if is_root {
            std::os::unix::fs::chown(folder, Some(65_534), None).unwrap();
        }
        let error = Error::from(prepare_folder(folder).expect_err("not ours"));
        assert!(format!("{error:?}").contains("belongs to another user"), "{error:?}");
    }
}

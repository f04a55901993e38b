//! Reads and writes files of this user; errors name the file. Others may have written a file that
//! is read here, so it is read once and with care.
//!
//! Input: a folder and a name. Output: bytes. **Invariant:** owner, kind and size are checked on
//! the open file itself, never on a name that may mean another file a moment later.

use super::{FileLock, NewFileMode};
use crate::error::Error;
use crate::model::Code;
use crate::model::WriteDurability;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Limit for settings files: larger than any that is written by hand.
pub(crate) const PROJECT_FILE_SIZE: u64 = 1 << 20;

/// A file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileContents {
    /// The path, with links resolved.
    pub(crate) path: PathBuf,
    /// The content.
    pub(crate) bytes: Vec<u8>,
}

/// Reads a file of the project. Returns `None` if it does not exist.
pub(crate) fn read(root: &Path, name: &str) -> Result<Option<FileContents>, Error> {
    let path = root.join(name);
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(&path, error)),
        Ok(_) => {}
    }
    let root = root.canonicalize().map_err(|error| unreadable(root, error))?;
    let target = path.canonicalize().map_err(|error| unreadable(&path, error))?;
    if !target.starts_with(&root) {
        let message =
            format!("the file is a link that leads out of the project: {}", display_path(&path));
        return Err(Error::new(Code::Security, message)
            .with_hint("replace the link by a file, or remove it"));
    }
    read_own(&target, PROJECT_FILE_SIZE)
}

/// Reads a file of this user. Returns `None` if it does not exist.
pub(crate) fn read_own(path: &Path, limit: u64) -> Result<Option<FileContents>, Error> {
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(path, error)),
    };
    let found = file.metadata().map_err(|error| unreadable(path, error))?;
    if !found.is_file() {
        let message =
            format!("this is not a file, but something else of that name: {}", display_path(path));
        return Err(Error::new(Code::SourceRead, message).with_hint("move it away"));
    }
    #[cfg(unix)]
    {
        let owner = std::os::unix::fs::MetadataExt::uid(&found);
        check_owner(path, owner, rustix::process::geteuid().as_raw())?;
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, error))?;
    if bytes.len() as u64 > limit {
        let message = format!(
            "the file is larger than {} KiB, which is the most: {}",
            limit >> 10,
            display_path(path)
        );
        return Err(Error::new(Code::SourceRead, message).with_hint("move it away"));
    }
    Ok(Some(FileContents { path: path.into(), bytes }))
}

/// Opens a file for reading, without waiting for a writer if it is a pipe.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.bits() as i32);
    }
    options.open(path)
}

#[cfg(unix)]
fn check_owner(path: &Path, owner: u32, user: u32) -> Result<(), Error> {
    if owner == user {
        return Ok(());
    }
    let message = format!(
        "the file belongs to another user (uid {owner}, not {user}): {}",
        display_path(path)
    );
    Err(Error::new(Code::Security, message)
        .with_hint("if you may decide about it, take it over with `chown`"))
}

fn unreadable(path: &Path, error: io::Error) -> Error {
    Error::new(Code::SourceRead, format!("cannot read: {}", display_path(path))).with_source(error)
}

/// Returns a path as text that is safe to show to a person.
pub(crate) fn display_path(path: &Path) -> String {
    crate::model::escape(&path.to_string_lossy()).into_owned()
}

/// Locks a file, and waits while another process holds the lock.
pub(crate) fn lock(path: &Path) -> Result<FileLock, Error> {
    super::lock(path).map_err(|error| file_error("lock", path, error))
}

/// Creates a folder, and its missing parents, for this user only.
pub(crate) fn make_private_folder(path: &Path) -> Result<(), Error> {
    super::make_private_folder(path).map_err(|error| file_error("make the folder", path, error))
}

/// Replaces a file, durably.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    super::replace(path, bytes, WriteDurability::Disk)
        .map_err(|error| file_error("write", path, error))
}

/// Replaces an ordinary file of a project, durably. Whoever the umask allows may read a new one.
pub(crate) fn replace_ordinary(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    super::replace_with_mode(path, bytes, WriteDurability::Disk, NewFileMode::Ordinary)
        .map_err(|error| file_error("write", path, error))
}

/// Returns the error for an action on a file that failed.
pub(crate) fn file_error(action: &str, path: &Path, error: io::Error) -> Error {
    Error::new(Code::Io, format!("cannot {action}: {}", display_path(path))).with_source(error)
}

#[cfg(test)]
mod tests {
    use super::read;
    use std::fs;

    #[test]
    fn a_file_that_is_not_there_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path(), ".pml.json").unwrap(), None);
    }

    #[test]
    fn a_file_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x"), vec![b' '; 1 << 20]).unwrap();
        assert_eq!(read(folder.path(), "x").unwrap().map(|file| file.bytes.len()), Some(1 << 20));
        fs::write(folder.path().join("x"), vec![b' '; (1 << 20) + 1]).unwrap();
        let error = read(folder.path(), "x").unwrap_err().to_string();
        assert!(error.contains("larger than 1024 KiB"), "{error}");
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("x")).unwrap();
        assert!(read(folder.path(), "x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_may_lead_within_the_project_and_not_out_of_it() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("real.json"), "{}").unwrap();
        fs::write(folder.path().join("outside.json"), "{}").unwrap();
        symlink("real.json", root.join("inside")).unwrap();
        symlink("../outside.json", root.join("out")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        assert!(read(&root, "inside").unwrap().is_some());
        let error = read(&root, "out").unwrap_err().to_string();
        assert!(error.contains("leads out of the project"), "{error}");
        assert!(read(&root, "dangling").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &path, kind, mode, 0).unwrap();
        let error = read(folder.path(), "pipe").unwrap_err().to_string();
        assert!(error.contains("not a file"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_another_user_is_refused_by_name() {
        let path = std::path::Path::new("/x/.pml.json");
        assert!(super::check_owner(path, 7, 7).is_ok());
        let error = super::check_owner(path, 7, 8).unwrap_err().to_string();
        assert_eq!(error, "the file belongs to another user (uid 7, not 8): /x/.pml.json");
    }
}

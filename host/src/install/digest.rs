//! Hashes a folder: names, kinds, executable bits and contents.
//!
//! **Invariant:** no link is followed, and no link may lead out of the folder, except that of a
//! Python interpreter. So everything that is started from the folder is part of the digest.

use super::error::InstallError;
use crate::model::hex;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Maximum number of files of a package and its dependencies. The largest servers have some ten
/// thousand.
const MAX_FILES: usize = 300_000;

/// Maximum size of these files together, in bytes.
const MAX_BYTES: u64 = 4 << 30;

/// The digest of a folder, and the size of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TreeDigest {
    /// As `sha256:…`.
    pub(super) digest: String,
    /// The size of all files together, in bytes.
    pub(super) bytes: u64,
}

/// Returns the digest of a folder.
pub(super) fn digest(folder: &Path, package: &str) -> Result<TreeDigest, InstallError> {
    let mut entries = Vec::new();
    list_entries(folder, folder, package, &mut entries)?;
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    let (mut hasher, mut buffer, mut bytes) = (Sha256::new(), vec![0; 128 << 10], 0_u64);
    for (name, kind) in entries {
        let path = folder.join(&name);
        let failed = |error| InstallError::io("read", &path, error);
        add_field(&mut hasher, name.as_encoded_bytes());
        match kind {
            FolderEntryKind::Folder => add_field(&mut hasher, b"folder"),
            FolderEntryKind::Link(target) => {
                add_field(&mut hasher, b"link");
                add_field(&mut hasher, target.as_os_str().as_encoded_bytes());
            }
            FolderEntryKind::File => {
                let mut file = File::open(&path).map_err(failed)?;
                let executable = is_executable(&file.metadata().map_err(failed)?);
                add_field(&mut hasher, if executable { b"program" } else { b"file" });
                let (hash, read) = hash_content(&mut file, &mut buffer).map_err(failed)?;
                bytes += read;
                if bytes > MAX_BYTES {
                    return Err(too_large(package, "it has more than 4 GiB"));
                }
                hasher.update(hash);
            }
        }
    }
    Ok(TreeDigest { digest: format!("sha256:{}", hex(&hasher.finalize())), bytes })
}

enum FolderEntryKind {
    Folder,
    File,
    Link(PathBuf),
}

/// Adds a part, with its length first, so that adjacent parts cannot be confused.
fn add_field(hasher: &mut Sha256, bytes: &[u8]) {
    hasher.update((bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

fn hash_content(file: &mut File, buffer: &mut [u8]) -> io::Result<([u8; 32], u64)> {
    let (mut hash, mut total) = (Sha256::new(), 0);
    loop {
        match file.read(buffer) {
            Ok(0) => return Ok((hash.finalize().into(), total)),
            Ok(read) => {
                hash.update(&buffer[..read]);
                total += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn list_entries(
    root: &Path,
    folder: &Path,
    package: &str,
    entries: &mut Vec<(std::ffi::OsString, FolderEntryKind)>,
) -> Result<(), InstallError> {
    let failed = |error| InstallError::io("read", folder, error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        let kind = entry.file_type().map_err(failed)?;
        let name = path.strip_prefix(root).unwrap_or(&path).as_os_str().to_owned();
        if entries.len() == MAX_FILES {
            return Err(too_large(package, &format!("it has more than {MAX_FILES} files")));
        }
        if kind.is_symlink() {
            let target =
                fs::read_link(&path).map_err(|error| InstallError::io("read", &path, error))?;
            if leads_out(Path::new(&name), &target) && !is_interpreter(Path::new(&name)) {
                return Err(InstallError::OutsideLink { package: package.into(), path });
            }
            entries.push((name, FolderEntryKind::Link(target)));
        } else if kind.is_dir() {
            entries.push((name, FolderEntryKind::Folder));
            list_entries(root, &path, package, entries)?;
        } else if kind.is_file() {
            entries.push((name, FolderEntryKind::File));
        } else {
            // A pipe or a device, which no package contains.
            return Err(InstallError::io("read", &path, io::ErrorKind::InvalidData.into()));
        }
    }
    Ok(())
}

/// Reports whether a link at `name`, relative to the folder, leads out of the folder.
fn leads_out(name: &Path, target: &Path) -> bool {
    let mut depth = name.components().count().saturating_sub(1);
    for part in target.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => return true,
        }
    }
    false
}

/// Reports whether this is `bin/python`, `bin/python3` or the like of a virtual environment. Those
/// are links to the machine's own interpreter.
fn is_interpreter(name: &Path) -> bool {
    name.parent() == Some(Path::new("bin"))
        && name.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"))
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

fn too_large(package: &str, reason: &str) -> InstallError {
    InstallError::TooLarge { package: package.into(), reason: reason.into() }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{InstallError, digest};
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    fn sample() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a sample");
        fs::create_dir_all(folder.path().join("a/b")).expect("a sample");
        fs::write(folder.path().join("a/b/one"), "1").expect("a sample");
        fs::write(folder.path().join("a/two"), "2").expect("a sample");
        symlink("b/one", folder.path().join("a/link")).expect("a sample");
        folder
    }

    #[test]
    fn the_same_tree_hashes_the_same_wherever_it_is() {
        let (one, two) = (sample(), sample());
        let of = |folder: &Path| digest(folder, "x").unwrap();
        assert_eq!(of(one.path()), of(two.path()));
        assert!(of(one.path()).digest.starts_with("sha256:"));
        assert_eq!(of(one.path()).bytes, 2);
    }

    #[test]
    fn every_change_is_seen() {
        let original = digest(sample().path(), "x").unwrap();
        let changes: [fn(&Path); 7] = [
            |at| fs::write(at.join("a/b/one"), "2").unwrap(),
            |at| fs::write(at.join("a/new"), "").unwrap(),
            |at| fs::remove_file(at.join("a/two")).unwrap(),
            |at| fs::rename(at.join("a/two"), at.join("a/three")).unwrap(),
            |at| fs::create_dir(at.join("empty")).unwrap(),
            |at| fs::set_permissions(at.join("a/two"), PermissionsExt::from_mode(0o755)).unwrap(),
            |at| {
                fs::remove_file(at.join("a/link")).unwrap();
                symlink("two", at.join("a/link")).unwrap();
            },
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let folder = sample();
            change(folder.path());
            assert_ne!(digest(folder.path(), "x").unwrap(), original, "change {index}");
        }
    }

    #[test]
    fn a_link_that_leads_out_is_refused_unless_it_is_an_interpreter() {
        for target in ["/etc/passwd", "../../x", "b/../../../x"] {
            let folder = sample();
            symlink(target, folder.path().join("a/out")).unwrap();
            let refused = digest(folder.path(), "x");
            assert!(matches!(refused, Err(InstallError::OutsideLink { .. })), "{target}");
        }
        let folder = sample();
        fs::create_dir(folder.path().join("bin")).unwrap();
        symlink("/usr/bin/python3", folder.path().join("bin/python3")).unwrap();
        assert!(digest(folder.path(), "x").is_ok());
    }
}

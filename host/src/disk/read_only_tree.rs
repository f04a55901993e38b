//! Folders that nobody may change any more, and their removal.
//!
//! **Invariant:** no link is followed, so nothing outside of the folder is changed.

use std::fs;
use std::io;
use std::path::Path;

/// Makes a folder and everything in it read-only.
pub(crate) fn make_read_only(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            make_read_only(&entry.path())?;
        } else if kind.is_file() {
            set_writable(&entry.path(), false)?;
        }
    }
    set_writable(folder, false)
}

/// Removes a folder, also if parts of it are read-only. A folder that does not exist is no error.
pub(crate) fn remove_tree(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_folders_writable(folder)?;
            fs::remove_dir_all(folder)
        }
        done => done,
    }
}

fn make_folders_writable(folder: &Path) -> io::Result<()> {
    set_writable(folder, true)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            make_folders_writable(&entry.path())?;
        }
    }
    Ok(())
}

/// Changes whether the owner may write. Others never may.
fn set_writable(path: &Path, writable: bool) -> io::Result<()> {
    let mut permissions = path.symlink_metadata()?.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = permissions.mode() & !0o222;
        permissions.set_mode(if writable { mode | 0o700 } else { mode });
    }
    #[cfg(not(unix))]
    permissions.set_readonly(!writable);
    fs::set_permissions(path, permissions)
}

#[cfg(all(test, unix))]
mod tests {
    use super::{make_read_only, remove_tree};
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_read_only_folder_has_no_way_to_write_and_is_removed_nevertheless() {
        let folder = tempfile::tempdir().unwrap();
        let (tree, outside) = (folder.path().join("tree"), folder.path().join("outside"));
        fs::create_dir_all(tree.join("a/b")).unwrap();
        fs::write(tree.join("a/b/run"), "x").unwrap();
        fs::write(&outside, "x").unwrap();
        fs::set_permissions(tree.join("a/b/run"), PermissionsExt::from_mode(0o755)).unwrap();
        symlink(&outside, tree.join("a/link")).unwrap();
        make_read_only(&tree).unwrap();
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&tree.join("a/b/run")), 0o555);
        assert_eq!(mode(&tree.join("a/b")) & 0o222, 0);
        assert_eq!(mode(&outside) & 0o200, 0o200, "the target of a link stays as it is");
        remove_tree(&tree).unwrap();
        assert!(!tree.exists() && outside.exists());
        remove_tree(&tree).unwrap();
    }
}

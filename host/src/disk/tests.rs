//! Replacing, locking, and links.

use super::{lock, read, replace, try_lock};
use crate::model::WriteDurability;
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn a_file_is_replaced_whole_and_keeps_its_mode() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    replace(&path, b"one", WriteDurability::Process).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    replace(&path, b"two", WriteDurability::Disk).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o644);
    assert_eq!(read(&path, 3).unwrap(), b"two");
    assert!(read(&path, 2).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_lock_that_somebody_has_is_not_waited_for_unless_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let held = lock(&path).unwrap();
    assert!(try_lock(&path).unwrap().is_none());
    drop(held);
    assert!(try_lock(&path).unwrap().is_some());
}

#[test]
fn no_link_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target"), folder.path().join("link"));
    std::fs::write(&target, "theirs").unwrap();
    symlink(&target, &link).unwrap();
    assert!(read(&link, 100).is_err());
    assert!(lock(&link).is_err());
    // The link is replaced, not its target.
    replace(&link, b"ours", WriteDurability::Process).unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), b"theirs");
    assert_eq!(read(&link, 100).unwrap(), b"ours");
}

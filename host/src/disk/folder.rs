//! Folders of this user.

use std::fs;
use std::io;
use std::path::Path;

/// Creates a folder, and its missing parents, for this user only.
pub(crate) fn make_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Reports whether `path` is a folder of this user and not a link. Optional files, such as caches,
/// are written only into such a folder.
pub fn is_own_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| {
        #[cfg(unix)]
        let own =
            std::os::unix::fs::MetadataExt::uid(&found) == rustix::process::geteuid().as_raw();
        #[cfg(not(unix))]
        let own = true;
        found.is_dir() && own
    })
}

/// Closes an existing folder to other users: a checkout leaves it open.
pub(crate) fn make_private(folder: &Path, found: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if found.permissions().mode() & 0o077 != 0 {
            return fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
        }
    }
    #[cfg(not(unix))]
    let _ = (folder, found);
    Ok(())
}

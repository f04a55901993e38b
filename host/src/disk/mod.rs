//! Files of this user: read up to a limit, written whole or not at all, by one process at a time.
//!
//! Input: paths and bytes. Output: bytes and errors of the OS. A caller that knows the purpose of
//! the file turns such an error into its own.
//!
//! **Invariant:** no link is followed where something is read, locked or created: the folder may
//! have come with a clone.

mod file_lock;
mod folder;
mod plain_file;
mod private_open;
mod read_only_tree;
#[cfg(all(test, unix))]
mod tests;
pub(crate) mod user_files;

pub use file_lock::FileLock;
pub(crate) use file_lock::{lock, lock_shared, try_lock};
pub use folder::is_own_folder;
pub(crate) use folder::{make_private, make_private_folder};
pub(crate) use plain_file::read;
pub use plain_file::replace;
pub(crate) use plain_file::replace_with_mode;
pub(crate) use private_open::NewFileMode;
pub(crate) use read_only_tree::{make_read_only, remove_tree};

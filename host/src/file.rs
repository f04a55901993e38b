//! Files of this user: written whole or not at all, by one process at a time.

pub use crate::disk::{FileLock, is_own_folder, replace as replace_file};
pub use crate::model::WriteDurability;

//! Opens a store for a test.

use crate::store::{Durability, Store};
use std::path::Path;

pub(super) fn open(folder: &Path) -> Store {
    Store::open(folder, Durability::Process).unwrap()
}

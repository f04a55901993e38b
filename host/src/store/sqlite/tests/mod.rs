//! Tests of behaviour that only a journal in a file has.

mod audit;
mod damage;
mod questions;
mod sharing;
mod writing;

use crate::store::{Durability, Store};
use std::path::Path;

fn open(folder: &Path) -> Store {
    Store::open(folder, Durability::Process).unwrap()
}

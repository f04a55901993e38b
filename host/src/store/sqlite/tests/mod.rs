//! Tests of behaviour that only a journal in a file has.

mod audit;
mod damage;
mod open_store;
mod questions;
mod sharing;
mod writing;

use open_store::open;

//! Tests of behaviour that every journal has, run on each implementation.

mod answers;
mod audit;
mod each_journal;
mod listing;
pub(super) mod sample;
mod writing;

use each_journal::on_each_journal;

//! Runs over time: their journals, cuts, kills, and programs that are resumed or mended.

mod cuts;
mod journals;
mod kills;
mod mended;
#[cfg(unix)]
mod moved_journal;
mod older_journal;
mod rebuilds;

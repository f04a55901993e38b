//! `pml servers`: shows the state of a project's servers.
//!
//! Takes the project and the status that its servers report, and prints a line for each.
//! **Invariant:** without `--start` no server is started.

mod command;
mod row;
mod show;

pub(super) use command::ServersCommand;
pub(super) use row::{ServerHealth, ServerRow, UnusableState, missing_package, rows};

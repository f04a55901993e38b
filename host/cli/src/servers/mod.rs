//! `pml servers`: how the servers of a project are.
//!
//! In flow the project and what its servers say of themselves, out flows a line for each.
//! **Invariant:** without `--start` no server is started.

mod command;
mod row;
mod show;

pub(super) use command::ServersCommand;
pub(super) use row::{ServerHealth, ServerRow, rows, uninstalled};

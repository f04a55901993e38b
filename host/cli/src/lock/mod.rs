//! The command `pml lock`: writes `.pml/mcp.lock`, checks it, and says what is in it and why.

mod check;
mod command;
mod diff;
mod review;
mod show;
mod update;
mod why;

pub(super) use command::LockCommand;
pub(super) use update::LockUpdateCommand;

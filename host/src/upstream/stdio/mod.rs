//! Servers that are processes of this machine. In flows a launch line, out flow messages.

mod environment;
mod group;
mod ledger;
mod lines;
mod pipes;
mod process;

pub(super) use pipes::Pipes;
pub(super) use process::{CommandLine, Process};

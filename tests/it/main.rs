//! The tests of pml that see it from outside: the crate as an embedder does, the command as a person does, the tree as a
//! developer does.

mod answers;
mod approvals;
mod asks;
mod calls;
mod cases;
mod cli;
mod cuts;
mod dependencies;
mod determinism;
mod examples;
mod fairness;
mod guest;
mod hostile;
mod journals;
mod kills;
mod limits;
mod mended;
#[cfg(target_os = "linux")]
mod prompts;
mod rebuilds;
mod rooms;
mod run_commands;
mod support;
mod survivors;
mod types;
mod watch;

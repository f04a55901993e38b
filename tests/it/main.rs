//! The tests of pml that see it from outside: the crate as an embedder does, the command as a person does, the tree as a
//! developer does. Each area is a folder.

mod approvals;
mod commands;
mod hostile;
mod house;
mod language;
mod mcp;
mod project;
mod real;
mod runs;
mod support;

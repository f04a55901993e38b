//! The lock of a project, `.pml/mcp.lock`: what it decides, frozen and not, and the commands about
//! it.

mod commands;
mod decisions;
mod frozen;
mod git;
mod shared;

//! The MCP server that clients talk to: five tools, of which `execute` runs programs.
//!
//! In flow requests of an MCP client in either era, out flow answers in one vocabulary (`answer.rs`), progress while a program
//! runs, and content blocks that tools gave.
//!
//! | file | holds |
//! | --- | --- |
//! | `door`, `tools`, `parameters` | what is listed, and what is understood |
//! | `execute`, `watcher`, `resume`, `direct` | programs, run, watched and continued |
//! | `answer`, `question`, `blocks`, `handle` | what comes back |
//! | `browse`, `library` | what there is to call |
//! | `stdio` | the door on this process's own stdin and stdout |
//!
//! **Invariant:** it uses only what the crate's root exports, as an embedder would.
//! **Invariant:** nothing but the transport writes to stdout.

mod answer;
mod blocks;
mod browse;
mod direct;
mod door;
mod execute;
mod handle;
mod library;
mod parameters;
mod question;
mod resume;
mod stdio;
mod tools;
mod watcher;

pub use door::{Door, Setting};
pub use stdio::{Quit, serve_stdio};

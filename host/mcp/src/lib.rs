//! The MCP server that clients talk to: five tools, of which `execute` runs programs.
//!
//! In flow requests of an MCP client in either era, out flow answers in one vocabulary
//! (`answer.rs`), progress while a program runs, and content blocks that tools gave.
//!
//! | file | holds |
//! | --- | --- |
//! | `server`, `handler`, `tools`, `parameters` | what is listed, and what is understood |
//! | `execute`, `direct`, `resume` | programs, run and continued |
//! | `wait`, `progress_reporter`, `answering` | a request that waits for a run, and what it is answered with |
//! | `channel`, `elicitation`, `input_required`, `task` | the ways in which a client can ask a person |
//! | `form`, `ask_choice`, `question`, `record`, `seal` | a question as it is shown, carried and answered |
//! | `answer`, `ending`, `blocks`, `handle` | what comes back |
//! | `browse`, `workflows` | what there is to call |
//! | `stdio` | the server on this process's own stdin and stdout |
//!
//! Runs are hosted by [`pml::hosting`]: they go on between two requests.
//!
//! **Invariant:** it uses only what the library exports, as an embedder would.
//! **Invariant:** nothing but the transport writes to stdout.

mod answer;
mod answering;
mod ask_choice;
mod blocks;
mod browse;
mod channel;
mod direct;
mod elicitation;
mod ending;
mod execute;
mod form;
mod handle;
mod handler;
mod input_required;
mod parameters;
mod progress_reporter;
mod question;
mod record;
mod resume;
mod seal;
mod server;
mod stdio;
mod task;
mod tools;
mod wait;
mod workflows;

pub use server::{McpServer, McpSetup};
pub use stdio::{CloseReason, serve_stdio};

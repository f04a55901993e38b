//! The MCP server that clients talk to: five tools, of which `execute` runs programs.
//!
//! Input: requests of an MCP client, in the protocol before or since 2026-07-28. Output: answers in
//! one vocabulary (`answer.rs`), progress while a program runs, and content blocks from tools.
//!
//! | file | holds |
//! | --- | --- |
//! | `server`, `handler`, `tools`, `parameters` | the published tools, their parameters, and the dispatch of requests |
//! | `execute`, `direct`, `resume` | starts and continues programs |
//! | `wait`, `progress_reporter`, `answering` | waits for a run, reports progress, and answers the request |
//! | `channel`, `elicitation`, `input_required`, `task` | the channels through which a client can ask a person |
//! | `form`, `ask_choice`, `question`, `record`, `seal` | a question: how it is shown, sealed and answered |
//! | `answer`, `ending`, `blocks`, `handle` | the contents of answers |
//! | `browse`, `workflows` | searches tools, lists saved workflows |
//! | `stdio`, `transport` | the server on this process's own stdin and stdout, line by line |
//!
//! Runs are hosted by [`pml::hosting`]: they continue between two requests.
//!
//! **Invariant:** this crate uses only the public API of the library, as an embedder would.
//! **Invariant:** only the transport writes to stdout.

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
mod transport;
mod wait;
mod workflows;

pub use server::{McpServer, McpSetup};
pub use stdio::{CloseReason, serve_stdio};

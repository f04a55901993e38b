//! MCP servers that answer calls: processes of this machine and remote ones. In flows a call with its tool resolved, out
//! flows its reply.
//!
//! [`Upstreams`] holds all servers of a process, shared by its runs. A `Server` is started on first use: `connect` gets a
//! `Connection` out of a process (`stdio`) or a URL (`http`) in whichever era the server speaks, `listing` reads its tools,
//! and `keeper` stays with it until it is idle, gone, or no longer wanted. `call` takes one call there and back, and `result`
//! says what the answer means to a program.
//!
//! **Invariant:** a server is hostile. Every line, list, schema and text of it is bounded before it is kept, and escaped
//! before it is shown, without the values that it was given as secrets; nothing that it sends can stop, crash or block more than the calls that wait for it.
//!
//! **Invariant:** no process of a server outlives this one, in whatever way this one ends: see `stdio/group.rs`.

mod call;
mod client;
mod connect;
mod connection;
mod decode;
mod error;
mod http;
mod identity;
mod listing;
mod monitor;
mod output_tail;
mod progress_tracker;
mod result;
mod secrets;
mod server;
mod start;
mod status;
mod stdio;
#[cfg(test)]
mod tests;
mod tool_result_fields;
mod upstreams;

pub(crate) use error::UpstreamError;
pub(crate) use listing::{ListedTool, ServerTools};
pub use status::{ServerState, ServerStatus};
pub(crate) use upstreams::Upstreams;

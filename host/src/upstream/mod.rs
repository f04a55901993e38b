//! MCP servers that answer calls: processes of this machine and remote ones.
//!
//! In flows a call with its tool resolved; out flows its reply. [`Upstreams`] holds all servers of
//! a process, shared by its runs. A server is started on first use: `connect` makes a `Connection`
//! of a process (`stdio`) or a URL (`http`) in the protocol version that the server speaks,
//! `listing` reads its tools, and `monitor` watches it until it is idle, gone, or no longer wanted.
//! `call` makes one call, and `result` says what the answer means to a program.
//!
//! **Invariant:** a server is hostile. Every line, list, schema and text of it is bounded before it
//! is kept. It is escaped before it is shown, without the values that the server was given as
//! secrets. Nothing that it sends can stop, crash or block more than the calls that wait for it.
//!
//! **Invariant:** no process of a server outlives this one, in whatever way this one ends: see
//! `stdio/group.rs`.

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

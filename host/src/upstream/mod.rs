//! MCP servers that answer calls: processes of this machine and remote ones.
//!
//! The input is a call with its tool resolved, the output is its reply. [`Upstreams`] holds all
//! servers of a process, shared by its runs. A server is started on first use: `connect` makes a
//! `Connection` to a process (`stdio`) or a URL (`http`) in the protocol version that the server
//! supports, `listing` reads its tools, and `monitor` watches it until it is idle, has ended, or is
//! no longer needed. `call` sends one call, and `result` turns the answer into a reply for a
//! program.
//!
//! **Invariant:** a server is hostile. All its lines, lists, schemas and texts are bounded before
//! they are stored. Before they are shown they are escaped, and the values that the server was
//! given as secrets are hidden. No message of a server can stop, crash or block more than the calls
//! that wait for it.
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

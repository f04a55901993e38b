//! Servers that are processes of this machine. The input is a launch line, the output is messages.

mod environment;
mod group;
mod line_reader;
mod pending_requests;
mod process;
mod transport;

pub(super) use process::{CommandLine, ServerProcess};
pub(super) use transport::StdioTransport;

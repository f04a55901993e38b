//! The lines of a client, one message in each.
//!
//! Input: lines. Output: the messages that rmcp understands, and an answer to every line that is
//! none: JSON-RPC's -32700 if it is not JSON, -32600 if it is not a message, with the id of the
//! request if it has one, or if another open request has the same. The connection stays open.
//!
//! **Invariant:** a response is never answered, so that two sides cannot answer each other for ever.
//! **Invariant:** no line is stored beyond its limit.

mod frame;
mod id_scanner;
mod line_reader;
mod line_transport;
mod line_writer;
mod open_requests;

pub(super) use line_transport::LineTransport;

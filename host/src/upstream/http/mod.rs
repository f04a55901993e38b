//! Servers at a URL: streamable HTTP in both eras, with rmcp's transport and our own client.
//!
//! **Invariant:** credentials are sent only to the origin that they were configured for, over TLS
//! or to this machine. A URL may hold credentials, so only its origin is shown.

mod address;
mod client;
mod error;
mod events;
#[cfg(test)]
mod tests;
mod transport;

pub(super) use error::{HttpError, find_http_error};
pub(super) use transport::transport;

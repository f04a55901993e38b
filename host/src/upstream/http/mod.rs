//! Servers behind a URL: streamable HTTP in both eras, by rmcp's transport over a client of our
//! own.
//!
//! **Invariant:** credentials go to the origin that they were configured for, over TLS or to this
//! machine, and nowhere else; no URL, which may hold some, is shown beyond its origin.

mod address;
mod client;
mod error;
mod events;
#[cfg(test)]
mod tests;
mod transport;

pub(super) use error::{HttpError, known};
pub(super) use transport::transport;

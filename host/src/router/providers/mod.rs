//! Providers: they carry out calls.
//!
//! Input: a tool's name. Output: the [`Provider`] of its calls: the built-in tools, an MCP server
//! of a project, the cloud, or the [`Tools`](super::Tools) of an embedder. All further questions
//! about a tool (the exact tool, its effects, whether it accepts these arguments, the result of a
//! call) are for its provider.
//!
//! **Invariant:** a provider does not decide whether a call may be sent, except for the built-in
//! tools, which only their provider can decide about.

mod built_in;
#[cfg(feature = "servers")]
mod cloud;
mod embedded;
mod provider;
#[cfg(feature = "servers")]
mod server;
#[cfg(feature = "servers")]
mod servers;
#[cfg(feature = "servers")]
mod unrouted;

pub use built_in::BUILT_IN;
pub(super) use built_in::BuiltInProvider;
pub(crate) use built_in::SLEEP;
pub(super) use embedded::EmbeddedProvider;

pub use provider::Resolution;
pub(crate) use provider::{Provider, ProviderSet, Providers};

//! Providers: those who carry out calls.
//!
//! In flows a tool's name; out flows the [`Provider`] that its calls go to. There are built-in
//! tools, an MCP server of a project, the cloud, and the [`Tools`](super::Tools) of an embedder.
//! What is asked of a tool after that (which tool is meant, its effects, whether it takes these
//! arguments, what the call returns) is asked of its provider.
//!
//! **Invariant:** a provider decides nothing about whether a call may go, except for the built-in
//! tools, which nobody else can decide about.

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

pub(crate) use provider::{Provider, ProviderSet, Providers, Resolution};

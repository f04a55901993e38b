//! What comes from npm or PyPI: published servers, clients, packages and compilers.

pub(crate) mod approval_story;
mod channel_clients;
mod clients;
mod conformance;
#[cfg(unix)]
mod hostile_packages;
mod installs;
pub(crate) mod project;
mod servers;
mod types;
mod workflow_state;

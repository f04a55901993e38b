//! What comes from npm or PyPI: published servers, clients, packages and compilers.

mod approval_story;
mod channel_clients;
mod clients;
mod conformance;
#[cfg(unix)]
mod hostile_packages;
mod installs;
mod servers;
mod types;
mod workflow_state;

//! What comes from npm or PyPI: published servers, clients, packages and compilers.
//!
//! With `PML_TEST_OFFLINE=1` in the environment these tests are left out, and each says so on
//! stderr. CI never sets it.

mod approval_story;
mod channel_clients;
mod clients;
mod conformance;
#[cfg(unix)]
mod hostile_packages;
mod installs;
mod locks;
#[cfg(unix)]
mod package_cache;
mod servers;
mod sources;
mod types;
mod workflow_state;

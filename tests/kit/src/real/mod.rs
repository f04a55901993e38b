//! Real MCP servers and clients, as their authors publish them.
//!
//! Nothing of it is checked in: what a test asks for is installed from npm or PyPI on first use, in
//! exactly the version named here, into a cache that all tests and all later runs share. In come
//! names, out come launch lines of absolute paths, which need no environment and no `PATH`.
//!
//! **Invariant:** a folder of the cache is whole or not there. It is filled under another name
//! while a file lock is held, then renamed; two test processes never install the same thing, and
//! one that is killed leaves nothing that a later one would use.
//!
//! **Invariant:** no install script of a package runs.

mod clients;
mod install;
mod launch;
mod offline;
mod packages;
mod project;
mod registries;
mod servers;
mod sources;

pub use clients::{conformance, inspector, node, older_npm, python, python_driver, tsc, uv};
pub use launch::Launch;
pub use offline::left_out;
pub use packages::{hello_project, mirrored, package_project, registry_client, registry_command};
pub use project::{Permissions, RealProject, execute_call};
pub use registries::{FEW, SMALL, registries};
pub use servers::{
    commands, everything, everything_over_http, filesystem, git, memory, sequential_thinking, time,
};
pub use sources::{SourcePackage, not_erasable, source_packages};

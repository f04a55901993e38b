//! Parses launch lines.
//!
//! The input is a command with its arguments. The output is a [`PackageSpec`], or `None` for a
//! plain command. **Invariant:** there is no guessing. Unknown flags of a runner, and packages
//! whose version cannot be pinned, are refused. **Invariant:** the server's own arguments may hold
//! secrets, so errors do not contain them.

mod package_spec;
mod requirement;
mod runner;
mod runner_line;
#[cfg(test)]
mod tests;

pub(crate) use package_spec::{InstallScripts, PackageSpec};
pub(super) use requirement::Requirement;

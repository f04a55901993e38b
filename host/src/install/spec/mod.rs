//! What a launch line asks for.
//!
//! In flow a command and its arguments, out flows a [`PackageSpec`], or nothing for a plain
//! command. **Invariant:** nothing is guessed: a flag of a runner that is not known, and a package
//! whose version cannot be named, are refused. **Invariant:** the server's own arguments may hold
//! secrets, and stand in no error.

mod package_spec;
mod requirement;
mod runner;
mod runner_line;
#[cfg(test)]
mod tests;

pub(crate) use package_spec::{InstallScripts, PackageSpec};
pub(super) use requirement::Requirement;

//! Servers that are packages: a launch line is resolved to one exact version, installed into the
//! project's `.pml/deps`, and started directly.
//!
//! In flows a launch line. [`PackageSpec`] says whether it names a package and which one. An
//! [`Installer`] says what is there already ([`InstallationState`]) and what would be installed
//! ([`Package`](crate::model::Package)), and installs exactly that. Out flows
//! an [`InstalledPackage`]: a command and its arguments. The ecosystems' own tools do the work
//! (`npm`, `uv`, `pip`), so that the user's registries, mirrors, proxies and keys count.
//!
//! **Invariant:** no code of a package runs while it is installed, unless
//! [`InstallScripts::Allowed`]. **Invariant:** nothing of the project decides where packages come
//! from. The tools run in a folder of the user's own and get no variable that they do not need.
//! **Invariant:** a package is there whole or not at all. It is made in a staging folder, under a
//! lock that only a living process holds, and renamed. What counts as installed is what `deps.json`
//! says under a seal of this user's, and what hashes to it. A clone that brings packages brings
//! nothing.

mod count;
mod digest;
mod environment;
mod error;
mod folders;
mod installation_store;
mod installed_package;
mod installer;
mod npm;
mod package_program;
mod package_tool;
mod pypi;
mod resolved_version;
mod resolver;
mod seal;
mod spec;
mod staging;
#[cfg(test)]
mod tests;

pub(crate) use installed_package::{InstallationState, InstalledPackage};
pub(crate) use installer::Installer;
pub(crate) use spec::{InstallScripts, PackageSpec};

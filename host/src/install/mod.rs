//! Installs servers that are packages: a launch line is resolved to one exact version, installed
//! into the project's `.pml/deps`, and started directly.
//!
//! The input is a launch line. A [`PackageSpec`] is made of it if it names a package. An
//! [`Installer`] reports what is installed already ([`InstallationState`]), resolves what would be
//! installed ([`Package`](crate::model::Package)), and installs exactly that. The output is an
//! [`InstalledPackage`]: a command and its arguments. The ecosystems' own tools do the work (`npm`,
//! `uv`, `pip`), so that the user's registries, mirrors, proxies and keys apply.
//!
//! **Invariant:** no code of a package runs while it is installed, unless
//! [`InstallScripts::Allowed`]. **Invariant:** the project has no influence on where packages come
//! from. The tools run in a folder of the user and get no variable that they do not need.
//! **Invariant:** a package is installed completely or not at all. It is made in a staging folder,
//! under a lock that only a living process holds, and then renamed. An installation counts only if
//! `deps.json` records it under a seal of this user, and if its files have the recorded digest.
//! Packages that come with a clone do not count.

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

//! Installs servers that are packages: a launch line is resolved to exact versions, installed into
//! the user's package cache, once for all projects, and started directly.
//!
//! The input is a launch line. A [`PackageSpec`] is made of it if it names a package. An
//! [`Installer`] reports what is installed already ([`InstallationState`]), resolves what would be
//! installed ([`Package`](crate::model::Package)) with everything that belongs to it
//! ([`PackageClosure`](crate::model::PackageClosure)), and installs exactly that. The output is an
//! [`InstalledPackage`]: a command and its arguments. The ecosystems' own tools do the work (`npm`,
//! `uv`, `pip`), so that the user's registries, mirrors, proxies and keys apply.
//!
//! **Invariant:** no code of a package runs while it is installed, unless
//! [`InstallScripts::Allowed`]. **Invariant:** the project has no influence on where packages come
//! from. The tools run in a folder of the user and get no variable that they do not need.
//! **Invariant:** a package is installed completely or not at all. It is made in a staging folder,
//! under a lock that only a living process holds, and then renamed. An installation counts only if
//! its record has a seal of this user, and if its files have the recorded digest.
//! **Invariant:** presence in the cache is no approval. A server is started from a package only if
//! a person agreed to it for this server of this project.

mod agreed_packages;
mod cached_packages;
mod closure_store;
mod count;
mod digest;
mod environment;
mod error;
mod folders;
mod install_job;
mod installation_record;
mod installation_store;
mod installed_package;
mod installer;
mod npm;
mod package_cache;
mod package_pins;
mod package_program;
mod package_tool;
mod package_tool_setup;
mod pypi;
mod resolved_version;
mod resolver;
mod seal;
mod spec;
mod staging;
#[cfg(test)]
mod tests;
mod unused_packages;

pub use cached_packages::{CachedPackage, CachedVersion, PruneMode, PruneOutcome, PruneScope};
pub(crate) use installed_package::{InstallationState, InstalledPackage};
pub(crate) use installer::Installer;
pub use package_cache::PackageCache;
pub(crate) use package_pins::{NoPackagePins, PackagePins};
pub(crate) use spec::{InstallScripts, PackageSpec};
pub use unused_packages::UnusedPackages;

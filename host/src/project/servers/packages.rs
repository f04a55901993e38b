//! Servers that are packages: they are started from the installed package, never by the runner that
//! their launch line names.
//!
//! **Invariant:** a runner is never started. If a package is not installed, a person is asked, or
//! the call fails.

use super::known_project::KnownProject;
use crate::config::{Launch, ServerConfig};
use crate::error::Error;
use crate::install::{InstallScripts, InstallationState, InstalledPackage, Installer, PackageSpec};
use crate::model::ProgressCallback;
use crate::model::{CallError, Code, Package, PinnedPackage, escape};
use crate::upstream::Upstreams;
use std::sync::Arc;

/// The state of the package that a server is started from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackageState {
    /// The launch line names no package.
    None,
    /// The package is installed and unchanged.
    Installed,
    /// The package is not installed.
    Missing {
        /// The package, as the launch line names it.
        package: String,
        /// The version that would be installed.
        version: RequestedVersion,
    },
    /// The files of the package differ from those that were installed.
    Changed {
        /// The package.
        package: String,
    },
    /// The launch line is not valid.
    Unusable {
        /// The reason.
        reason: String,
        /// A hint for the user.
        hint: Option<String>,
    },
}

/// The version of a package that a launch line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestedVersion {
    /// The one that it names.
    Exact,
    /// The newest that fits, chosen when the package is installed, and kept.
    Newest,
}

/// Whether a server can be started, judged by its package.
pub(crate) enum PackageReadiness {
    /// The package is installed, or the server needs none.
    Ready,
    /// The package is not installed.
    Missing(PackageSpec),
    /// The files of the package differ from those that were installed.
    Changed(Package),
}

/// The packages that servers are started from.
pub(crate) struct ServerPackages {
    /// Installs them. Without a project there is none, and servers are started as written.
    installer: Option<Installer>,
    /// Whether files may be written into the project's folder.
    writes: bool,
    upstreams: Upstreams,
    known: Arc<KnownProject>,
}

impl ServerPackages {
    /// Returns the packages of a project's servers.
    pub(super) fn new(
        installer: Installer,
        writes: bool,
        upstreams: Upstreams,
        known: Arc<KnownProject>,
    ) -> ServerPackages {
        ServerPackages { installer: Some(installer), writes, upstreams, known }
    }

    /// Returns the packages of servers that are started as they are written.
    pub(super) fn as_written(upstreams: Upstreams, known: Arc<KnownProject>) -> ServerPackages {
        ServerPackages { installer: None, writes: false, upstreams, known }
    }

    /// Checks whether the package of a server is installed. If it is, the server will be started
    /// from it.
    pub(super) async fn readiness(&self, server: &str) -> Result<PackageReadiness, Error> {
        let (Some(installer), Some(config)) = (&self.installer, self.upstreams.config(server))
        else {
            return Ok(PackageReadiness::Ready);
        };
        if config.package.is_some() {
            return Ok(PackageReadiness::Ready);
        }
        let Some(spec) = spec(&config)? else { return Ok(PackageReadiness::Ready) };
        Ok(match installer.installation_state(server, &spec).await.map_err(Error::from)? {
            InstallationState::Missing => PackageReadiness::Missing(spec),
            InstallationState::Changed(package) => PackageReadiness::Changed(package),
            InstallationState::Ready(installed) => {
                self.upstreams.insert_or_replace(started_from(config, installed));
                PackageReadiness::Ready
            }
        })
    }

    /// Returns the state of the package that a server is started from. No registry is contacted.
    pub(super) async fn state(&self, server: &str) -> PackageState {
        match self.readiness(server).await {
            Ok(PackageReadiness::Ready) => {
                let config = self.upstreams.config(server);
                match config.is_some_and(|config| config.package.is_some()) {
                    true => PackageState::Installed,
                    false => PackageState::None,
                }
            }
            Ok(PackageReadiness::Missing(spec)) => {
                let version = match spec.is_exact() {
                    true => RequestedVersion::Exact,
                    false => RequestedVersion::Newest,
                };
                PackageState::Missing { package: spec.written(), version }
            }
            Ok(PackageReadiness::Changed(package)) => {
                PackageState::Changed { package: format!("{}@{}", package.name, package.version) }
            }
            Err(error) => PackageState::Unusable {
                reason: error.to_string(),
                hint: error.hint().map(Into::into),
            },
        }
    }

    /// Returns the package that must be installed before a server can be started, or `None`.
    ///
    /// # Errors
    /// If its launch line is not valid, or its registry cannot resolve the version.
    pub(super) async fn missing(&self, server: &str) -> Result<Option<Package>, Error> {
        let spec = match self.readiness(server).await? {
            PackageReadiness::Ready => return Ok(None),
            PackageReadiness::Changed(package) => return Ok(Some(package)),
            PackageReadiness::Missing(spec) => spec,
        };
        let Some(installer) = &self.installer else { return Ok(None) };
        if !self.writes {
            let message = format!("server `{}` is not installed", escape(server));
            return Err(Error::new(Code::ServerFailed, message).with_hint(format!(
                "run `pml install {server}` in the project first: nothing may be written from here"
            )));
        }
        let line = self.launch_line(server, &spec);
        installer.resolve(server, &spec, &line).await.map(Some).map_err(Error::from)
    }

    /// Installs a package that a person has agreed to; its server will be started from it. Dropping
    /// the future leaves nothing behind. Returns the digest of the package, or `None` if the server
    /// is not started from one.
    ///
    /// # Errors
    /// If it cannot be installed, or is not the package that its server requests.
    pub(super) async fn install(
        &self,
        package: &Package,
        progress: ProgressCallback,
    ) -> Result<Option<String>, Error> {
        let config = self.upstreams.config(&package.server);
        let unknown = || {
            let message = format!("there is no server `{}`", escape(&package.server));
            Error::new(Code::ToolUnknown, message).with_hint("`pml servers` lists the servers")
        };
        let config = config.ok_or_else(unknown)?;
        let (Some(installer), Some(spec)) = (&self.installer, spec(&config)?) else {
            return Ok(None);
        };
        let installed = installer.install(&spec, package, progress).await.map_err(Error::from)?;
        let config = started_from(config, installed);
        let digest = config.package.clone();
        self.upstreams.insert_or_replace(config);
        Ok(digest)
    }

    /// Returns the package that a server is started from, if one is installed.
    pub(super) async fn installed(&self, server: &str) -> Result<Option<PinnedPackage>, Error> {
        let _ = self.readiness(server).await?;
        let Some(config) = self.upstreams.config(server) else { return Ok(None) };
        let _ = config;
        Ok(None)
    }

    /// Returns a package that would be installed, as a lock has it.
    pub(super) fn planned(&self, package: &Package) -> Result<Option<PinnedPackage>, Error> {
        let _ = package;
        Ok(None)
    }

    /// Returns the launch line as it was written, without keys.
    fn launch_line(&self, server: &str, spec: &PackageSpec) -> String {
        self.known.launch_line(server).unwrap_or_else(|| spec.written())
    }
}

fn spec(config: &ServerConfig) -> Result<Option<PackageSpec>, Error> {
    let Launch::Stdio { command, arguments, .. } = &config.launch else { return Ok(None) };
    let scripts = match config.install_scripts {
        true => InstallScripts::Allowed,
        false => InstallScripts::Refused,
    };
    Ok(PackageSpec::parse(command, arguments)?.map(|spec| spec.with_scripts(scripts)))
}

/// Returns the configuration of a server that is started from its package. Its identity stays the
/// same.
fn started_from(mut config: ServerConfig, installed: InstalledPackage) -> ServerConfig {
    if let Launch::Stdio { command, arguments, .. } = &mut config.launch {
        (*command, *arguments) = (installed.command, installed.arguments);
    }
    let digest = installed.digest;
    config.package = Some(digest.strip_prefix("sha256:").map_or(digest.clone(), Into::into));
    config
}

/// Converts an error into one for a call.
pub(crate) fn call_error(error: Error) -> CallError {
    CallError::new(error.kind(), message_with_hint(&error))
}

/// Formats an error and its hint as one text.
pub(crate) fn message_with_hint(error: &Error) -> String {
    let hint = error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    format!("{error}{hint}")
}

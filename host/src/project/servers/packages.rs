//! Servers that are packages: they are started from what is installed, and never by the runner that
//! their launch line names.
//!
//! **Invariant:** a runner is never started. A package that is not installed is asked about, or the
//! call fails.

use super::known_project::KnownProject;
use crate::config::{Launch, ServerConfig};
use crate::error::Error;
use crate::install::{InstallScripts, InstallationState, InstalledPackage, Installer, PackageSpec};
use crate::model::ProgressCallback;
use crate::model::{CallError, Code, Package, escape};
use crate::upstream::Upstreams;
use std::sync::Arc;

/// How it is with the package that a server is started from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackageState {
    /// Its launch line names none.
    None,
    /// It is there, as it was installed.
    Installed,
    /// It is not installed.
    Missing {
        /// The package, as the launch line names it.
        package: String,
    },
    /// It is not what was installed.
    Changed {
        /// The package.
        package: String,
    },
    /// The launch line cannot be understood.
    Unusable {
        /// Why.
        reason: String,
        /// What to do about it.
        hint: Option<String>,
    },
}

/// Whether a server can be started, as far as its package goes.
pub(crate) enum PackageReadiness {
    /// It is there, or the server is none.
    Ready,
    /// It is not installed.
    Missing(PackageSpec),
    /// It is not what was installed.
    Changed(Package),
}

/// The packages that servers are started from.
pub(crate) struct ServerPackages {
    /// Installs them. Servers without a project are started as they are written.
    installer: Option<Installer>,
    /// Whether anything may be written into the project's folder.
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

    /// Looks whether the package of a server is there, and has the server started from it if it is.
    pub(super) async fn readiness(&self, server: &str) -> Result<PackageReadiness, Error> {
        let (Some(installer), Some(config)) = (&self.installer, self.upstreams.config(server))
        else {
            return Ok(PackageReadiness::Ready);
        };
        if config.package.is_some() {
            return Ok(PackageReadiness::Ready);
        }
        let Some(spec) = spec(&config)? else { return Ok(PackageReadiness::Ready) };
        Ok(match installer.installed(server, &spec).await.map_err(Error::from)? {
            InstallationState::Missing => PackageReadiness::Missing(spec),
            InstallationState::Changed(package) => PackageReadiness::Changed(package),
            InstallationState::Ready(installed) => {
                self.upstreams.put(started_from(config, installed));
                PackageReadiness::Ready
            }
        })
    }

    /// Returns how it is with the package that a server is started from. No registry is asked.
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
                PackageState::Missing { package: spec.written() }
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

    /// Returns what would have to be installed before a server can be started; nothing if all is
    /// there.
    ///
    /// # Errors
    /// If its launch line is not understood, or its registry cannot say which version is meant.
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
                "`pml install {server}` installs it; nothing is written here"
            )));
        }
        let line = self.line(server, &spec);
        installer.resolve(server, &spec, &line).await.map(Some).map_err(Error::from)
    }

    /// Installs a package that somebody has agreed to, and has its server started from it. Dropped,
    /// it leaves nothing behind. Returns what the package hashes to, if its server is one.
    ///
    /// # Errors
    /// If it cannot be installed, or is not what its server asks for.
    pub(super) async fn install(
        &self,
        package: &Package,
        tell: ProgressCallback,
    ) -> Result<Option<String>, Error> {
        let config = self.upstreams.config(&package.server);
        let unknown = || {
            let message = format!("there is no server `{}`", escape(&package.server));
            Error::new(Code::ToolUnknown, message)
        };
        let config = config.ok_or_else(unknown)?;
        let (Some(installer), Some(spec)) = (&self.installer, spec(&config)?) else {
            return Ok(None);
        };
        let installed = installer.install(&spec, package, tell).await.map_err(Error::from)?;
        let config = started_from(config, installed);
        let digest = config.package.clone();
        self.upstreams.put(config);
        Ok(digest)
    }

    /// The launch line as it was written, without keys.
    fn line(&self, server: &str, spec: &PackageSpec) -> String {
        self.known.launch_line(server).unwrap_or_else(|| spec.written())
    }
}

fn spec(config: &ServerConfig) -> Result<Option<PackageSpec>, Error> {
    let Launch::Stdio { command, arguments, .. } = &config.launch else { return Ok(None) };
    let scripts = match config.install_scripts {
        true => InstallScripts::Allowed,
        false => InstallScripts::Refused,
    };
    Ok(PackageSpec::of(command, arguments)?.map(|spec| spec.with_scripts(scripts)))
}

/// A server that is started from its package. It is the same server: its launch line says so.
fn started_from(mut config: ServerConfig, installed: InstalledPackage) -> ServerConfig {
    if let Launch::Stdio { command, arguments, .. } = &mut config.launch {
        (*command, *arguments) = (installed.command, installed.arguments);
    }
    let digest = installed.digest;
    config.package = Some(digest.strip_prefix("sha256:").map_or(digest.clone(), Into::into));
    config
}

/// An error as a call gets it.
pub(crate) fn call_error(error: Error) -> CallError {
    CallError::new(error.kind(), message_with_hint(&error))
}

/// An error with what to do about it, as one text.
pub(crate) fn message_with_hint(error: &Error) -> String {
    let message = error.to_string();
    // Behind lines of a tool's own words a hint stands alone.
    let before = if message.contains('\n') { "\nhint: " } else { ": " };
    let hint = error.hint().map(|hint| format!("{before}{hint}")).unwrap_or_default();
    format!("{message}{hint}")
}

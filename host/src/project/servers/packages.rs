//! Servers that are packages: they are started from the installed package, never by the runner that
//! their launch line names.
//!
//! **Invariant:** a runner is never started. If a package is not installed, a person is asked, or
//! the call fails.

use super::known_project::KnownProject;
use crate::config::{Launch, ServerConfig};
use crate::error::Error;
use crate::install::{
    InstallScripts, InstallationState, InstalledPackage, Installer, NoPackagePins, PackagePins,
    PackageSpec,
};
use crate::model::{CallError, Code, Package, PinnedPackage, ProgressCallback, escape};
use crate::upstream::Upstreams;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The state of the package that a server is started from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackageState {
    /// The launch line names no package.
    None,
    /// The package is installed and unchanged.
    Installed {
        /// How many packages are installed for it, itself included.
        packages: u64,
        /// The size of all of their files, in bytes.
        size: u64,
    },
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
    /// The server needs no package.
    NotNeeded,
    /// The package is installed, and the server will be started from it.
    Installed(InstalledSize),
    /// The package is not installed.
    Missing(PackageSpec),
    /// The files of the package differ from those that were installed.
    Changed(Package),
}

impl PackageReadiness {
    /// Reports whether the server can be started.
    pub(crate) fn can_start(&self) -> bool {
        matches!(self, PackageReadiness::NotNeeded | PackageReadiness::Installed(_))
    }
}

/// How much is installed for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InstalledSize {
    packages: u64,
    size: u64,
}

/// The packages that servers are started from.
pub(crate) struct ServerPackages {
    /// Installs them. Without a project there is none, and servers are started as written.
    installer: Option<Installer>,
    /// What is pinned for servers.
    pins: Arc<dyn PackagePins>,
    /// Whether packages may be installed.
    writes: bool,
    upstreams: Upstreams,
    known: Arc<KnownProject>,
    /// What servers are started from in this process, and the launch lines that asked for it.
    started: Mutex<HashMap<String, (InstalledPackage, PackageSpec)>>,
}

impl ServerPackages {
    /// Returns the packages of a project's servers.
    pub(super) fn new(
        installer: Installer,
        pins: Arc<dyn PackagePins>,
        writes: bool,
        upstreams: Upstreams,
        known: Arc<KnownProject>,
    ) -> ServerPackages {
        let started = Mutex::default();
        ServerPackages { installer: Some(installer), pins, writes, upstreams, known, started }
    }

    /// Returns the packages of servers that are started as they are written.
    pub(super) fn as_written(upstreams: Upstreams, known: Arc<KnownProject>) -> ServerPackages {
        let (pins, started) = (Arc::new(NoPackagePins), Mutex::default());
        ServerPackages { installer: None, pins, writes: false, upstreams, known, started }
    }

    /// Checks whether the package of a server is installed. If it is, the server will be started
    /// from it.
    pub(super) async fn readiness(&self, server: &str) -> Result<PackageReadiness, Error> {
        let (Some(installer), Some(config)) = (&self.installer, self.upstreams.config(server))
        else {
            return Ok(PackageReadiness::NotNeeded);
        };
        if let Some(size) = self.started_from_package(&config) {
            return Ok(PackageReadiness::Installed(size));
        }
        let Some(spec) = spec(&config)? else { return Ok(PackageReadiness::NotNeeded) };
        let found = installer.installation_state(server, &spec).await.map_err(Error::from)?;
        Ok(match found {
            InstallationState::Missing => PackageReadiness::Missing(spec),
            InstallationState::Changed(package) => PackageReadiness::Changed(package),
            InstallationState::Ready(installed)
                if !is_pinned(self.pins.pinned(server)?.as_ref(), &spec, &installed) =>
            {
                PackageReadiness::Missing(spec)
            }
            InstallationState::Ready(installed) => {
                let size = InstalledSize { packages: installed.packages, size: installed.size };
                self.start_from(config, installed, spec);
                PackageReadiness::Installed(size)
            }
        })
    }

    /// Returns the size of the package that a server is started from already.
    fn started_from_package(&self, config: &ServerConfig) -> Option<InstalledSize> {
        config.package.as_ref()?;
        let started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        let (installed, _) = started.get(&config.name)?;
        Some(InstalledSize { packages: installed.packages, size: installed.size })
    }

    /// From now on, a server is started from its package.
    fn start_from(&self, config: ServerConfig, installed: InstalledPackage, spec: PackageSpec) {
        let name = config.name.clone();
        self.upstreams.insert_or_replace(started_from(config, &installed));
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.insert(name, (installed, spec));
    }

    /// Returns the package that a server is started from, with its closure for this machine, as it
    /// can be pinned. Returns `None` if it is not installed, or the server needs none.
    ///
    /// # Errors
    /// If its launch line is not valid, or its closure is neither kept nor can be resolved again.
    pub(super) async fn installed(&self, server: &str) -> Result<Option<PinnedPackage>, Error> {
        let PackageReadiness::Installed(_) = self.readiness(server).await? else {
            return Ok(None);
        };
        let found = {
            let started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
            started.get(server).cloned()
        };
        let (Some(installer), Some((installed, spec))) = (&self.installer, found) else {
            return Ok(None);
        };
        installer.pin(&spec, &installed.package).await.map(Some).map_err(Error::from)
    }

    /// Returns a package that would be installed for its server, with its closure for this machine,
    /// as it can be pinned. Returns `None` if the server is not started from a package.
    ///
    /// # Errors
    /// As [`ServerPackages::installed`].
    pub(super) async fn pin(&self, package: &Package) -> Result<Option<PinnedPackage>, Error> {
        let Some(spec) = self.spec(&package.server)? else { return Ok(None) };
        let Some(installer) = &self.installer else { return Ok(None) };
        installer.pin(&spec, package).await.map(Some).map_err(Error::from)
    }

    /// From now on no registry is asked.
    pub(super) fn refuse_fetching(&self) {
        if let Some(installer) = &self.installer {
            installer.refuse_fetching();
        }
    }

    /// Returns the package that the launch line of a server names.
    fn spec(&self, server: &str) -> Result<Option<PackageSpec>, Error> {
        let Some(config) = self.upstreams.config(server) else { return Ok(None) };
        if config.package.is_none() {
            return spec(&config);
        }
        // Its configuration names the program by now.
        let started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(started.get(server).map(|(_, spec)| spec.clone()))
    }

    /// Returns the state of the package that a server is started from. No registry is contacted.
    pub(super) async fn state(&self, server: &str) -> PackageState {
        match self.readiness(server).await {
            Ok(PackageReadiness::NotNeeded) => PackageState::None,
            Ok(PackageReadiness::Installed(InstalledSize { packages, size })) => {
                PackageState::Installed { packages, size }
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
            PackageReadiness::NotNeeded | PackageReadiness::Installed(_) => return Ok(None),
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
        let pinned = self.pins.pinned(server)?;
        let resolved = installer.resolve(server, &spec, &line, pinned.as_ref()).await;
        resolved.map(Some).map_err(Error::from)
    }

    /// Returns the newest package that the launch line of a server means, whatever is pinned or
    /// installed. Returns `None` if the server is not started from a package.
    ///
    /// # Errors
    /// If its launch line is not valid, or its registry cannot resolve the version.
    pub(super) async fn newest(&self, server: &str) -> Result<Option<Package>, Error> {
        let (Some(installer), Some(spec)) = (&self.installer, self.spec(server)?) else {
            return Ok(None);
        };
        let line = self.launch_line(server, &spec);
        let resolved = installer.resolve(server, &spec, &line, None).await;
        resolved.map(Some).map_err(Error::from)
    }

    /// Installs a package that a person has agreed to; its server will be started from it. Dropping
    /// the future leaves nothing behind. Returns the digest of all packages that were installed, or
    /// `None` if the server is not started from one.
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
        let closure = installed.closure.clone();
        self.start_from(config, installed, spec);
        Ok(Some(closure))
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
fn started_from(mut config: ServerConfig, installed: &InstalledPackage) -> ServerConfig {
    if let Launch::Stdio { command, arguments, .. } = &mut config.launch {
        (*command, *arguments) = (installed.command.clone(), installed.arguments.clone());
    }
    config.package = Some(installed.closure.clone());
    config
}

/// Reports whether an installed package is the one that is pinned for this launch line. If nothing
/// is pinned for it, every package is.
fn is_pinned(
    pinned: Option<&PinnedPackage>,
    spec: &PackageSpec,
    installed: &InstalledPackage,
) -> bool {
    let Some(pinned) = pinned.filter(|pinned| pinned.spec == spec.identity()) else { return true };
    match pinned.closures.get(&installed.platform) {
        Some(closure) => closure.digest() == installed.closure,
        None => pinned.version == installed.package.version,
    }
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

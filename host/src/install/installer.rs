//! Finds, resolves and installs the packages of a project's servers.

use super::count::count;
use super::digest::digest;
use super::error::InstallError;
use super::pypi::{self, PythonTool};
use super::resolver::VersionResolver;
use super::spec::{InstallScripts, PackageSpec};
use super::{environment, npm};
use crate::install::folders::{folder_of, home, prepare};
use crate::install::installation_store::{InstallationStore, describe};
use crate::install::installed_package::{InstallationState, InstalledPackage};
use crate::install::package_tool::PackageTool;
use crate::install::resolved_version::is_version;
use crate::install::staging::{InstallLock, StagingFolder};
use crate::model::{Ecosystem, Package, Progress, ProgressCallback, escape};
use crate::{config::Environment, store::InstallationRecord};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tracing::info;

/// Time limit of an installation: hundreds of packages over a slow connection.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// Interval between progress reports.
const TELLING: Duration = Duration::from_millis(200);

/// Installs the packages of a project's servers. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Installer(Arc<InstallerInner>);

struct InstallerInner {
    records: InstallationStore,
    resolver: VersionResolver,
    /// Installations that were found unchanged, by server and spec identity.
    known: Mutex<HashMap<(String, String), InstallationRecord>>,
}

impl Installer {
    /// Returns the installer of the project whose `.pml` is `state`. It reads no file yet.
    pub(crate) fn new(state: impl Into<PathBuf>, environment: Environment) -> Installer {
        let records = InstallationStore { state: state.into(), environment };
        let (resolver, known) = (VersionResolver::default(), Mutex::default());
        Installer(Arc::new(InstallerInner { records, resolver, known }))
    }

    /// Returns the state of a server's installation. An unchanged installation is hashed once per
    /// process and then remembered.
    ///
    /// # Errors
    /// If the project's state cannot be read.
    pub(crate) async fn installed(
        &self,
        server: &str,
        spec: &PackageSpec,
    ) -> Result<InstallationState, InstallError> {
        let key = (server.to_owned(), spec.identity());
        if let Some(known) = self.known().get(&key) {
            return Ok(InstallationState::Ready(self.started(known, spec)));
        }
        let (server, identity) = key.clone();
        Ok(match self.blocking(move |records| records.look(&server, &identity)).await? {
            InstallationState::Missing => InstallationState::Missing,
            InstallationState::Ready(found) => {
                let installed = self.started(&found, spec);
                self.known().insert(key, found);
                InstallationState::Ready(installed)
            }
            InstallationState::Changed(package) => InstallationState::Changed(package),
        })
    }

    /// Returns the exact version that a launch line means, with the facts that a person needs to
    /// decide about it. `line` is the launch line to show. The result is remembered for some
    /// minutes.
    ///
    /// # Errors
    /// If the ecosystem's tool is not installed, or cannot tell.
    pub(crate) async fn resolve(
        &self,
        server: &str,
        spec: &PackageSpec,
        line: &str,
    ) -> Result<Package, InstallError> {
        self.0.resolver.resolve(&self.0.records, server, spec, line).await
    }

    /// Installs exactly `package` for the launch line that asked for it, and records that. An
    /// existing installation is used, unless the package is marked as changed. `tell` receives the
    /// progress. If the future is dropped, the processes that it started are ended and no files
    /// remain.
    ///
    /// # Errors
    /// If it cannot be installed, or is not what was agreed to. Then no files remain.
    pub(crate) async fn install(
        &self,
        spec: &PackageSpec,
        package: &Package,
        tell: ProgressCallback,
    ) -> Result<InstalledPackage, InstallError> {
        agrees(spec, package)?;
        let named = format!("{}@{}", escape(&package.name), package.version);
        let step = |step: &str, done| tell(Progress::new(format!("{step} {named}"), done, None));
        let (server, version) = (package.server.as_str(), package.version.as_str());
        info!(target: "pml::install", server, version, "install begins");
        step("preparing", 0);
        let folder = folder_of(spec, package);
        let (spec_too, package_too, folder_too) = (spec.clone(), package.clone(), folder.clone());
        let (turn, there) = self
            .blocking(move |records| {
                let turn = InstallLock::wait(&prepare(&records.state, &folder_too)?, &folder_too)?;
                // Another process may have installed it while this one waited for the lock.
                let there = records.reuse(&folder_too, &spec_too, &package_too)?;
                Ok((turn, there.map(|there| records.remember(there)).transpose()?))
            })
            .await?;
        let sealed = match there {
            Some(sealed) => {
                info!(target: "pml::install", server, version, "install is there already");
                sealed
            }
            None => {
                let stage = turn.stage()?;
                step("installing", 0);
                let filling = self.fill(spec, package, stage.path());
                let filled = counted(filling, stage.path(), |done| step("installing", done)).await;
                if let Err(error) = filled {
                    let code = error.code();
                    info!(target: "pml::install", server, version, %code, "install failed");
                    self.blocking(move |_| {
                        stage.discard();
                        Ok(())
                    })
                    .await?;
                    return Err(error);
                }
                step("checking", 0);
                let sealed = self.finish(spec, package, folder, stage).await?;
                let digest = sealed.digest.as_str();
                info!(target: "pml::install", server, version, digest, "install done");
                sealed
            }
        };
        let installed = self.started(&sealed, spec);
        self.known().insert((sealed.package.server.clone(), spec.identity()), sealed);
        Ok(installed)
    }

    /// Runs the ecosystem's tool.
    async fn fill(
        &self,
        spec: &PackageSpec,
        package: &Package,
        stage: &Path,
    ) -> Result<(), InstallError> {
        let environment = &self.0.records.environment;
        let (home, tools) = home(environment, &self.0.records.state)?;
        let variables = environment::fetching(environment);
        let keyless = environment::keyless(environment);
        let named = spec.package().pinned(&package.version);
        let tool = |name, program| PackageTool {
            name,
            program,
            variables: &variables,
            keyless: &keyless,
            folder: &tools,
            doing: "install",
            package: &named,
            patience: PATIENCE,
        };
        match spec.ecosystem() {
            Ecosystem::Npm => {
                let program = npm::find(environment, spec)?;
                let tool = tool("npm", &program);
                npm::install(&tool, environment, spec, package, stage, &home).await
            }
            _ => {
                let backend = PythonTool::of(environment, spec)?;
                let tool = tool(backend.name(), backend.program());
                backend.install(&tool, environment, spec, package, (stage, &home)).await
            }
        }
    }

    /// Finds the program, hashes all files, moves them to their final folder and records the
    /// installation. Once begun, it completes even if the future is dropped.
    async fn finish(
        &self,
        spec: &PackageSpec,
        package: &Package,
        folder: String,
        stage: StagingFolder,
    ) -> Result<InstallationRecord, InstallError> {
        let (spec, package) = (spec.clone(), package.clone());
        self.blocking(move |records| {
            let place = records.deps().join(&folder);
            let installation = match checked(&spec, &package, &folder, &place, stage.path()) {
                Ok(installation) => installation,
                Err(error) => {
                    stage.discard();
                    return Err(error);
                }
            };
            // The lock is held until the installation is recorded.
            let _turn = stage.finish(&place)?;
            records.remember(installation)
        })
        .await
    }

    /// Runs blocking disk work on a thread for that.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&InstallationStore) -> Result<T, InstallError> + Send + 'static,
    ) -> Result<T, InstallError> {
        let records = self.0.records.clone();
        match tokio::task::spawn_blocking(move || work(&records)).await {
            Ok(done) => done,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(error) => Err(InstallError::io(
                    "look into",
                    &self.0.records.deps(),
                    std::io::Error::other(error),
                )),
            },
        }
    }

    fn started(&self, installation: &InstallationRecord, spec: &PackageSpec) -> InstalledPackage {
        InstalledPackage::of(installation, spec, &self.0.records.deps())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), InstallationRecord>> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks the files in `stage`, and returns the record of the installation in its final folder.
fn checked(
    spec: &PackageSpec,
    package: &Package,
    folder: &str,
    place: &Path,
    stage: &Path,
) -> Result<InstallationRecord, InstallError> {
    if package.ecosystem == Ecosystem::Pypi {
        pypi::settle(stage, place, package)?;
    }
    let digest = digest(stage, &package.name)?;
    describe(spec, package, folder, digest, stage)
}

/// Checks that a package is still the one that the launch line asks for, and that its version is
/// safe in a path. The package may have been read from a journal.
fn agrees(spec: &PackageSpec, package: &Package) -> Result<(), InstallError> {
    let other = |what, agreed: &str, found: &str| InstallError::Mismatch {
        package: escape(&package.name).into_owned(),
        what,
        agreed: escape(agreed).into_owned(),
        found: escape(found).into_owned(),
    };
    if package.ecosystem != spec.ecosystem() || package.name != spec.package().name {
        return Err(other("the name", &package.name, &spec.package().name));
    }
    let beside: Vec<String> = spec.beside().iter().map(ToString::to_string).collect();
    if package.beside != beside {
        return Err(other("what comes beside it", &package.beside.join(" "), &beside.join(" ")));
    }
    let named = |name: &str| package.program_of.as_deref().is_none_or(|of| of == name);
    if !named(&package.name) && !spec.beside().iter().any(|one| named(&one.name)) {
        let of = package.program_of.as_deref().unwrap_or_default();
        return Err(other("the package whose program is started", of, &package.name));
    }
    if spec.scripts() == InstallScripts::Allowed && !package.scripts {
        return Err(other("whether code of it may run", "no", "yes"));
    }
    match is_version(&package.version) {
        true => Ok(()),
        false => Err(other("the version", &package.version, "none")),
    }
}

/// Waits for `filling`, and reports at intervals how many packages are installed.
async fn counted(
    filling: impl Future<Output = Result<(), InstallError>>,
    stage: &Path,
    told: impl Fn(u64),
) -> Result<(), InstallError> {
    tokio::pin!(filling);
    let mut ticks = tokio::time::interval(TELLING);
    ticks.tick().await;
    loop {
        tokio::select! {
            filled = &mut filling => break filled,
            _ = ticks.tick() => told(count(stage)),
        }
    }
}

//! Finds, resolves and installs the packages of a project's servers.

use super::count::count;
use super::digest::digest;
use super::error::InstallError;
use super::pypi::{self, PythonTool};
use super::resolver::VersionResolver;
use super::spec::{InstallScripts, PackageSpec};
use super::{environment, npm};
use crate::install::folders::{folder_of, prepare_folders, user_folders};
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
const INSTALL_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// Interval between progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// Installs the packages of a project's servers. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Installer(Arc<InstallerInner>);

struct InstallerInner {
    records: InstallationStore,
    resolver: VersionResolver,
    /// Installations that were found unchanged, by server and spec identity.
    verified: Mutex<HashMap<(String, String), InstallationRecord>>,
}

impl Installer {
    /// Returns the installer of the project whose `.pml` is `state`. It reads no file yet.
    pub(crate) fn new(state: impl Into<PathBuf>, environment: Environment) -> Installer {
        let records = InstallationStore { state: state.into(), environment };
        let (resolver, verified) = (VersionResolver::default(), Mutex::default());
        Installer(Arc::new(InstallerInner { records, resolver, verified }))
    }

    /// Returns the state of a server's installation. An unchanged installation is hashed once per
    /// process and then remembered.
    ///
    /// # Errors
    /// If the project's state cannot be read.
    pub(crate) async fn installation_state(
        &self,
        server: &str,
        spec: &PackageSpec,
    ) -> Result<InstallationState, InstallError> {
        let key = (server.to_owned(), spec.identity());
        if let Some(verified) = self.verified().get(&key) {
            return Ok(InstallationState::Ready(self.installed_package(verified, spec)));
        }
        let (server, identity) = key.clone();
        Ok(match self.blocking(move |records| records.check(&server, &identity)).await? {
            InstallationState::Missing => InstallationState::Missing,
            InstallationState::Ready(found) => {
                let installed = self.installed_package(&found, spec);
                self.verified().insert(key, found);
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
    /// If the ecosystem's tool is not installed, or cannot resolve the line.
    pub(crate) async fn resolve(
        &self,
        server: &str,
        spec: &PackageSpec,
        line: &str,
    ) -> Result<Package, InstallError> {
        self.0.resolver.resolve(&self.0.records, server, spec, line).await
    }

    /// Installs exactly `package` for the launch line that asked for it, and records that. An
    /// existing installation is used, unless the package is marked as changed. `on_progress`
    /// receives the progress. If the future is dropped, the processes that it started are ended and
    /// no files remain.
    ///
    /// # Errors
    /// If it cannot be installed, or is not what was agreed to. Then no files remain.
    pub(crate) async fn install(
        &self,
        spec: &PackageSpec,
        package: &Package,
        on_progress: ProgressCallback,
    ) -> Result<InstalledPackage, InstallError> {
        check_agreement(spec, package)?;
        let named = format!("{}@{}", escape(&package.name), package.version);
        let step =
            |step: &str, done| on_progress(Progress::new(format!("{step} {named}"), done, None));
        let (server, version) = (package.server.as_str(), package.version.as_str());
        info!(target: "pml::install", server, version, "install begins");
        step("preparing", 0);
        let folder = folder_of(spec, package);
        let (spec_copy, package_copy, folder_copy) =
            (spec.clone(), package.clone(), folder.clone());
        let (lock, existing) = self
            .blocking(move |records| {
                let lock = InstallLock::acquire(
                    &prepare_folders(&records.state, &folder_copy)?,
                    &folder_copy,
                )?;
                // Another process may have installed it while this one waited for the lock.
                let existing = records.reuse(&folder_copy, &spec_copy, &package_copy)?;
                Ok((lock, existing.map(|existing| records.record(existing)).transpose()?))
            })
            .await?;
        let sealed = match existing {
            Some(sealed) => {
                info!(target: "pml::install", server, version, "install is there already");
                sealed
            }
            None => {
                let stage = lock.stage()?;
                step("installing", 0);
                let work = self.run_package_tool(spec, package, stage.path());
                let result =
                    with_progress(work, stage.path(), |done| step("installing", done)).await;
                if let Err(error) = result {
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
        let installed = self.installed_package(&sealed, spec);
        self.verified().insert((sealed.package.server.clone(), spec.identity()), sealed);
        Ok(installed)
    }

    /// Runs the ecosystem's tool.
    async fn run_package_tool(
        &self,
        spec: &PackageSpec,
        package: &Package,
        stage: &Path,
    ) -> Result<(), InstallError> {
        let environment = &self.0.records.environment;
        let (home, tools) = user_folders(environment, &self.0.records.state)?;
        let variables = environment::for_fetching(environment);
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
            timeout: INSTALL_TIMEOUT,
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
            let target = records.deps_folder().join(&folder);
            let installation = match check_staged(&spec, &package, &folder, &target, stage.path()) {
                Ok(installation) => installation,
                Err(error) => {
                    stage.discard();
                    return Err(error);
                }
            };
            // The lock is held until the installation is recorded.
            let _lock = stage.finish(&target)?;
            records.record(installation)
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
                    &self.0.records.deps_folder(),
                    std::io::Error::other(error),
                )),
            },
        }
    }

    fn installed_package(
        &self,
        installation: &InstallationRecord,
        spec: &PackageSpec,
    ) -> InstalledPackage {
        InstalledPackage::of(installation, spec, &self.0.records.deps_folder())
    }

    fn verified(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), InstallationRecord>> {
        self.0.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks the files in `stage`, and returns the record of the installation in its final folder.
fn check_staged(
    spec: &PackageSpec,
    package: &Package,
    folder: &str,
    target: &Path,
    stage: &Path,
) -> Result<InstallationRecord, InstallError> {
    if package.ecosystem == Ecosystem::Pypi {
        pypi::finish(stage, target, package)?;
    }
    let digest = digest(stage, &package.name)?;
    describe(spec, package, folder, digest, stage)
}

/// Checks that a package is still the one that the launch line asks for, and that its version is
/// safe in a path. The package may have been read from a journal.
fn check_agreement(spec: &PackageSpec, package: &Package) -> Result<(), InstallError> {
    let mismatch = |what, agreed: &str, found: &str| InstallError::Mismatch {
        package: escape(&package.name).into_owned(),
        what,
        agreed: escape(agreed).into_owned(),
        found: escape(found).into_owned(),
    };
    if package.ecosystem != spec.ecosystem() || package.name != spec.package().name {
        return Err(mismatch("the name", &package.name, &spec.package().name));
    }
    let beside: Vec<String> = spec.beside().iter().map(ToString::to_string).collect();
    if package.beside != beside {
        return Err(mismatch("what comes beside it", &package.beside.join(" "), &beside.join(" ")));
    }
    let named = |name: &str| package.program_of.as_deref().is_none_or(|of| of == name);
    if !named(&package.name) && !spec.beside().iter().any(|one| named(&one.name)) {
        let of = package.program_of.as_deref().unwrap_or_default();
        return Err(mismatch("the package whose program is started", of, &package.name));
    }
    if spec.scripts() == InstallScripts::Allowed && !package.scripts {
        return Err(mismatch("whether code of it may run", "no", "yes"));
    }
    match is_version(&package.version) {
        true => Ok(()),
        false => Err(mismatch("the version", &package.version, "none")),
    }
}

/// Waits for `work`, and reports at intervals how many packages are installed.
async fn with_progress(
    work: impl Future<Output = Result<(), InstallError>>,
    stage: &Path,
    report: impl Fn(u64),
) -> Result<(), InstallError> {
    tokio::pin!(work);
    let mut ticks = tokio::time::interval(PROGRESS_INTERVAL);
    ticks.tick().await;
    loop {
        tokio::select! {
            result = &mut work => break result,
            _ = ticks.tick() => report(count(stage)),
        }
    }
}

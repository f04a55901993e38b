//! Finds, resolves and installs the packages of a project's servers.

use super::count::count;
use super::error::InstallError;
use super::npm;
use super::package_cache::TREE;
use super::pypi::PythonTool;
use super::resolver::{ResolveRequest, VersionResolver, closure_of, platform};
use super::spec::PackageSpec;
use crate::config::Environment;
use crate::disk;
use crate::install::install_job::InstallJob;
use crate::install::installation_store::InstallationStore;
use crate::install::installed_package::{Installation, InstallationState, InstalledPackage};
use crate::install::package_tool::Fetching;
use crate::install::package_tool_setup::PackageToolSetup;
use crate::install::staging::{InstallLock, StagingFolder};
use crate::model::{Ecosystem, Package, PinnedPackage, Progress, ProgressCallback, escape};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
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
    store: InstallationStore,
    resolver: VersionResolver,
    /// Installations that were found unchanged, by server and spec identity. They are held, so that
    /// no other process removes them.
    verified: Mutex<HashMap<(String, String), Arc<Installation>>>,
    /// Whether no registry may be asked.
    offline: AtomicBool,
}

impl Installer {
    /// Returns the installer of the project in `project`. It reads no file yet.
    pub(crate) fn new(project: impl Into<PathBuf>, environment: Environment) -> Installer {
        let store = InstallationStore::new(project.into(), environment);
        let (resolver, verified) = (VersionResolver::default(), Mutex::default());
        let offline = AtomicBool::new(false);
        Installer(Arc::new(InstallerInner { store, resolver, verified, offline }))
    }

    /// From now on no registry is asked: only what is on this machine is used.
    pub(crate) fn refuse_fetching(&self) {
        self.0.offline.store(true, Ordering::Relaxed);
    }

    fn fetching(&self) -> Fetching {
        match self.0.offline.load(Ordering::Relaxed) {
            true => Fetching::Refused,
            false => Fetching::Allowed,
        }
    }

    /// Returns the state of a server's installation. An unchanged installation is hashed once per
    /// process and then remembered.
    ///
    /// # Errors
    /// If the user's state or cache folder cannot be used.
    pub(crate) async fn installation_state(
        &self,
        server: &str,
        spec: &PackageSpec,
    ) -> Result<InstallationState, InstallError> {
        let key = (server.to_owned(), spec.identity());
        let verified = self.verified().get(&key).cloned();
        if let Some(verified) = verified {
            return Ok(InstallationState::Ready(self.installed_package(&verified, spec)?));
        }
        let (server, identity) = key.clone();
        Ok(match self.blocking(move |store| store.check(&server, &identity)).await? {
            InstallationState::Missing => InstallationState::Missing,
            InstallationState::Ready(found) => {
                let installed = self.installed_package(&found, spec)?;
                self.verified().insert(key, Arc::new(found));
                InstallationState::Ready(installed)
            }
            InstallationState::Changed(package) => InstallationState::Changed(package),
        })
    }

    /// Returns the exact version that a launch line means, with the facts that a person needs to
    /// decide about it. `line` is the launch line to show. If `pinned` answers this launch line, it
    /// is that package, and no registry is asked if its closure for this machine is pinned.
    /// Otherwise the result is remembered for some minutes.
    ///
    /// # Errors
    /// If the ecosystem's tool is not installed, or cannot resolve the line.
    pub(crate) async fn resolve(
        &self,
        server: &str,
        spec: &PackageSpec,
        line: &str,
        pinned: Option<&PinnedPackage>,
    ) -> Result<Package, InstallError> {
        let fetching = self.fetching();
        let request = ResolveRequest { server, spec, line, pinned, fetching };
        self.0.resolver.resolve(&self.0.store, request).await
    }

    /// Returns a package as it can be pinned, with its closure for this machine. It was resolved or
    /// installed before.
    ///
    /// # Errors
    /// If the closure is not kept, and cannot be resolved again.
    pub(crate) async fn pin(
        &self,
        spec: &PackageSpec,
        package: &Package,
    ) -> Result<PinnedPackage, InstallError> {
        let fetching = self.fetching();
        let closure = closure_of(&self.0.store, spec, package, fetching).await?;
        let platform = platform(&self.0.store, spec, fetching).await?;
        Ok(PinnedPackage {
            spec: spec.identity(),
            ecosystem: package.ecosystem,
            name: package.name.clone(),
            version: package.version.clone(),
            // A version of a Python package has several files: the closure names the one for this
            // machine.
            integrity: package.integrity.clone().filter(|_| spec.ecosystem() == Ecosystem::Npm),
            program_of: package.program_of.clone(),
            closures: [(platform, closure)].into(),
        })
    }

    /// Installs exactly `package`, with the closure that was shown, for the launch line that asked
    /// for it, and records that it was agreed to for its server. An installation of another project
    /// is used, unless the package is marked as changed. `on_progress` receives the progress. If
    /// the future is dropped, the processes that it started are ended and no files remain.
    ///
    /// # Errors
    /// If it cannot be installed, or is not what was agreed to. Then no files remain.
    pub(crate) async fn install(
        &self,
        spec: &PackageSpec,
        package: &Package,
        on_progress: ProgressCallback,
    ) -> Result<InstalledPackage, InstallError> {
        let named = format!("{}@{}", escape(&package.name), escape(&package.version));
        let step =
            |step: &str, done| on_progress(Progress::new(format!("{step} {named}"), done, None));
        let (server, version) = (package.server.as_str(), package.version.as_str());
        info!(target: "pml::install", server, version, "install begins");
        step("preparing", 0);
        let job = InstallJob::of(&self.0.store, spec, package, self.fetching()).await?;
        let waiting = job.clone();
        let (lock, existing) = self
            .blocking(move |store| {
                let cache = store.cache()?;
                cache.prepare(&waiting.name)?;
                let lock = InstallLock::acquire(&cache.work(), &waiting.name)?;
                // Another project may have it, or another process may have installed it meanwhile.
                let existing = match waiting.package.changed {
                    true => None,
                    false => store.reuse(&waiting.name, &waiting.digest)?,
                };
                let agree = |record| store.agree(&waiting.spec, &waiting.package, record);
                Ok((lock, existing.map(agree).transpose()?))
            })
            .await?;
        let installation = match existing {
            Some(installation) => {
                info!(target: "pml::install", server, version, "install is there already");
                installation
            }
            None => {
                let stage = lock.stage()?;
                step("installing", 0);
                let tree = stage.path().join(TREE);
                let work = self.run_package_tool(&job, &tree);
                let result = with_progress(work, &tree, |done| step("installing", done)).await;
                let packages = match result {
                    Ok(packages) => packages,
                    Err(error) => {
                        let code = error.code();
                        info!(target: "pml::install", server, version, %code, "install failed");
                        self.blocking(move |_| {
                            stage.discard();
                            Ok(())
                        })
                        .await?;
                        return Err(error);
                    }
                };
                step("checking", 0);
                let installation = self.finish(job, packages, stage).await?;
                let digest = installation.record.digest.as_str();
                info!(target: "pml::install", server, version, digest, "install done");
                installation
            }
        };
        let installed = self.installed_package(&installation, spec)?;
        let key = (package.server.clone(), spec.identity());
        self.verified().insert(key, Arc::new(installation));
        Ok(installed)
    }

    /// Runs the ecosystem's tool. Returns the number of installed packages.
    async fn run_package_tool(&self, job: &InstallJob, tree: &Path) -> Result<u64, InstallError> {
        let InstallJob { spec, package, closure, .. } = job;
        disk::make_private_folder(tree)
            .map_err(|error| InstallError::io("make the folder", tree, error))?;
        let environment = &self.0.store.environment;
        let setup = PackageToolSetup::of(&self.0.store, self.fetching())?;
        let home = &setup.home;
        let named = spec.package().pinned(&package.version);
        let agreed = (package, closure);
        match spec.ecosystem() {
            Ecosystem::Npm => {
                let program = npm::find(environment, spec)?;
                let tool = setup.tool(("npm", &program), "install", &named, INSTALL_TIMEOUT);
                npm::install(&tool, environment, spec, agreed, tree, home).await
            }
            _ => {
                let backend = PythonTool::of(environment, spec)?;
                let program = (backend.name(), backend.program());
                let tool = setup.tool(program, "install", &named, INSTALL_TIMEOUT);
                backend.install(&tool, environment, spec, agreed, (tree, home)).await?;
                Ok(closure.len() as u64)
            }
        }
    }

    /// Finds the program, hashes all files, seals the record, moves everything to its final folder
    /// and records the agreement. Once begun, it completes even if the future is dropped.
    async fn finish(
        &self,
        job: InstallJob,
        packages: u64,
        stage: StagingFolder,
    ) -> Result<Installation, InstallError> {
        self.blocking(move |store| {
            let record = match job.finish_staged(store, packages, stage.path()) {
                Ok(record) => record,
                Err(error) => {
                    stage.discard();
                    return Err(error);
                }
            };
            // The lock is held until the agreement is recorded and the installation is held.
            let _lock = stage.finish(&store.cache()?.entry_folder(&job.name))?;
            store.agree(&job.spec, &job.package, record)
        })
        .await
    }

    /// Runs blocking disk work on a thread for that.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&InstallationStore) -> Result<T, InstallError> + Send + 'static,
    ) -> Result<T, InstallError> {
        let store = self.0.store.clone();
        match tokio::task::spawn_blocking(move || work(&store)).await {
            Ok(done) => done,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(error) => Err(InstallError::io(
                    "look into",
                    &self.0.store.project,
                    std::io::Error::other(error),
                )),
            },
        }
    }

    fn installed_package(
        &self,
        installation: &Installation,
        spec: &PackageSpec,
    ) -> Result<InstalledPackage, InstallError> {
        let tree = self.0.store.cache()?.tree(&installation.record.name);
        Ok(InstalledPackage::of(installation, spec, &tree))
    }

    fn verified(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), Arc<Installation>>> {
        self.0.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for `work`, and reports at intervals how many packages are installed.
async fn with_progress<T>(
    work: impl Future<Output = Result<T, InstallError>>,
    stage: &Path,
    report: impl Fn(u64),
) -> Result<T, InstallError> {
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

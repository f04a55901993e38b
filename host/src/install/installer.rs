//! Finds, resolves and installs the packages of a project's servers.

use super::count::count;
use super::error::InstallError;
use super::installation_record::InstallationRecord;
use super::npm;
use super::package_cache::{PackageCache, TREE};
use super::pypi::{self, PythonTool};
use super::resolver::{ResolveRequest, VersionResolver, check_closure, closure_of, platform};
use super::spec::{InstallScripts, PackageSpec};
use crate::config::Environment;
use crate::disk;
use crate::install::installation_store::{FinishedInstall, InstallationStore};
use crate::install::installed_package::{Installation, InstallationState, InstalledPackage};
use crate::install::package_tool::Fetching;
use crate::install::package_tool_setup::PackageToolSetup;
use crate::install::resolved_version::is_version;
use crate::install::staging::{InstallLock, StagingFolder};
use crate::model::{
    Ecosystem, Package, PackageClosure, PinnedPackage, Progress, ProgressCallback, escape,
};
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

/// An installation to make.
#[derive(Clone)]
struct InstallJob {
    spec: PackageSpec,
    package: Package,
    closure: PackageClosure,
    /// The digest of the closure.
    digest: String,
    platform: String,
    /// The name of the entry in the cache.
    name: String,
}

impl Installer {
    /// Returns the installer of the project in `project`. It reads no file yet.
    pub(crate) fn new(project: impl Into<PathBuf>, environment: Environment) -> Installer {
        let store = InstallationStore { project: project.into(), environment };
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
            integrity: package.integrity.clone(),
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
        check_agreement(spec, package)?;
        let named = format!("{}@{}", escape(&package.name), package.version);
        let step =
            |step: &str, done| on_progress(Progress::new(format!("{step} {named}"), done, None));
        let (server, version) = (package.server.as_str(), package.version.as_str());
        info!(target: "pml::install", server, version, "install begins");
        step("preparing", 0);
        let job = self.job(spec, package).await?;
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

    /// Returns what has to be installed, and where.
    async fn job(&self, spec: &PackageSpec, package: &Package) -> Result<InstallJob, InstallError> {
        let (store, fetching) = (&self.0.store, self.fetching());
        let closure = closure_of(store, spec, package, fetching).await?;
        check_closure(spec, package, &closure)?;
        let platform = platform(store, spec, fetching).await?;
        let (digest, key) = (closure.digest(), store.cache()?.key()?);
        let name = PackageCache::entry_name(spec, package, &digest, &platform, &key);
        let (spec, package) = (spec.clone(), package.clone());
        Ok(InstallJob { spec, package, closure, digest, platform, name })
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
            let record = match finish_staged(store, &job, packages, stage.path()) {
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

/// Checks the files in `stage`, makes them read-only, and writes their record beside them.
fn finish_staged(
    store: &InstallationStore,
    job: &InstallJob,
    packages: u64,
    stage: &Path,
) -> Result<InstallationRecord, InstallError> {
    let InstallJob { spec, package, closure, digest, platform, name } = job;
    let (cache, tree) = (store.cache()?, stage.join(TREE));
    if package.ecosystem == Ecosystem::Pypi {
        pypi::finish(&tree, &cache.tree(name), package, closure)?;
    }
    let finished =
        FinishedInstall { spec, package, closure: digest, platform, packages, name, tree: &tree };
    let record = cache.key()?.seal(finished.record()?);
    disk::make_read_only(&tree)
        .map_err(|error| InstallError::io("make the folder read-only", &tree, error))?;
    PackageCache::write_record(stage, &record)?;
    Ok(record)
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

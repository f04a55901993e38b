//! Finds, resolves and installs the packages of a project's servers.

use super::digest::digest;
use super::error::InstallError;
use super::found::Program;
use super::installed::{Installed, Presence};
use super::place::{folder_of, home, prepare};
use super::pypi::{self, Backend};
use super::resolved::{Resolved, is_version};
use super::seal::Key;
use super::spec::Spec;
use super::stage::{Stage, Turn};
use super::tool::Tool;
use super::{environment, npm};
use crate::config::{Environment, Installation, ProjectState};
use crate::model::{Clock, Ecosystem, Package, Progress, SystemClock, escape};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a registry may take to say which version is meant.
const RESOLVING: Duration = Duration::from_secs(60);

/// How long an installation may take: hundreds of packages over a slow line.
const INSTALLING: Duration = Duration::from_secs(15 * 60);

/// How long a resolution is remembered: a question that is asked again shows the same version.
const REMEMBERED: Duration = Duration::from_secs(10 * 60);

/// How often somebody is told how far it is.
const TELLING: Duration = Duration::from_millis(200);

/// Is told how far an installation is.
pub(crate) type Tell = Arc<dyn Fn(Progress) + Send + Sync>;

/// The packages of a project's servers. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Installer(Arc<Inner>);

struct Inner {
    /// The project's `.pml`.
    state: PathBuf,
    environment: Environment,
    /// What was found whole, by server and by what was asked for.
    known: Mutex<HashMap<(String, String), Installation>>,
    /// What registries said, by what was asked for.
    resolutions: Mutex<HashMap<String, Resolution>>,
}

/// Whoever asks first does the work while the others wait.
type Resolution = Arc<tokio::sync::Mutex<Option<(Instant, Resolved)>>>;

impl Installer {
    /// Returns the installer of the project whose `.pml` is `state`. Nothing is read yet.
    pub(crate) fn new(state: impl Into<PathBuf>, environment: Environment) -> Installer {
        Installer(Arc::new(Inner {
            state: state.into(),
            environment,
            known: Mutex::default(),
            resolutions: Mutex::default(),
        }))
    }

    /// Returns what is there for a server. Looked at once a process; from then on it is remembered.
    ///
    /// # Errors
    /// If what is remembered of the project cannot be read.
    pub(crate) async fn installed(
        &self,
        server: &str,
        spec: &Spec,
    ) -> Result<Presence, InstallError> {
        let key = (server.to_owned(), spec.identity());
        if let Some(known) = self.known().get(&key) {
            return Ok(Presence::Ready(Installed::of(known, spec, &self.deps())));
        }
        let (this, (server, identity)) = (self.clone(), key.clone());
        let found = blocking(move || this.look(&server, &identity)).await?;
        Ok(match found {
            None => Presence::Missing,
            Some((found, true)) => {
                let installed = Installed::of(&found, spec, &self.deps());
                self.known().insert(key, found);
                Presence::Ready(installed)
            }
            Some((found, false)) => {
                let mut package = found.package;
                package.changed = true;
                Presence::Changed(package)
            }
        })
    }

    /// Returns the exact version that a launch line means, with what a person needs to know of it. `line` is the launch line to
    /// show. It is remembered for some minutes.
    ///
    /// # Errors
    /// If the ecosystem's tool is not there, or cannot say.
    pub(crate) async fn resolve(
        &self,
        server: &str,
        spec: &Spec,
        line: &str,
    ) -> Result<Package, InstallError> {
        let resolution = {
            let mut all = self.0.resolutions.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(spec.identity()).or_default().clone()
        };
        let mut resolution = resolution.lock().await;
        if let Some((at, resolved)) = &*resolution
            && at.elapsed() < REMEMBERED
        {
            return Ok(resolved.package(server, spec, line));
        }
        let (home, tools) = home(&self.0.environment)?;
        let variables = environment::scrubbed(&self.0.environment);
        let written = spec.written();
        let tool = |name, program| Tool {
            name,
            program,
            variables: &variables,
            folder: &tools,
            doing: "resolve",
            package: &written,
            patience: RESOLVING,
        };
        let resolved = match spec.ecosystem() {
            Ecosystem::Npm => {
                let program = self.npm(spec)?;
                npm::resolve(&tool("npm", &program), spec, &tools).await?
            }
            _ => {
                let backend = Backend::of(&self.0.environment, spec)?;
                let tool = tool(backend.name(), backend.program());
                backend.resolve(&tool, spec, &home).await?
            }
        };
        let package = resolved.package(server, spec, line);
        *resolution = Some((Instant::now(), resolved));
        Ok(package)
    }

    /// Installs exactly `package` for the launch line that asked for it, and remembers that. What is there already is used, unless
    /// it has changed. `tell` hears how far it is. Dropped, it ends what it started and leaves nothing behind.
    ///
    /// # Errors
    /// If it cannot be installed, or is not what was agreed to; then nothing is left.
    pub(crate) async fn install(
        &self,
        spec: &Spec,
        package: &Package,
        tell: Tell,
    ) -> Result<Installed, InstallError> {
        agrees(spec, package)?;
        let (home, tools) = home(&self.0.environment)?;
        let folder = folder_of(spec, package);
        let named = format!("{}@{}", escape(&package.name), package.version);
        tell(Progress::new(format!("waiting to install {named}"), 0, None));
        let (state, place) = (self.0.state.clone(), folder.clone());
        let turn = blocking(move || Turn::wait(&prepare(&state, &place)?, &place)).await?;
        // Whoever had the lock may have installed it.
        tell(Progress::new(format!("checking {named}"), 0, None));
        if let Some(installation) = self.reuse(&home, &folder, spec, package).await? {
            return self.remember(&home, spec, installation).await;
        }
        let stage = turn.stage()?;
        tell(Progress::new(format!("installing {named}"), 0, None));
        {
            let filling = self.fill(spec, package, &tools, stage.path());
            tokio::pin!(filling);
            let mut ticks = tokio::time::interval(TELLING);
            ticks.tick().await;
            loop {
                tokio::select! {
                    filled = &mut filling => break filled?,
                    _ = ticks.tick() => {
                        let done = count(stage.path());
                        tell(Progress::new(format!("installing {named}"), done, None));
                    }
                }
            }
        }
        tell(Progress::new(format!("checking {named}"), 0, None));
        // Nobody else may go to this place until it is remembered what is there.
        let (installation, _turn) = self.finish(spec, package, &folder, stage).await?;
        self.remember(&home, spec, installation).await
    }

    /// Has the ecosystem's tool do its work.
    async fn fill(
        &self,
        spec: &Spec,
        package: &Package,
        tools: &Path,
        stage: &Path,
    ) -> Result<(), InstallError> {
        let variables = environment::scrubbed(&self.0.environment);
        let named = spec.package().pinned(&package.version);
        let tool = |name, program| Tool {
            name,
            program,
            variables: &variables,
            folder: tools,
            doing: "install",
            package: &named,
            patience: INSTALLING,
        };
        match spec.ecosystem() {
            Ecosystem::Npm => {
                let program = self.npm(spec)?;
                npm::install(&tool("npm", &program), spec, package, stage).await
            }
            _ => {
                let backend = Backend::of(&self.0.environment, spec)?;
                let tool = tool(backend.name(), backend.program());
                pypi::install(&backend, &tool, spec, package, stage).await
            }
        }
    }

    /// Finds the program, hashes everything and puts it in its place.
    async fn finish(
        &self,
        spec: &Spec,
        package: &Package,
        folder: &str,
        stage: Stage,
    ) -> Result<(Installation, Turn), InstallError> {
        let (spec, mut package, folder) = (spec.clone(), package.clone(), folder.to_owned());
        let place = self.deps().join(&folder);
        package.changed = false;
        blocking(move || {
            if package.ecosystem == Ecosystem::Pypi {
                pypi::settle(stage.path(), &place)?;
            }
            let program = program(stage.path(), &spec, &package)?;
            let digest = digest(stage.path(), &package.name)?;
            let turn = stage.finish(&place)?;
            Ok((installation(&spec, package, folder, digest, program), turn))
        })
        .await
    }

    /// Returns an installation of the same package in the same place, if it is whole and nobody says that it has changed.
    async fn reuse(
        &self,
        home: &Path,
        folder: &str,
        spec: &Spec,
        package: &Package,
    ) -> Result<Option<Installation>, InstallError> {
        if package.changed {
            return Ok(None);
        }
        let (this, home, folder) = (self.clone(), home.to_owned(), folder.to_owned());
        let (spec, package) = (spec.clone(), package.clone());
        blocking(move || {
            let key = Key::of(&home)?;
            let known = this.state().packages().map_err(InstallError::State)?;
            let same = |known: &&Installation| {
                known.folder == folder
                    && known.package.integrity == package.integrity
                    && key.fits(known)
            };
            let Some(known) = known.values().find(same) else { return Ok(None) };
            let place = this.deps().join(&folder);
            let whole = place.is_dir()
                && digest(&place, &package.name).is_ok_and(|digest| digest == known.digest);
            if !whole {
                return Ok(None);
            }
            let program = program(&place, &spec, &package)?;
            Ok(Some(installation(&spec, package, folder, known.digest.clone(), program)))
        })
        .await
    }

    async fn remember(
        &self,
        home: &Path,
        spec: &Spec,
        installation: Installation,
    ) -> Result<Installed, InstallError> {
        let (this, home) = (self.clone(), home.to_owned());
        let sealed = blocking(move || {
            let sealed = Key::of(&home)?.seal(installation);
            let server = sealed.package.server.clone();
            this.state().package_installed(&server, sealed.clone()).map_err(InstallError::State)?;
            Ok(sealed)
        })
        .await?;
        let installed = Installed::of(&sealed, spec, &self.deps());
        self.known().insert((sealed.package.server.clone(), spec.identity()), sealed);
        Ok(installed)
    }

    /// Returns what was installed for a server, and whether it is still that.
    fn look(
        &self,
        server: &str,
        identity: &str,
    ) -> Result<Option<(Installation, bool)>, InstallError> {
        let known = self.state().packages().map_err(InstallError::State)?.remove(server);
        let Some(known) = known.filter(|known| known.spec == identity) else { return Ok(None) };
        let (home, _) = home(&self.0.environment)?;
        // What this user did not install was never installed.
        if known.package.server != server || !Key::of(&home)?.fits(&known) {
            return Ok(None);
        }
        let place = self.deps().join(&known.folder);
        if !place.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            return Ok(None);
        }
        let same = match digest(&place, &known.package.name) {
            Ok(digest) => digest == known.digest,
            // What cannot be read, or leads out, was not so when it was installed.
            Err(_) => false,
        };
        Ok(Some((known, same)))
    }

    fn npm(&self, spec: &Spec) -> Result<PathBuf, InstallError> {
        let found = self.0.environment.program("npm", Path::new("/"), None);
        found.ok_or_else(|| InstallError::NoTool { tool: "npm".into(), package: spec.written() })
    }

    fn state(&self) -> ProjectState {
        ProjectState::at(&self.0.state)
    }

    fn deps(&self) -> PathBuf {
        self.0.state.join("deps")
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<(String, String), Installation>> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn installation(
    spec: &Spec,
    package: Package,
    folder: String,
    digest: String,
    program: Program,
) -> Installation {
    Installation {
        spec: spec.identity(),
        package,
        folder,
        digest,
        entry: program.entry,
        started_by: program.started_by,
        installed_at: SystemClock.now(),
        seal: String::new(),
    }
}

fn program(folder: &Path, spec: &Spec, package: &Package) -> Result<Program, InstallError> {
    match package.ecosystem {
        Ecosystem::Npm => npm::program(folder, spec),
        _ => pypi::program(folder, spec, package),
    }
}

/// A package comes back from a journal: it must still be one that the launch line asks for, and safe in a path.
fn agrees(spec: &Spec, package: &Package) -> Result<(), InstallError> {
    let other = |what, agreed: &str, found: &str| InstallError::Other {
        package: escape(&package.name).into_owned(),
        what,
        agreed: escape(agreed).into_owned(),
        found: escape(found).into_owned(),
    };
    if package.ecosystem != spec.ecosystem() || package.name != spec.package().name {
        return Err(other("the name", &package.name, &spec.package().name));
    }
    match is_version(&package.version) {
        true => Ok(()),
        false => Err(other("the version", &package.version, "none")),
    }
}

/// How many packages are there so far: only names are looked at.
fn count(stage: &Path) -> u64 {
    let names = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let starts = |path: &Path, start: &str| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
    };
    let modules = names(stage.join("node_modules"));
    let (scopes, plain): (Vec<_>, Vec<_>) = modules.into_iter().partition(|at| starts(at, "@"));
    let plain = plain.iter().filter(|at| !starts(at, ".")).count();
    let scoped: usize = scopes.into_iter().map(|scope| names(scope).len()).sum();
    let libraries = names(stage.join("lib")).into_iter().map(|at| names(at.join("site-packages")));
    let info = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "dist-info");
    let python: usize = libraries.map(|all| all.iter().filter(info).count()).sum();
    (plain + scoped + python) as u64
}

/// Does what may take a while where nobody else waits for it.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, InstallError> + Send + 'static,
) -> Result<T, InstallError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => {
                Err(InstallError::io("wait for", Path::new("a task"), std::io::Error::other(error)))
            }
        },
    }
}

//! Finds out which version a launch line means, and which packages belong to it: from what is
//! pinned, from what was agreed to or installed before, or from a registry, whose answers are
//! remembered.

use super::error::InstallError;
use super::npm;
use super::pypi::{self, PythonTool};
use super::spec::PackageSpec;
use crate::install::installation_store::InstallationStore;
use crate::install::package_tool::Fetching;
use crate::install::package_tool_setup::PackageToolSetup;
use crate::install::resolved_version::{PinnedVersions, ResolvedVersion};
use crate::model::{
    ANY_PLATFORM, Ecosystem, MAX_CLOSURE_PACKAGES, Package, PackageClosure, PinnedPackage,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tracing::debug;

/// Time limit for a registry's answer: it is asked about each of hundreds of packages.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// Lifetime of a remembered answer. A question that is asked again then shows the same version.
const LIFETIME: Duration = Duration::from_secs(10 * 60);

/// The answers of registries, by spec identity.
#[derive(Default)]
pub(super) struct VersionResolver(Mutex<HashMap<String, SharedResolution>>);

/// The first caller does the work while the others wait for the lock.
type SharedResolution = Arc<tokio::sync::Mutex<Option<(Instant, ResolvedVersion)>>>;

/// A launch line to resolve.
#[derive(Clone, Copy)]
pub(super) struct ResolveRequest<'a> {
    pub(super) server: &'a str,
    pub(super) spec: &'a PackageSpec,
    /// The launch line to show.
    pub(super) line: &'a str,
    /// What is pinned for the server.
    pub(super) pinned: Option<&'a PinnedPackage>,
    /// Whether a registry may be asked.
    pub(super) fetching: Fetching,
}

impl VersionResolver {
    /// Returns the package, in one exact version, that a launch line means. Its closure is kept.
    pub(super) async fn resolve(
        &self,
        store: &InstallationStore,
        request: ResolveRequest<'_>,
    ) -> Result<Package, InstallError> {
        let ResolveRequest { server, spec, line, fetching, .. } = request;
        let identity = spec.identity();
        let pinned = request.pinned.filter(|pinned| pinned.spec == identity);
        if let Some(pinned) = pinned {
            let resolved = resolve_pinned(store, request, pinned).await?;
            store.keep(&resolved.closure)?;
            return Ok(resolved.package(server, spec, line));
        }
        // What was agreed to stays, even if it has to be installed again.
        if let Some(agreed) = store.agreed(server, &identity)?
            && store.closure_of(&agreed.package)?.is_some()
        {
            return Ok(Package { install: line.into(), ..agreed.package });
        }
        if fetching == Fetching::Refused
            && let Some((package, _)) = store.cached_package(&identity)?
        {
            return Ok(Package { server: server.into(), install: line.into(), ..package });
        }
        let resolution = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(identity).or_default().clone()
        };
        let mut resolution = resolution.lock().await;
        if let Some((at, resolved)) = &*resolution
            && at.elapsed() < LIFETIME
        {
            return Ok(resolved.package(server, spec, line));
        }
        let resolved = resolve_now(store, spec, None, fetching).await?;
        store.keep(&resolved.closure)?;
        let package = resolved.package(server, spec, line);
        let packages = package.packages;
        debug!(target: "pml::install", server, version = package.version, packages, "package resolved");
        *resolution = Some((Instant::now(), resolved));
        Ok(package)
    }
}

/// Returns the closure of a package that was agreed to. It is resolved again if it is not kept.
///
/// # Errors
/// If it has other packages than were agreed to.
pub(super) async fn closure_of(
    store: &InstallationStore,
    spec: &PackageSpec,
    package: &Package,
    fetching: Fetching,
) -> Result<PackageClosure, InstallError> {
    if let Some(closure) = store.closure_of(package)? {
        return Ok(closure);
    }
    let versions =
        PinnedVersions { version: package.version.clone(), closure: PackageClosure::default() };
    let resolved = resolve_now(store, spec, Some(&versions), fetching).await?;
    let found = store.keep(&resolved.closure)?;
    match &package.closure {
        // A question of an older pml did not name the packages that come with it.
        Some(agreed) if *agreed != found => Err(InstallError::Mismatch {
            package: package.name.clone(),
            what: "the digest of all packages that come with it",
            agreed: agreed.clone(),
            found,
        }),
        _ => Ok(resolved.closure),
    }
}

/// Returns the platform of the closures that fit this machine. For Python it is remembered for some
/// minutes, since an interpreter has to be started for it.
pub(super) async fn platform(
    store: &InstallationStore,
    spec: &PackageSpec,
    fetching: Fetching,
) -> Result<String, InstallError> {
    if spec.ecosystem() == Ecosystem::Npm {
        return Ok(ANY_PLATFORM.into());
    }
    let python = spec.python().unwrap_or_default().to_owned();
    let known = store.known_platforms().get(&python).cloned();
    if let Some((_, label)) = known.filter(|(at, _)| at.elapsed() < LIFETIME) {
        return Ok(label);
    }
    let setup = PackageToolSetup::of(store, fetching)?;
    let written = spec.written();
    let backend = PythonTool::of(&store.environment, spec)?;
    let program = (backend.name(), backend.program());
    let tool = setup.tool(program, "prepare", &written, RESOLVE_TIMEOUT);
    let label = backend.platform(&tool, spec, &setup.home).await?.label();
    store.known_platforms().insert(python, (Instant::now(), label.clone()));
    Ok(label)
}

/// Returns what is pinned. No registry is asked if a closure for this machine is pinned.
async fn resolve_pinned(
    store: &InstallationStore,
    request: ResolveRequest<'_>,
    pinned: &PinnedPackage,
) -> Result<ResolvedVersion, InstallError> {
    let ResolveRequest { spec, fetching, .. } = request;
    let platform = platform(store, spec, fetching).await?;
    let Some(closure) = pinned.closures.get(&platform) else {
        let closure = pinned.closures.values().next().cloned().unwrap_or_default();
        let versions = PinnedVersions { version: pinned.version.clone(), closure };
        let resolved = resolve_now(store, spec, Some(&versions), fetching).await?;
        return check_pinned(spec, pinned, resolved);
    };
    let program_of = pinned.program_of.clone().unwrap_or_else(|| spec.package().name.clone());
    let own = closure.packages.get(&key_of(spec)).map(|package| package.hash.clone());
    let resolved = ResolvedVersion {
        version: pinned.version.clone(),
        size: None,
        source: source(store, spec, fetching).await?,
        integrity: own,
        program_of,
        platform,
        closure: closure.clone(),
    };
    check_pinned(spec, pinned, resolved)
}

/// Checks that a closure has the package that is pinned with it.
fn check_pinned(
    spec: &PackageSpec,
    pinned: &PinnedPackage,
    resolved: ResolvedVersion,
) -> Result<ResolvedVersion, InstallError> {
    let unusable = |reason: &str| InstallError::UnusableClosure {
        package: spec.package().name.clone(),
        reason: reason.into(),
    };
    if pinned.ecosystem != spec.ecosystem() || pinned.name != spec.package().name {
        return Err(unusable("another package is pinned"));
    }
    if !spec.package().accepts(&pinned.version) {
        let version = crate::model::escape(&pinned.version);
        let reason = format!("{version} is pinned, and the launch line names another version");
        return Err(unusable(&reason));
    }
    let mut package = Package::new("", pinned.ecosystem, &pinned.name, &pinned.version, "", "");
    // On another machine, a Python package has another file.
    let comparable = spec.ecosystem() == Ecosystem::Npm;
    package.integrity = pinned.integrity.clone().filter(|_| comparable);
    check_closure(spec, &package, &resolved.closure)?;
    Ok(resolved)
}

/// Returns the name of the package itself in its closure.
fn key_of(spec: &PackageSpec) -> String {
    match spec.ecosystem() {
        Ecosystem::Npm => spec.package().name.clone(),
        _ => pypi::normalize(&spec.package().name),
    }
}

/// Checks that a closure has the package itself in the version that was agreed to, and with its
/// hash.
pub(super) fn check_closure(
    spec: &PackageSpec,
    package: &Package,
    closure: &PackageClosure,
) -> Result<(), InstallError> {
    if closure.len() > MAX_CLOSURE_PACKAGES {
        return Err(InstallError::TooLarge {
            package: package.name.clone(),
            reason: format!("it needs more than {MAX_CLOSURE_PACKAGES} packages"),
        });
    }
    let found = closure.packages.get(&key_of(spec));
    let mismatch = |what, agreed: &str, found: Option<&str>| InstallError::Mismatch {
        package: package.name.clone(),
        what,
        agreed: agreed.into(),
        found: found.unwrap_or("nothing").into(),
    };
    let version = found.map(|found| found.version.as_str());
    if version != Some(&package.version) {
        return Err(mismatch("the version", &package.version, version));
    }
    let hash = found.map(|found| found.hash.as_str());
    match &package.integrity {
        // A version of a Python package has several files, and the hash of any of them counts.
        Some(agreed)
            if !agreed.split(' ').any(|one| Some(one) == hash) && Some(&**agreed) != hash =>
        {
            Err(mismatch("the integrity", agreed, hash))
        }
        _ => Ok(()),
    }
}

/// Returns the host that a pinned package comes from, as far as the settings of the tool say it.
async fn source(
    store: &InstallationStore,
    spec: &PackageSpec,
    fetching: Fetching,
) -> Result<String, InstallError> {
    if spec.ecosystem() != Ecosystem::Npm {
        return Ok("the index in your settings".into());
    }
    let setup = PackageToolSetup::of(store, fetching)?;
    let (program, written) = (npm::find(&store.environment, spec)?, spec.written());
    let tool = setup.tool(("npm", &program), "resolve", &written, RESOLVE_TIMEOUT);
    npm::registry(&tool, spec, &setup.tools).await
}

async fn resolve_now(
    store: &InstallationStore,
    spec: &PackageSpec,
    pinned: Option<&PinnedVersions>,
    fetching: Fetching,
) -> Result<ResolvedVersion, InstallError> {
    let environment = &store.environment;
    let setup = PackageToolSetup::of(store, fetching)?;
    let (home, tools) = (&setup.home, &setup.tools);
    let written = spec.written();
    match spec.ecosystem() {
        Ecosystem::Npm => {
            let program = npm::find(environment, spec)?;
            let tool = setup.tool(("npm", &program), "resolve", &written, RESOLVE_TIMEOUT);
            let version = pinned.map(|pinned| pinned.version.as_str());
            npm::resolve(&tool, spec, version, tools, home).await
        }
        _ => {
            let backend = PythonTool::of(environment, spec)?;
            let program = (backend.name(), backend.program());
            let tool = setup.tool(program, "resolve", &written, RESOLVE_TIMEOUT);
            backend.resolve(&tool, environment, spec, pinned, home).await
        }
    }
}

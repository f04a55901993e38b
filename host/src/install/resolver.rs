//! Asks registries which version a launch line means, and remembers their answers.

use super::error::InstallError;
use super::pypi::PythonTool;
use super::spec::PackageSpec;
use super::{environment, npm};
use crate::install::folders::user_folders;
use crate::install::installation_store::InstallationStore;
use crate::install::package_tool::PackageTool;
use crate::install::resolved_version::ResolvedVersion;
use crate::model::{Ecosystem, Package};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tracing::debug;

/// Time limit for a registry's answer.
const RESOLVE_TIMEOUT: Duration = Duration::from_secs(60);

/// Lifetime of a remembered answer. A question that is asked again then shows the same version.
const LIFETIME: Duration = Duration::from_secs(10 * 60);

/// The answers of registries, by spec identity.
#[derive(Default)]
pub(super) struct VersionResolver(Mutex<HashMap<String, SharedResolution>>);

/// The first caller does the work while the others wait for the lock.
type SharedResolution = Arc<tokio::sync::Mutex<Option<(Instant, ResolvedVersion)>>>;

impl VersionResolver {
    /// Returns the package, in one exact version, that a launch line means.
    pub(super) async fn resolve(
        &self,
        records: &InstallationStore,
        server: &str,
        spec: &PackageSpec,
        line: &str,
    ) -> Result<Package, InstallError> {
        let resolution = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(spec.identity()).or_default().clone()
        };
        let mut resolution = resolution.lock().await;
        if let Some((at, resolved)) = &*resolution
            && at.elapsed() < LIFETIME
        {
            return Ok(resolved.package(server, spec, line));
        }
        let resolved = resolve_now(records, spec).await?;
        let package = resolved.package(server, spec, line);
        debug!(target: "pml::install", server, version = package.version, "package resolved");
        *resolution = Some((Instant::now(), resolved));
        Ok(package)
    }
}

async fn resolve_now(
    records: &InstallationStore,
    spec: &PackageSpec,
) -> Result<ResolvedVersion, InstallError> {
    let environment = &records.environment;
    let (home, tools) = user_folders(environment, &records.state)?;
    let variables = environment::for_fetching(environment);
    let keyless = environment::keyless(environment);
    let written = spec.written();
    let tool = |name, program| PackageTool {
        name,
        program,
        variables: &variables,
        keyless: &keyless,
        folder: &tools,
        doing: "resolve",
        package: &written,
        timeout: RESOLVE_TIMEOUT,
    };
    match spec.ecosystem() {
        Ecosystem::Npm => {
            let program = npm::find(environment, spec)?;
            npm::resolve(&tool("npm", &program), spec, &tools, &home).await
        }
        _ => {
            let backend = PythonTool::of(environment, spec)?;
            let tool = tool(backend.name(), backend.program());
            backend.resolve(&tool, environment, spec, &home).await
        }
    }
}

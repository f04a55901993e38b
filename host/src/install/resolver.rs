//! Asks registries which version is meant, and remembers what they said.

use super::error::InstallError;
use super::place::home;
use super::pypi::Backend;
use super::records::Records;
use super::resolved::Resolved;
use super::spec::Spec;
use super::tool::Tool;
use super::{environment, npm};
use crate::model::{Ecosystem, Package};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tracing::debug;

/// How long a registry may take to say which version is meant.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a resolution is remembered: a question that is asked again shows the same version.
const REMEMBERED: Duration = Duration::from_secs(10 * 60);

/// What registries said, by what was asked for.
#[derive(Default)]
pub(super) struct Resolver(Mutex<HashMap<String, Resolution>>);

/// Whoever asks first does the work while the others wait.
type Resolution = Arc<tokio::sync::Mutex<Option<(Instant, Resolved)>>>;

impl Resolver {
    /// Returns the package of one exact version that a launch line means.
    pub(super) async fn resolve(
        &self,
        records: &Records,
        server: &str,
        spec: &Spec,
        line: &str,
    ) -> Result<Package, InstallError> {
        let resolution = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(spec.identity()).or_default().clone()
        };
        let mut resolution = resolution.lock().await;
        if let Some((at, resolved)) = &*resolution
            && at.elapsed() < REMEMBERED
        {
            return Ok(resolved.package(server, spec, line));
        }
        let resolved = ask(records, spec).await?;
        let package = resolved.package(server, spec, line);
        debug!(target: "pml::install", server, version = package.version, "package resolved");
        *resolution = Some((Instant::now(), resolved));
        Ok(package)
    }
}

async fn ask(records: &Records, spec: &Spec) -> Result<Resolved, InstallError> {
    let environment = &records.environment;
    let (home, tools) = home(environment, &records.state)?;
    let variables = environment::fetching(environment);
    let keyless = environment::keyless(environment);
    let written = spec.written();
    let tool = |name, program| Tool {
        name,
        program,
        variables: &variables,
        keyless: &keyless,
        folder: &tools,
        doing: "resolve",
        package: &written,
        patience: PATIENCE,
    };
    match spec.ecosystem() {
        Ecosystem::Npm => {
            let program = npm::find(environment, spec)?;
            npm::resolve(&tool("npm", &program), spec, &tools, &home).await
        }
        _ => {
            let backend = Backend::of(environment, spec)?;
            let tool = tool(backend.name(), backend.program());
            backend.resolve(&tool, environment, spec, &home).await
        }
    }
}

//! Records about servers: schemas, definitions, shapes of results, and their use.

use super::usage::ServerUsageRecorder;
use super::validator_cache::ValidatorCache;
use crate::catalog::ObservedResults;
use crate::model::{CallError, Definition, Difference, ToolOrigin, differences_of};
use crate::project::Project;
use crate::store::Definitions;
use crate::upstream::ListedTool;
use serde_json::Value;
use std::path::PathBuf;

/// Number of digits of a digest that are shown.
const DIGITS: usize = 12;

/// Records about servers. If nothing may be written, only schemas are stored, in memory.
#[derive(Default)]
pub(crate) struct ServerRecords {
    validators: ValidatorCache,
    observed: Option<ObservedResults>,
    /// Definitions of tools, so that a person can be shown how a tool has changed.
    definitions: Option<Definitions>,
    usage: Option<ServerUsageRecorder>,
}

impl ServerRecords {
    /// Returns the records about the servers of a project, stored in `folder`.
    pub(super) fn in_folder(project: &Project, folder: PathBuf) -> ServerRecords {
        ServerRecords {
            validators: ValidatorCache::default(),
            definitions: Some(Definitions::open(&folder)),
            observed: Some(ObservedResults::open(folder)),
            usage: Some(ServerUsageRecorder::of(project)),
        }
    }

    /// Checks arguments against the schema of their tool.
    pub(crate) fn check(&self, tool: &ListedTool, arguments: &Value) -> Result<(), CallError> {
        self.validators.check(tool, arguments)
    }

    /// Returns the observed shapes of results, if they are stored.
    pub(crate) fn observed(&self) -> Option<&ObservedResults> {
        self.observed.as_ref()
    }

    /// Records that a server was used.
    pub(super) fn record_use(&self, server: &str) {
        if let Some(usage) = &self.usage {
            usage.note(server);
        }
    }

    /// Writes the observed shapes of results.
    pub(super) fn save_observations(&self) {
        if let Some(observed) = &self.observed {
            // They are only a convenience: shapes that cannot be stored are observed again.
            let _ = observed.flush();
        }
    }

    /// Stores the definition of a tool, on another thread and once per process.
    pub(crate) fn store_definition(&self, tool: &ListedTool) {
        let Some(definitions) = &self.definitions else { return };
        let (digest, definition) = (tool.origin.definition.clone(), tool.definition.clone());
        if definitions.has_stored(&digest) {
            return;
        }
        let definitions = definitions.clone();
        tokio::task::spawn_blocking(move || {
            // Without it a person is still asked, but sees less.
            let _ = definitions.store(&digest, &definition);
        });
    }

    /// Stores a definition that somebody is about to agree to.
    pub(super) fn store_agreed(&self, digest: &str, definition: &Definition) {
        if let Some(definitions) = &self.definitions {
            // Without it a later difference is shown with fewer details.
            let _ = definitions.store(digest, definition);
        }
    }

    /// Returns how a definition differs from an earlier one, or `None` if that is not stored.
    pub(super) fn definition_differences(
        &self,
        before: &str,
        now: &Definition,
    ) -> Option<Vec<Difference>> {
        let before = self.definitions.as_ref()?.get(before)?;
        Some(differences_of(&before, now))
    }

    /// Returns how a tool differs from its earlier version. `listed` is the tool in its server's
    /// current listing, and `launch_line` is the server's launch line or URL; both if they are
    /// known.
    pub(super) fn differences(
        &self,
        before: &ToolOrigin,
        now: &ToolOrigin,
        listed: Option<&ListedTool>,
        launch_line: impl FnOnce() -> Option<String>,
    ) -> Vec<Difference> {
        let mut changes = Vec::new();
        if before.server != now.server {
            let line = launch_line().unwrap_or_default();
            changes.push(Difference::new(
                "server",
                Some(format!(
                    "another launch line or URL, digest {}",
                    short_digest(&before.server)
                )),
                Some(format!("{line}, digest {}", short_digest(&now.server))),
            ));
        }
        if before.package != now.package {
            let digest = |origin: &ToolOrigin| {
                Some(format!("digest {}", short_digest(origin.package.as_deref()?)))
            };
            changes.push(Difference::new("package", digest(before), digest(now)));
        }
        if before.definition == now.definition {
            return changes;
        }
        let known = self.definitions.as_ref().and_then(|all| all.get(&before.definition));
        match (known, listed) {
            (Some(was), Some(is)) => changes.extend(differences_of(&was, &is.definition)),
            // The earlier version is not stored: only the current one is shown.
            (_, is) => changes.push(Difference::new(
                "definition",
                Some(format!("not kept, digest {}", short_digest(&before.definition))),
                Some(format!(
                    "{} (digest {})",
                    is.map_or("", |is| is.definition.description.as_str()),
                    short_digest(&now.definition)
                )),
            )),
        }
        changes
    }
}

fn short_digest(digest: &str) -> String {
    digest.chars().take(DIGITS).collect()
}

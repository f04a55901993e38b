//! What is recorded of servers: schemas, definitions, shapes of results, and which were used.

use super::usage::ServerUsageRecorder;
use super::validator_cache::ValidatorCache;
use crate::catalog::ObservedResults;
use crate::model::{CallError, Difference, ToolOrigin, differences_of};
use crate::project::Project;
use crate::store::Definitions;
use crate::upstream::ListedTool;
use serde_json::Value;
use std::path::PathBuf;

/// How much of a digest tells it from others.
const DIGITS: usize = 12;

/// What is recorded of servers. Only the schemas are, where nothing may be written.
#[derive(Default)]
pub(crate) struct ServerRecords {
    validators: ValidatorCache,
    observed: Option<ObservedResults>,
    /// What tools said of themselves, so that a person can be shown how one has changed.
    definitions: Option<Definitions>,
    usage: Option<ServerUsageRecorder>,
}

impl ServerRecords {
    /// Returns records of the servers of a project, kept in `folder`.
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

    /// Returns the shapes of results that were seen, where they are kept.
    pub(crate) fn observed(&self) -> Option<&ObservedResults> {
        self.observed.as_ref()
    }

    /// Notes that a server was used.
    pub(super) fn note_use(&self, server: &str) {
        if let Some(usage) = &self.usage {
            usage.note(server);
        }
    }

    /// Writes down the shapes of results.
    pub(super) fn save_observations(&self) {
        if let Some(observed) = &self.observed {
            // It is only a convenience: what cannot be kept is observed again.
            let _ = observed.flush();
        }
    }

    /// Keeps what a tool says of itself, on another thread and once a process.
    pub(crate) fn keep_definition(&self, tool: &ListedTool) {
        let Some(definitions) = &self.definitions else { return };
        let (digest, definition) = (tool.origin.definition.clone(), tool.definition.clone());
        if definitions.has_kept(&digest) {
            return;
        }
        let definitions = definitions.clone();
        tokio::task::spawn_blocking(move || {
            // Without it a person is asked all the same, and sees less.
            let _ = definitions.keep(&digest, &definition);
        });
    }

    /// Returns how a tool differs from what it was. `listed` is the tool as its server lists it
    /// now, `launch_line` how that server is started or reached; both if they are known.
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
                Some(format!("another launch line or URL, digest {}", short(&before.server))),
                Some(format!("{line}, digest {}", short(&now.server))),
            ));
        }
        if before.package != now.package {
            let digest =
                |origin: &ToolOrigin| Some(format!("digest {}", short(origin.package.as_deref()?)));
            changes.push(Difference::new("package", digest(before), digest(now)));
        }
        if before.definition == now.definition {
            return changes;
        }
        let known = self.definitions.as_ref().and_then(|all| all.get(&before.definition));
        match (known, listed) {
            (Some(was), Some(is)) => changes.extend(differences_of(&was, &is.definition)),
            // What it was is gone: what it is must do.
            (_, is) => changes.push(Difference::new(
                "definition",
                Some(format!("not kept, digest {}", short(&before.definition))),
                Some(format!(
                    "{} (digest {})",
                    is.map_or("", |is| is.definition.description.as_str()),
                    short(&now.definition)
                )),
            )),
        }
        changes
    }
}

fn short(digest: &str) -> String {
    digest.chars().take(DIGITS).collect()
}

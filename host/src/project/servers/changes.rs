//! What a tool was, kept so that a person can be shown how it has changed.

use super::Servers;
use super::usage::shown;
use crate::config::Launch;
use crate::model::{Difference, ToolName, ToolOrigin, differences_of};
use crate::upstream::ListedTool;

/// How much of a digest tells it from others.
const DIGITS: usize = 12;

impl Servers {
    /// Keeps what a tool says of itself, aside and once a process.
    pub(crate) fn keep_definition(&self, tool: &ListedTool) {
        let Some(definitions) = &self.0.definitions else { return };
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

    /// Returns how a tool differs from what it was. `server` is the server that it is called at, if
    /// it is one of these.
    pub(crate) fn changes(
        &self,
        server: Option<&str>,
        tool: &ToolName,
        before: &ToolOrigin,
        now: &ToolOrigin,
    ) -> Vec<Difference> {
        let mut changes = Vec::new();
        if before.server != now.server {
            let line = server.and_then(|server| self.launch_line(server)).unwrap_or_default();
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
        let known = self.0.definitions.as_ref().and_then(|all| all.get(&before.definition));
        let is = server.and_then(|server| self.0.upstreams.listed(server));
        let is = is.as_ref().and_then(|listing| listing.get(tool.tool()));
        match (known, is) {
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

    /// The launch line or URL of a server, without keys.
    fn launch_line(&self, server: &str) -> Option<String> {
        if let Some(project) = self.project()
            && let Some(declared) = project.declared_server(server)
        {
            return Some(shown(&declared.launch));
        }
        match self.0.upstreams.config(server)?.launch {
            Launch::Stdio { command, .. } => Some(command),
            Launch::Http { .. } => None,
        }
    }
}

fn short(digest: &str) -> String {
    digest.chars().take(DIGITS).collect()
}

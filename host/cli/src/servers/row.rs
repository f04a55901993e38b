//! One server: what the project's files say of it, and what it says itself.

use crate::project_context::ProjectContext;
use pml::json::{Value, json};
use pml::{
    Servers,
    project::{Launch, PackageState, ServerState, ServerStatus},
    text::milliseconds,
};

/// A server of the project, whether it can be used or not.
pub(crate) struct ServerRow {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) health: ServerHealth,
    /// What it says itself, now or when it last ran.
    pub(crate) status: Option<ServerStatus>,
}

/// How a server is, for people.
#[derive(Debug, PartialEq)]
pub(crate) enum ServerHealth {
    /// It does not run, and nobody has tried.
    NotStarted,
    /// It answers.
    Answers,
    /// It does not.
    Failed(String),
    /// Variables that it declares are not set.
    Missing(Vec<String>),
    /// The package that it is started from is not installed, or is not what was installed.
    NotInstalled(String),
    /// It is declared in a way that it cannot be started.
    Unusable(String),
    /// Nobody has trusted the file that declares it.
    Untrusted,
}

/// Returns all servers, in the order in which they are declared.
pub(crate) async fn rows(workplace: &ProjectContext) -> Vec<ServerRow> {
    let project = &workplace.project;
    let mut known = workplace.servers.status();
    let row = |declared: &pml::project::DeclaredServer| {
        let name = declared.name.clone();
        let at = known.iter().position(|status| status.name == name);
        let status = at.map(|at| known.swap_remove(at));
        let config = project.servers.iter().find(|server| server.name == name);
        let kind = match config.map(|config| &config.launch) {
            Some(Launch::Http { .. }) => "http",
            Some(_) => "stdio",
            None if declared.launch.contains("://") => "http",
            None => "stdio",
        };
        let unusable = project.unusable.iter().find(|server| server.name == name);
        let health = match (&status, unusable) {
            (Some(status), _) => health(&status.state),
            (None, Some(unusable)) => ServerHealth::Unusable(unusable.reason.clone()),
            (None, None) => ServerHealth::Untrusted,
        };
        ServerRow { name, kind, health, status }
    };
    let mut rows: Vec<ServerRow> = project.declared.servers.iter().map(row).collect();
    for row in &mut rows {
        // One that answers is there; of one that is not trusted nothing is looked at.
        if matches!(row.health, ServerHealth::NotStarted | ServerHealth::Failed(_))
            && let Some(package) = uninstalled(&workplace.servers, &row.name).await
        {
            row.health = ServerHealth::NotInstalled(package);
        }
    }
    rows
}

/// Returns the package that a server lacks, if it does. No registry is asked.
pub(crate) async fn uninstalled(servers: &Servers, name: &str) -> Option<String> {
    match servers.package(name).await {
        PackageState::Missing { package } => Some(package),
        PackageState::Changed { package } => Some(format!("{package}, what is there has changed")),
        _ => None,
    }
}

fn health(state: &ServerState) -> ServerHealth {
    match state {
        ServerState::Running => ServerHealth::Answers,
        ServerState::Failed { reason } | ServerState::BackingOff { reason, .. } => {
            ServerHealth::Failed(reason.clone())
        }
        ServerState::Starting => ServerHealth::Failed("it is still starting".into()),
        ServerState::Missing { variables } => ServerHealth::Missing(variables.clone()),
        _ => ServerHealth::NotStarted,
    }
}

impl ServerRow {
    /// Returns whether it is not among those that can be started at all.
    pub(super) fn is_declared_only(&self) -> bool {
        matches!(self.health, ServerHealth::Unusable(_) | ServerHealth::Untrusted)
    }

    pub(super) fn is_untrusted(&self) -> bool {
        self.health == ServerHealth::Untrusted
    }

    pub(super) fn has_failed(&self) -> bool {
        matches!(
            self.health,
            ServerHealth::Failed(_) | ServerHealth::Missing(_) | ServerHealth::NotInstalled(_)
        )
    }

    /// Returns whether what it says of itself is from an earlier start.
    pub(super) fn is_remembered(&self) -> bool {
        self.health != ServerHealth::Answers
            && self.status.as_ref().is_some_and(|status| status.era.is_some())
    }

    /// Returns what is wrong with it, in words.
    pub(super) fn reason(&self) -> Option<&str> {
        match &self.health {
            ServerHealth::Failed(reason) | ServerHealth::Unusable(reason) => Some(reason),
            _ => None,
        }
    }

    pub(super) fn json(&self) -> Value {
        let state = match &self.health {
            ServerHealth::NotStarted => "not_started",
            ServerHealth::Answers => "ok",
            ServerHealth::Failed(_) => "failed",
            ServerHealth::Missing(_) => "missing_variables",
            ServerHealth::NotInstalled(_) => "not_installed",
            ServerHealth::Unusable(_) => "unusable",
            ServerHealth::Untrusted => "not_trusted",
        };
        let mut value = json!({ "name": self.name, "kind": self.kind, "state": state });
        if let Some(reason) = self.reason() {
            value["reason"] = reason.into();
        }
        if let ServerHealth::NotInstalled(package) = &self.health {
            value["package"] = package.as_str().into();
        }
        if let ServerHealth::Missing(variables) = &self.health {
            value["variables"] = json!(variables);
        }
        let Some(status) = &self.status else { return value };
        value["remembered"] = self.is_remembered().into();
        value["era"] = json!(status.era);
        value["protocol"] = json!(status.protocol);
        value["title"] = json!(status.title);
        value["version"] = json!(status.version);
        value["tools"] = json!(status.tools);
        value["left_out"] = json!(status.left_out);
        value["start_ms"] = json!(status.started_in.map(milliseconds));
        value["memory_bytes"] = json!(status.memory);
        value["stderr"] = json!(status.stderr);
        value["noise_lines"] = json!(status.noise);
        value
    }
}

//! One server: its declaration in the project's files, and the status that it reports itself.

use crate::present_fields::present_fields;
use crate::project_context::ProjectContext;
use pml::json::{Value, json};
use pml::{
    Servers,
    project::{Launch, PackageState, ServerState, ServerStatus, UnusableCause, UnusableServer},
    text::milliseconds,
};

/// A declared server of the project, usable or not.
pub(crate) struct ServerRow {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) health: ServerHealth,
    /// The status that it reports, from now or from its last start.
    pub(crate) status: Option<ServerStatus>,
    /// What it is started from, if that is a package that is installed.
    pub(crate) installed: Option<InstalledPackages>,
}

/// The packages that are installed for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InstalledPackages {
    /// How many they are.
    pub(super) count: u64,
    /// The size of all their files, in bytes.
    pub(super) size: u64,
}

/// The state of a server, as people are shown it.
#[derive(Debug, PartialEq)]
pub(crate) enum ServerHealth {
    /// It was not started.
    NotStarted,
    /// It answers.
    Answers,
    /// It was started and does not answer.
    Failed(String),
    /// Variables that it needs are not set.
    Missing(Vec<String>),
    /// Its package is not installed, or has changed since it was installed.
    NotInstalled(String),
    /// Its declaration is such that it cannot be started.
    Unusable(UnusableState),
    /// The file that declares it is not trusted.
    Untrusted,
}

/// Why a server cannot be started as it is declared.
#[derive(Debug, PartialEq)]
pub(crate) struct UnusableState {
    pub(crate) reason: String,
    pub(crate) hint: Option<String>,
    pub(crate) cause: UnusableCause,
}

/// Returns all declared servers, in the order of their declaration.
pub(crate) async fn rows(context: &ProjectContext) -> Vec<ServerRow> {
    let project = &context.project;
    let mut known = context.servers.status();
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
            (None, Some(UnusableServer { reason, cause, .. })) => {
                let (reason, cause) = (reason.clone(), *cause);
                ServerHealth::Unusable(UnusableState { reason, hint: None, cause })
            }
            (None, None) => ServerHealth::Untrusted,
        };
        ServerRow { name, kind, health, status, installed: None }
    };
    let mut rows: Vec<ServerRow> = project.declared.servers.iter().map(row).collect();
    for row in &mut rows {
        // The package of a server that is unusable or untrusted is not checked.
        let checked = matches!(row.health, ServerHealth::NotStarted | ServerHealth::Failed(_));
        if !checked && row.health != ServerHealth::Answers {
            continue;
        }
        let state = context.servers.package_state(&row.name).await;
        if let PackageState::Installed { packages, size } = state {
            row.installed = Some(InstalledPackages { count: packages, size });
        }
        if let Some(health) = package_problem(state).filter(|_| checked) {
            row.health = health;
        }
    }
    rows
}

/// Returns why a server cannot be started from its package, or `None` if it can.
fn package_problem(state: PackageState) -> Option<ServerHealth> {
    match state {
        PackageState::Missing { package, .. } => Some(ServerHealth::NotInstalled(package)),
        PackageState::Changed { package } => {
            let package = format!("{package} has changed since it was installed");
            Some(ServerHealth::NotInstalled(package))
        }
        PackageState::Unusable { reason, hint } => {
            let cause = UnusableCause::Mistake;
            Some(ServerHealth::Unusable(UnusableState { reason, hint, cause }))
        }
        _ => None,
    }
}

/// Returns the package that a server lacks, or `None`. Asks no registry.
pub(crate) async fn missing_package(servers: &Servers, name: &str) -> Option<String> {
    match package_problem(servers.package_state(name).await) {
        Some(ServerHealth::NotInstalled(package)) => Some(package),
        _ => None,
    }
}

fn health(state: &ServerState) -> ServerHealth {
    match state {
        ServerState::Running => ServerHealth::Answers,
        ServerState::Failed { reason } | ServerState::BackingOff { reason, .. } => {
            ServerHealth::Failed(reason.clone())
        }
        ServerState::Starting => ServerHealth::Failed("it did not answer yet".into()),
        ServerState::Missing { variables } => ServerHealth::Missing(variables.clone()),
        _ => ServerHealth::NotStarted,
    }
}

impl ServerRow {
    /// Reports whether it can never be started as it is: unusable or untrusted.
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

    /// Reports whether its status is from an earlier start.
    pub(super) fn is_remembered(&self) -> bool {
        self.health != ServerHealth::Answers
            && self.status.as_ref().is_some_and(|status| status.era.is_some())
    }

    /// Returns why it failed or is unusable, if it is.
    pub(super) fn reason(&self) -> Option<&str> {
        match &self.health {
            ServerHealth::Failed(reason) => Some(reason),
            ServerHealth::Unusable(state) => Some(&state.reason),
            _ => None,
        }
    }

    /// Returns what to do about a server that is unusable, if pml knows it.
    pub(super) fn hint(&self) -> Option<&str> {
        match &self.health {
            ServerHealth::Unusable(state) => state.hint.as_deref(),
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
        if let Some(hint) = self.hint() {
            value["hint"] = hint.into();
        }
        if let ServerHealth::NotInstalled(package) = &self.health {
            value["package"] = package.as_str().into();
        }
        if let Some(installed) = self.installed {
            value["installed"] =
                json!({ "packages": installed.count, "size_bytes": installed.size });
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
        value["tools"] = json!(status.tool_count);
        value["left_out"] = json!(status.skipped_tools);
        value["start_ms"] = json!(status.startup_time.map(milliseconds));
        value["memory_bytes"] = json!(status.memory);
        value["stderr"] = json!(status.stderr);
        value["noise_lines"] = json!(status.noise_lines);
        present_fields(value)
    }
}

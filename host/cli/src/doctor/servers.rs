//! Checks the servers: they can be started and, with `--start`, they answer.

use super::check::DoctorCheck;
use super::launch::unpinned;
use crate::moment::format_span;
use crate::project_context::ProjectContext;
use crate::quantity::counted;
use crate::servers::{ServerHealth, missing_package, rows};
use crate::trust::one_line;
use pml::{
    Environment, Project, Secret,
    project::{Launch, ServerConfig},
    text::escape,
};
use std::path::Path;
use url::Url;

const AREA: &str = "servers";

/// Number of stderr lines that are shown.
const STDERR: usize = 5;

/// Checks the declarations of the servers.
pub(super) fn check_declarations(project: &Project, environment: &Environment) -> Vec<DoctorCheck> {
    let mut checks: Vec<DoctorCheck> =
        project.servers.iter().flat_map(|server| check_server(server, environment)).collect();
    for server in &project.unusable {
        let (name, reason) = (escape(&server.name), escape(&server.reason));
        checks.push(DoctorCheck::warning(AREA, format!("`{name}` cannot be used: {reason}")));
    }
    if project.declared.servers.is_empty() {
        checks.push(
            DoctorCheck::note(AREA, "no server is configured")
                .hint("`pml add` adds one, `pml import` those of other clients"),
        );
    }
    checks
}

fn check_server(server: &ServerConfig, environment: &Environment) -> Vec<DoctorCheck> {
    let name = escape(&server.name);
    if !server.missing.is_empty() {
        return vec![missing_variables(&server.name, &server.missing)];
    }
    match &server.launch {
        Launch::Stdio { command, arguments, environment: given, folder } => {
            let mut checks = vec![check_program(&name, command, folder, given, environment)];
            if let Some(package) = unpinned(command, arguments) {
                let package = one_line(package);
                checks.push(
                    DoctorCheck::note(
                        AREA,
                        format!("`{name}` runs whatever `{package}` is newest"),
                    )
                    .hint("name a version, so that it changes only when you say so"),
                );
            }
            checks
        }
        Launch::Http { url, .. } => vec![check_url(&name, url)],
    }
}

fn missing_variables(name: &str, variables: &[String]) -> DoctorCheck {
    let variables = escape(&variables.join("`, `")).into_owned();
    DoctorCheck::failure(AREA, format!("`{}` needs `{variables}`, which is not set", escape(name)))
        .hint("set it in the environment or in the project's `.env`")
}

fn check_program(
    name: &str,
    command: &str,
    folder: &Path,
    given: &[(String, Secret)],
    environment: &Environment,
) -> DoctorCheck {
    if !folder.is_dir() {
        let folder = one_line(&folder.to_string_lossy());
        return DoctorCheck::failure(
            AREA,
            format!("the folder of `{name}` is not there: {folder}"),
        );
    }
    let path = given.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.reveal());
    match environment.program(command, folder, path) {
        Some(file) => {
            let file = one_line(&file.to_string_lossy());
            DoctorCheck::fine(AREA, format!("`{name}` can be started: {file}"))
        }
        None => DoctorCheck::failure(
            AREA,
            format!("`{name}`: there is no program `{}`", one_line(command)),
        )
        .hint("install it, or name it with its folder"),
    }
}

/// Checks the URL of a remote server. Only its host is shown, because the rest may hold keys.
fn check_url(name: &str, url: &str) -> DoctorCheck {
    let Ok(url) = Url::parse(url) else {
        return DoctorCheck::failure(AREA, format!("`{name}` has no valid URL"));
    };
    let host = escape(url.host_str().unwrap_or_default()).into_owned();
    let local = ["localhost", "127.0.0.1", "[::1]"].contains(&&*host);
    match url.scheme() {
        "http" if !local => {
            DoctorCheck::warning(AREA, format!("`{name}` is reached without encryption: {host}"))
                .hint("use `https://`")
        }
        _ => DoctorCheck::fine(AREA, format!("`{name}` is remote: {host}")),
    }
}

/// Returns a note for each server whose package is not installed.
pub(super) async fn check_packages(context: &ProjectContext) -> Vec<DoctorCheck> {
    let mut checks = Vec::new();
    for server in &context.project.servers {
        if let Some(package) = missing_package(&context.servers, &server.name).await {
            checks.push(not_installed_note(&server.name, &package));
        }
    }
    checks
}

fn not_installed_note(name: &str, package: &str) -> DoctorCheck {
    let (name, package) = (one_line(name), one_line(package));
    DoctorCheck::note(AREA, format!("`{name}` is not installed: {package}"))
        .hint(format!("`pml install {name}` installs it, or you are asked at its first call"))
}

/// Returns the state of each server after starting them.
pub(super) async fn check_started(context: &ProjectContext) -> Vec<DoctorCheck> {
    let check = |row: crate::servers::ServerRow| {
        let name = escape(&row.name);
        let status = row.status.as_ref();
        match &row.health {
            ServerHealth::Answers => {
                let tools = status.and_then(|status| status.tool_count).unwrap_or_default();
                let took = status.and_then(|status| status.startup_time).map(format_span);
                let took = took.map(|took| format!(", in {took}")).unwrap_or_default();
                let tools = counted(tools as u64, "tool");
                DoctorCheck::fine(AREA, format!("`{name}` answers: {tools}{took}"))
            }
            ServerHealth::Failed(reason) => {
                let mut what = format!("`{name}` does not answer: {}", one_line(reason));
                let stderr = status.map(|status| status.stderr.as_slice()).unwrap_or_default();
                for line in &stderr[stderr.len().saturating_sub(STDERR)..] {
                    what += &format!("\n│ {}", one_line(line));
                }
                DoctorCheck::failure(AREA, what)
            }
            ServerHealth::NotInstalled(package) => not_installed_note(&row.name, package),
            ServerHealth::Missing(variables) => missing_variables(&row.name, variables),
            ServerHealth::Unusable(reason) => {
                DoctorCheck::warning(AREA, format!("`{name}` cannot be used: {}", one_line(reason)))
            }
            ServerHealth::NotStarted | ServerHealth::Untrusted => {
                DoctorCheck::note(AREA, format!("`{name}` was not started"))
            }
        }
    };
    rows(context).await.into_iter().map(check).collect()
}

//! Checks the servers: they can be started and, with `--start`, they answer.

use super::check::DoctorCheck;
use super::launch::{fetched_anew, missing_script};
use crate::moment::format_span;
use crate::project_context::ProjectContext;
use crate::quantity::{counted, size};
use crate::servers::{ServerHealth, UnusableState, rows};
use crate::trust::one_line;
use pml::{
    Environment, Project, Secret,
    project::{Launch, PackageState, RequestedVersion, ServerConfig, UnusableCause},
    text::escape,
};
use std::path::Path;
use url::{Host, Url};

const AREA: &str = "servers";

/// Number of stderr lines that are shown.
const STDERR: usize = 5;

/// Checks the declarations of the servers, by the rules by which they are started.
pub(super) async fn check_declarations(
    context: &ProjectContext,
    environment: &Environment,
) -> Vec<DoctorCheck> {
    let project = &context.project;
    let mut checks = Vec::new();
    for server in &project.servers {
        let package = context.servers.package_state(&server.name).await;
        checks.extend(check_server(server, package, environment));
    }
    for server in &project.unusable {
        checks.push(unusable(&server.name, &server.reason, server.cause));
    }
    checks.extend(none_configured(project));
    checks
}

/// Describes a server that cannot be used. Its user may have wanted it so.
fn unusable(name: &str, reason: &str, cause: UnusableCause) -> DoctorCheck {
    let message = format!("`{}` cannot be used: {}", escape(name), one_line(reason));
    match cause {
        UnusableCause::Disabled | UnusableCause::PmlItself => DoctorCheck::warning(AREA, message),
        _ => DoctorCheck::failure(AREA, message),
    }
}

fn none_configured(project: &Project) -> Option<DoctorCheck> {
    project.declared.servers.is_empty().then(|| {
        DoctorCheck::note(AREA, "no server is configured")
            .hint("`pml add` adds one, `pml import` imports those of other clients")
    })
}

fn check_server(
    server: &ServerConfig,
    package: PackageState,
    environment: &Environment,
) -> Vec<DoctorCheck> {
    let name = escape(&server.name);
    if !server.missing.is_empty() {
        return vec![missing_variables(&server.name, &server.missing)];
    }
    let (command, arguments, given, folder) = match &server.launch {
        Launch::Http { url, headers } => return vec![check_url(&name, url, headers)],
        Launch::Stdio { command, arguments, environment, folder } => {
            (command, arguments, environment, folder)
        }
    };
    if !folder.is_dir() {
        let folder = one_line(&folder.to_string_lossy());
        let message = format!("`{name}` cannot be started: its folder does not exist: {folder}");
        return vec![DoctorCheck::failure(AREA, message).hint("correct `cwd` of the server")];
    }
    match package {
        PackageState::Unusable { reason, hint } => {
            let message = format!("`{name}` cannot be started: {}", one_line(&reason));
            let check = DoctorCheck::failure(AREA, message);
            vec![match hint {
                Some(hint) => check.hint(escape(&hint)),
                None => check,
            }]
        }
        PackageState::Missing { package, version } => {
            vec![not_installed_note(&server.name, &package, Some(version))]
        }
        PackageState::Changed { package } => {
            let package = one_line(&package);
            let message =
                format!("the package of `{name}` has changed since it was installed: {package}");
            let hint = format!(
                "`pml install {name}` installs it again, or you are asked at its first call"
            );
            vec![DoctorCheck::warning(AREA, message).hint(hint)]
        }
        PackageState::Installed { packages, size: bytes } => {
            let (packages, bytes) = (counted(packages, "package"), size(bytes));
            let message =
                format!("`{name}` is installed and unchanged: {packages}, {bytes} together");
            vec![DoctorCheck::fine(AREA, message)]
        }
        _ => {
            if let Some(script) = missing_script(command, arguments, folder) {
                let script = one_line(script);
                let message = format!("`{name}` names `{script}`, which does not exist");
                let hint = format!("correct `args` of `{name}`, or write the file");
                return vec![DoctorCheck::failure(AREA, message).hint(hint)];
            }
            let mut checks = vec![check_program(&name, command, folder, given, environment)];
            if let Some(package) = fetched_anew(command, arguments) {
                let package = one_line(package);
                let message =
                    format!("`{name}` fetches the newest `{package}` each time it starts");
                let hint = "name an exact version, as in `some-server@1.2.3`, so that it changes only when you say so";
                checks.push(DoctorCheck::note(AREA, message).hint(hint));
            }
            checks
        }
    }
}

fn missing_variables(name: &str, variables: &[String]) -> DoctorCheck {
    let variables = escape(&variables.join("`, `")).into_owned();
    DoctorCheck::failure(AREA, format!("`{}` needs `{variables}`, which is not set", escape(name)))
        .hint("set it in the environment, or in the `.env` of the project")
}

fn check_program(
    name: &str,
    command: &str,
    folder: &Path,
    given: &[(String, Secret)],
    environment: &Environment,
) -> DoctorCheck {
    let path = given.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.reveal());
    match environment.program(command, folder, path) {
        Some(file) => {
            let file = one_line(&file.to_string_lossy());
            DoctorCheck::fine(AREA, format!("`{name}` can be started: {file}"))
        }
        None => DoctorCheck::failure(
            AREA,
            format!("`{name}` cannot be started: there is no program `{}`", one_line(command)),
        )
        .hint("install it, or write its full path as the `command`"),
    }
}

/// Checks the URL of a remote server. Only its host is shown, because the rest may hold keys.
fn check_url(name: &str, url: &str, headers: &[(String, Secret)]) -> DoctorCheck {
    let Ok(url) = Url::parse(url) else {
        return DoctorCheck::failure(AREA, format!("the URL of `{name}` is not valid"));
    };
    let host = escape(url.host_str().unwrap_or_default()).into_owned();
    let local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    let keyed = !headers.is_empty() || !url.username().is_empty() || url.password().is_some();
    match url.scheme() {
        "http" if !local && keyed => DoctorCheck::failure(
            AREA,
            format!("`{name}` cannot be used: its keys would go to {host} without encryption"),
        )
        .hint("use `https://`"),
        "http" if !local => {
            DoctorCheck::warning(AREA, format!("`{name}` is not encrypted: {host}"))
                .hint("use `https://`")
        }
        _ => DoctorCheck::fine(AREA, format!("`{name}` is a remote server: {host}")),
    }
}

fn not_installed_note(name: &str, package: &str, version: Option<RequestedVersion>) -> DoctorCheck {
    let (name, package) = (one_line(name), one_line(package));
    let newest = match version {
        Some(RequestedVersion::Newest) => ", the newest version that fits",
        _ => "",
    };
    DoctorCheck::note(AREA, format!("`{name}` is not installed: {package}{newest}"))
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
            ServerHealth::NotInstalled(package) => not_installed_note(&row.name, package, None),
            ServerHealth::Missing(variables) => missing_variables(&row.name, variables),
            ServerHealth::Unusable(UnusableState { reason, hint, cause }) => {
                let check = unusable(&row.name, reason, *cause);
                match hint {
                    Some(hint) => check.hint(escape(hint)),
                    None => check,
                }
            }
            ServerHealth::NotStarted | ServerHealth::Untrusted => {
                DoctorCheck::note(AREA, format!("`{name}` was not started"))
            }
        }
    };
    let checks = rows(context).await.into_iter().map(check);
    checks.chain(none_configured(&context.project)).collect()
}

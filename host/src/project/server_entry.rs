//! A server of a project file, interpreted but not expanded: shown to a person before they trust
//! it.
//!
//! Input: a [`RawServer`]. Output: a [`ServerEntry`] and, for a trusted project, a
//! [`ServerConfig`].
//!
//! **Invariant:** creating an entry reads no variable.

use super::document::Document;
use super::expand::{ExpansionReport, Template};
use super::fields::{LocatedText, Scalar, shown};
use super::manifest::{LaunchLine, launch_line};
use super::parts::{DeclaredServer, UnusableCause, UnusableServer};
use super::raw_server::RawServer;
use super::variables::ExpansionVariables;
use crate::config::{Launch, ServerConfig, check_name};
use crate::error::Error;
use crate::model::parse_duration;
use crate::model::{Secret, digest, steers_loading};
use crate::project::launch_template::{LaunchTemplate, is_http, launch_template};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An interpreted server.
#[derive(Clone, Debug)]
pub(super) struct ServerEntry {
    pub(super) declared: DeclaredServer,
    launch: LaunchTemplate,
    identity: String,
    start_timeout: Duration,
    call_timeout: Duration,
    idle_timeout: Option<Duration>,
    background: bool,
    install_scripts: bool,
}

impl ServerEntry {
    /// Returns a server as it is shown to a person. `unusable` is the reason why it cannot be used.
    pub(super) fn declared(
        raw: &RawServer,
        document: &Document,
        unusable: Option<String>,
    ) -> DeclaredServer {
        let (line, column) = document.position(raw.at);
        DeclaredServer {
            name: raw.name.clone(),
            launch: launch_text(raw),
            folder: raw.folder.as_ref().map(|folder| folder.value.clone()),
            given: given(raw),
            install_scripts: raw.install_scripts,
            file: document.path().into(),
            line,
            column,
            unusable,
        }
    }

    /// Interprets a server.
    pub(super) fn new(raw: &RawServer, document: &Document) -> Result<ServerEntry, Error> {
        check_name(&raw.name).map_err(|error| {
            let hint = error.hint().unwrap_or_default().to_owned();
            document.error_at(raw.at, error.to_string()).with_hint(hint)
        })?;
        let launch = launch_template(raw, document)?;
        let unusable = match &launch {
            LaunchTemplate::Unusable { reason, .. } => Some(reason.clone()),
            _ => None,
        };
        let declared = ServerEntry::declared(raw, document, unusable);
        let time = |key: &str, scalar: &Option<Scalar>, default| {
            timeout(document, &format!("{}.{key}", raw.key), scalar, default)
        };
        let idle = match &raw.idle_timeout {
            Some(Scalar::Text(text)) if text.value == "never" => None,
            idle => Some(time("idleTimeout", idle, ServerConfig::IDLE_TIMEOUT)?),
        };
        Ok(ServerEntry {
            declared,
            launch,
            identity: identity(raw),
            start_timeout: time("startTimeout", &raw.start_timeout, ServerConfig::START_TIMEOUT)?,
            call_timeout: time("timeout", &raw.call_timeout, ServerConfig::CALL_TIMEOUT)?,
            idle_timeout: idle,
            background: raw.background,
            install_scripts: raw.install_scripts,
        })
    }

    /// Reports whether it contains variables whose values may come from `.env`.
    pub(super) fn needs_env_file(&self) -> bool {
        self.given_templates().iter().any(|(_, template)| !template.is_plain())
    }

    /// Returns the texts that may contain variables.
    pub(super) fn templates(&self) -> impl Iterator<Item = &Template> {
        let (line, folder): (Vec<&Template>, _) = match &self.launch {
            LaunchTemplate::Stdio { command, arguments, folder, .. } => {
                (std::iter::once(command).chain(arguments).collect(), folder.as_ref())
            }
            LaunchTemplate::Http { url, .. } => (vec![url], None),
            LaunchTemplate::Unusable { .. } => (Vec::new(), None),
        };
        line.into_iter()
            .chain(folder)
            .chain(self.given_templates().iter().map(|(_, template)| template))
    }

    /// Returns the texts whose variables `.env` can set, each with the name under which the server
    /// gets it.
    pub(super) fn given_templates(&self) -> &[(String, Template)] {
        match &self.launch {
            LaunchTemplate::Stdio { environment, .. } => environment,
            LaunchTemplate::Http { headers, .. } => headers,
            LaunchTemplate::Unusable { .. } => &[],
        }
    }

    /// Returns its launch line for scanning; it is never shown. A word with unset variables names
    /// no file yet.
    pub(super) fn launch_line(
        &self,
        root: &Path,
        variables: &ExpansionVariables<'_>,
    ) -> Option<LaunchLine> {
        let LaunchTemplate::Stdio { command, arguments, environment, folder } = &self.launch else {
            return None;
        };
        let plain = |template: &Template| {
            let mut found = ExpansionReport::default();
            let text = template.expand(|name| variables.of_process(name), &mut found);
            if found.missing.is_empty() { text } else { String::new() }
        };
        let within = root.join(folder.as_ref().map(plain).unwrap_or_default());
        let arguments = std::iter::once(command).chain(arguments);
        let arguments = arguments.map(|template| (plain(template), template.is_plain()));
        let steering = environment.iter().filter(|(name, _)| steers_loading(name));
        let steering = steering.map(|(name, template)| {
            let value = |name: &str| variables.of_process_or_file(name);
            (name.clone(), template.expand(value, &mut ExpansionReport::default()))
        });
        Some(launch_line(without_dots(&within), arguments, steering.collect()))
    }

    /// Expands the variables.
    pub(super) fn expand(
        &self,
        root: &Path,
        variables: &ExpansionVariables<'_>,
    ) -> Result<ServerConfig, UnusableServer> {
        let mut found = ExpansionReport::default();
        let unusable = |cause: UnusableCause, reason: &str| UnusableServer {
            name: self.declared.name.clone(),
            reason: reason.into(),
            cause,
        };
        let launch = match &self.launch {
            LaunchTemplate::Unusable { cause, reason } => return Err(unusable(*cause, reason)),
            LaunchTemplate::Stdio { command, arguments, environment, folder } => {
                let plain = |template: &Template, found: &mut ExpansionReport| {
                    template.expand(|name| variables.of_process(name), found)
                };
                let command = plain(command, &mut found);
                let arguments =
                    arguments.iter().map(|argument| plain(argument, &mut found)).collect();
                // The working folder is no secret: otherwise every path that it occurs in would be
                // hidden.
                let mut within = ExpansionReport::default();
                let folder = folder.as_ref().map(|folder| plain(folder, &mut within));
                let folder = root.join(folder.unwrap_or_default());
                within.missing.retain(|name| !found.missing.contains(name));
                found.missing.append(&mut within.missing);
                Launch::Stdio {
                    command: resolve_command(command, &folder),
                    arguments,
                    environment: secrets(environment, variables, &mut found),
                    folder: without_dots(&folder),
                }
            }
            LaunchTemplate::Http { url, headers } => {
                let url = url.expand(|name| variables.of_process(name), &mut found);
                if found.missing.is_empty() && !is_http(&url) {
                    return Err(unusable(
                        UnusableCause::Mistake,
                        "its URL, with the variables filled in, does not begin with `https://` or `http://`",
                    ));
                }
                Launch::Http { url, headers: secrets(headers, variables, &mut found) }
            }
        };
        let server = ServerConfig::new(&self.declared.name, launch, self.identity.clone());
        let mut server =
            server.map_err(|error| unusable(UnusableCause::Mistake, &error.to_string()))?;
        (server.missing, server.secrets) = (found.missing, found.secrets);
        server.start_timeout = self.start_timeout;
        server.call_timeout = self.call_timeout;
        server.idle_timeout = self.idle_timeout;
        server.background = self.background;
        server.install_scripts = self.install_scripts;
        Ok(server)
    }
}

fn secrets(
    pairs: &[(String, Template)],
    variables: &ExpansionVariables<'_>,
    found: &mut ExpansionReport,
) -> Vec<(String, Secret)> {
    let mut secret = |(name, template): &(String, Template)| {
        let value = template.expand(|name| variables.of_process_or_file(name), found);
        (name.clone(), Secret::new(value))
    };
    pairs.iter().map(&mut secret).collect()
}

/// Resolves a command that contains a folder relative to the working folder, regardless of the OS.
fn resolve_command(command: String, folder: &Path) -> String {
    let path = Path::new(&command);
    let bare = path.components().count() < 2 && !command.contains(['/', '\\']);
    if bare || path.is_absolute() {
        return command;
    }
    without_dots(&folder.join(path)).to_str().map_or(command, Into::into)
}

/// Removes `.` from a path.
fn without_dots(path: &Path) -> PathBuf {
    path.components().collect()
}

/// Parses a timeout. Numbers are milliseconds, as in Claude Code's files.
fn timeout(
    document: &Document,
    key: &str,
    scalar: &Option<Scalar>,
    default: Duration,
) -> Result<Duration, Error> {
    let (parsed, written) = match scalar {
        None => return Ok(default),
        Some(Scalar::Text(text)) => (parse_duration(&text.value).ok(), text),
        Some(Scalar::Number(number)) => {
            let milliseconds = number.value.parse::<u64>().ok().filter(|number| *number > 0);
            (milliseconds.map(Duration::from_millis), number)
        }
    };
    parsed.ok_or_else(|| {
        let message = format!("`{key}` is {}, which is not a duration", shown(&written.value));
        let hint = "write it as `\"500ms\"`, `\"2s\"` or `\"5m\"`, or in milliseconds: `5000`";
        document.error_at(written.at, message).with_hint(hint)
    })
}

/// Returns the launch line or URL, as written.
fn launch_text(raw: &RawServer) -> String {
    let words = raw.command.iter().chain(&raw.arguments).map(|word| quoted(&word.value));
    match &raw.url {
        Some(url) => url.value.clone(),
        None => words.collect::<Vec<_>>().join(" "),
    }
}

/// Quotes a word of a launch line, so that a person sees where it begins and ends.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@=${},+%~".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Returns the identity of a server: everything that decides what is started or reached, before
/// variables are expanded. A server with only a launch line or URL has the same identity as one
/// created through the API.
fn identity(raw: &RawServer) -> String {
    let texts =
        |texts: &[LocatedText]| texts.iter().map(|text| text.value.clone()).collect::<Vec<_>>();
    let pairs = |pairs: &[(LocatedText, LocatedText)]| {
        pairs.iter().map(|(name, value)| (name.value.clone(), json!(value.value))).collect()
    };
    let mut entry = match (&raw.command, &raw.url) {
        (_, Some(url)) => json!({ "url": url.value }),
        (Some(command), None) => {
            json!({ "command": command.value, "args": texts(&raw.arguments) })
        }
        (None, None) => json!({}),
    };
    for (key, written) in [("env", &raw.environment), ("headers", &raw.headers)] {
        if !written.is_empty() {
            entry[key] = serde_json::Value::Object(pairs(written));
        }
    }
    if let Some(folder) = &raw.folder {
        entry["cwd"] = json!(folder.value);
    }
    if raw.install_scripts {
        entry["installScripts"] = json!(true);
    }
    digest(&entry)
}

/// Returns the variables or headers, as written.
fn given(raw: &RawServer) -> Vec<(String, Secret)> {
    let pair = |(name, value): &(LocatedText, LocatedText)| {
        (name.value.clone(), Secret::new(&*value.value))
    };
    raw.environment.iter().chain(&raw.headers).map(pair).collect()
}

//! The command `pml add`: adds a server to `.pml.json`.

use super::project;
use super::report::{HintedError, UsageError};
use super::ui::{self, HINT, WARNING};
use crate::widening_permit;
use anyhow::Result;
use clap::Args;
use pml::json::{Map, Value, json};
use pml::{
    Environment, Error, Project,
    project::{EditOutcome, OverwriteMode, ReviewedBy, SettingsFile},
    text::{cut_to_columns, escape, in_one_line, redact},
};
use std::process::ExitCode;

/// Add a server to this project's `.pml.json`
///
/// Values may use variables: ${NAME} and ${NAME:-default}, in quotes, so that your shell leaves them alone.
///
/// Without a terminal it needs --yes. Agents cannot run it.
#[derive(Args)]
#[command(verbatim_doc_comment, after_help = EXAMPLES)]
pub(super) struct AddCommand {
    /// The server's name in programs: `mcp.NAME.tool()`
    #[arg(value_name = "NAME")]
    name: String,
    /// The program that starts the server, and its arguments
    #[arg(value_name = "COMMAND", last = true, required_unless_present = "url")]
    command: Vec<String>,
    /// The URL of a remote server
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    url: Option<String>,
    /// A variable for the program
    #[arg(long, value_name = "NAME=VALUE", conflicts_with = "url")]
    env: Vec<String>,
    /// A header to send with every request
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    header: Vec<String>,
    /// Start the server before its first call
    #[arg(long)]
    background: bool,
    /// Replace the server of this name
    #[arg(long)]
    force: bool,
    /// Do not ask, and work without a terminal
    #[arg(long, short)]
    yes: bool,
    /// Print exactly one line of JSON on stdout: the server that was `added`
    #[arg(long, help_heading = "Output")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  pml add files -- npx -y @modelcontextprotocol/server-filesystem .
  pml add github --url https://api.githubcopilot.com/mcp \\
    --header 'Authorization: Bearer ${GITHUB_TOKEN}'";

impl AddCommand {
    pub(super) fn run(self) -> Result<ExitCode> {
        let permit = widening_permit::request("pml add", self.yes)?;
        let (folder, environment) = (project::current_folder()?, Environment::of_process());
        let overwrite = if self.force { OverwriteMode::Replace } else { OverwriteMode::Refuse };
        let entry = self.entry()?;
        let settings = SettingsFile::of(&folder, &environment)?;
        let servers = [(self.name.clone(), entry)];
        let edited = settings
            .add_servers(&servers, overwrite, ReviewedBy::User)
            .map_err(|error| in_words_of_flags(error, &self.name, self.url.as_deref()))?;
        permit.note_change(settings.root(), vec![describe_added(&self.name, &servers[0].1)]);
        ui::print(&format!("server `{}` is added to `.pml.json`", escape(&self.name)))?;
        ui::document(&json!({ "added": self.name, "trusted": edited.trusted }))?;
        print_next_steps(edited, &environment)?;
        Ok(ExitCode::SUCCESS)
    }

    fn entry(&self) -> Result<Value> {
        let mut entry = Map::new();
        match &self.url {
            Some(url) => {
                entry.insert("type".into(), json!("http"));
                entry.insert("url".into(), json!(url));
                let headers = pairs(&self.header, ':', "--header", "'Name: value'")?;
                if !headers.is_empty() {
                    entry.insert("headers".into(), headers.into());
                }
            }
            None => {
                let (command, arguments) = self.command.split_first().ok_or_else(|| {
                    UsageError(
                        "write the command of the server after `--`, or its URL after `--url`"
                            .into(),
                    )
                })?;
                entry.insert("command".into(), json!(command));
                if !arguments.is_empty() {
                    entry.insert("args".into(), json!(arguments));
                }
                let variables = pairs(&self.env, '=', "--env", "NAME=value")?;
                if !variables.is_empty() {
                    entry.insert("env".into(), variables.into());
                }
            }
        }
        if self.background {
            entry.insert("background".into(), json!(true));
        }
        Ok(entry.into())
    }
}

/// Describes an added server for the audit trail: its launch line or URL without keys, and the
/// names of its variables and headers.
pub(super) fn describe_added(name: &str, entry: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let launch = match entry.get("url") {
        Some(url) => text(url),
        None => {
            let arguments = entry["args"].as_array().into_iter().flatten();
            let parts = std::iter::once(&entry["command"]).chain(arguments).map(text);
            parts.collect::<Vec<_>>().join(" ")
        }
    };
    let given = ["env", "headers"].into_iter().filter_map(|key| entry[key].as_object());
    let given: Vec<_> = given.flat_map(|given| given.keys().cloned()).collect();
    let given = match given.is_empty() {
        true => String::new(),
        false => format!(", given {}", given.join(", ")),
    };
    format!("added server {name}: {}{given}", text(&redact(&json!(launch))))
}

fn pairs(given: &[String], separator: char, flag: &str, form: &str) -> Result<Map<String, Value>> {
    let pair = |text: &String| match text.split_once(separator) {
        Some((name, value)) => {
            let value = if separator == ':' { value.trim() } else { value };
            Ok((name.trim().to_owned(), json!(value)))
        }
        // The text is not shown, because it may be a key.
        None => Err(UsageError(format!("write `{flag}` as `{form}`")).into()),
    };
    given.iter().map(pair).collect()
}

/// Most columns of a wrong URL that are repeated.
const URL_COLUMNS: usize = 60;

/// Returns the flag with a wrong URL. A query and what stands before an `@` are left out, because
/// they may hold a key.
fn shown_url(url: &str) -> String {
    let host = url.split(['?', '#']).next().unwrap_or_default();
    match host.contains('@') {
        true => "--url".into(),
        false => format!("--url {}", cut_to_columns(&in_one_line(host), URL_COLUMNS)),
    }
}

/// Names flags instead of the keys that they become: the file does not have these keys yet.
fn in_words_of_flags(error: Error, name: &str, url: Option<&str>) -> anyhow::Error {
    let (key, mut message) = (format!("`servers.{}.", escape(name)), error.to_string());
    if !message.contains(&key) {
        return error.into();
    }
    let url = url.map_or("--url".into(), shown_url);
    for (written, flag) in [("url", url.as_str()), ("env", "--env"), ("headers", "--header")] {
        message = message.replace(&format!("{key}{written}`"), &format!("`{flag}`"));
    }
    HintedError::usage(message, error.hint().unwrap_or("`pml add --help` shows examples")).into()
}

/// Prints the next steps after a change of `.pml.json`: trust, and variables that are not set.
pub(super) fn print_next_steps(edited: EditOutcome, environment: &Environment) -> Result<()> {
    if !edited.trusted {
        ui::say(&format!(
            "{WARNING}warning{WARNING:#}: `.pml.json` is not trusted, so it has no effect yet\n\
             {HINT}hint{HINT:#}: read what it declares with `pml trust --show`, then run `pml trust`"
        ));
        return Ok(());
    }
    let project = Project::load_with_environment(&project::current_folder()?, environment)?;
    if let Some(reason) = project.trust.reason() {
        ui::say(&format!(
            "{WARNING}warning{WARNING:#}: {reason}\n\
             {HINT}hint{HINT:#}: read what it declares with `pml trust --show`, then run `pml trust`"
        ));
    }
    for server in &project.servers {
        for name in &server.missing {
            ui::say(&format!(
                "{HINT}hint{HINT:#}: server `{}` needs `{name}`: set it in the environment or in `.env`",
                escape(&server.name)
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::shown_url;

    #[test]
    fn a_wrong_url_is_repeated_without_what_may_be_a_key() {
        assert_eq!(shown_url("ftp://h/mcp?key=s3cret#x"), "--url ftp://h/mcp");
        assert_eq!(shown_url("ann:s3cret@h"), "--url");
        assert_eq!(shown_url("a\nb"), "--url a\\nb");
    }
}

//! The errors of installing packages.

use crate::error::Error;
use crate::model::{CallError, Code, cut, escape};
use std::io;
use std::path::{Path, PathBuf};

/// Maximum number of lines of a tool's output in a message.
const MAX_LINES: usize = 8;

/// Maximum length of each of these lines, in characters.
const MAX_LINE_LENGTH: usize = 300;

/// The reason why a package cannot be resolved, installed or started. Text from tools and packages
/// is escaped and shortened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum InstallError {
    /// The ecosystem's tool is not on this machine.
    #[error("`{package}` cannot be installed: `{tool}` is not on the `PATH`")]
    NoTool { tool: String, package: String },
    /// This user has no state folder to work from.
    #[error("packages cannot be installed: this user has no home folder")]
    NoHome,
    /// The tool failed.
    #[error("`{tool}` cannot {doing} `{package}`: {reason}{}", quoted(output))]
    ToolFailed {
        tool: String,
        doing: &'static str,
        package: String,
        reason: String,
        output: Vec<String>,
    },
    /// No version of the package matches the launch line.
    #[error(
        "the registry has no package `{package}`, or no version of it that fits{}",
        quoted(output)
    )]
    NoVersion { package: String, output: Vec<String> },
    /// The Python package would have to be built, which runs its code.
    #[error("`{package}` has no wheel, and to build it would run its code{}", quoted(output))]
    NoWheel { package: String, output: Vec<String> },
    /// Nothing may be fetched, and the package is not on this machine.
    #[error(
        "`{package}`, or a package that it needs, is not on this machine, and nothing may be fetched"
    )]
    NotCached { package: String },
    /// The list of packages that belong to a package has an entry that cannot be installed.
    #[error("the packages of `{package}` cannot be installed: {reason}")]
    UnusableClosure { package: String, reason: String },
    /// The output of the tool, or a file that it wrote, does not have the expected form.
    #[error("the answer of `{tool}` about `{package}` cannot be read: {reason}")]
    Unreadable { tool: String, package: String, reason: String },
    /// The installed package is not the one that was agreed to.
    #[error(
        "`{package}` was installed and is not what was approved: {what} is `{found}`, not `{agreed}`"
    )]
    Mismatch { package: String, what: &'static str, agreed: String, found: String },
    /// The package has no program to start.
    #[error("`{package}` has no program {}", describe_available(wanted.as_deref(), available))]
    NoProgram { package: String, wanted: Option<String>, available: Vec<String> },
    /// The program belongs to another package.
    #[error(
        "`{program}` is not a program of `{package}`, but of `{owner}`, which is installed with it"
    )]
    ForeignProgram { package: String, program: String, owner: String },
    /// A dependency does not come from a registry.
    #[error("`{package}` cannot be installed: `{dependency}`{} {reason}", wanted(wanted_by.as_deref()))]
    NotFromRegistry {
        package: String,
        dependency: String,
        wanted_by: Option<String>,
        reason: String,
    },
    /// Another package put a file where the package's own program, or what that loads, belongs.
    #[error("`{package}` cannot be installed: {what} comes from {by}, not from the package itself")]
    Shadowed { package: String, what: String, by: String },
    /// The package is larger than any server.
    #[error("`{package}` is too large: {reason}")]
    TooLarge { package: String, reason: String },
    /// The package has a link that leads out of its folder, to files that no digest covers.
    #[error(
        "`{package}` cannot be installed: it has a link that leads out of its folder: {}",
        shown(path)
    )]
    OutsideLink { package: String, path: PathBuf },
    /// A file or folder of pml cannot be used.
    #[error("cannot {action}: {}", shown(path))]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    /// The project's state cannot be read or written.
    #[error("{0}")]
    State(Error),
}

impl InstallError {
    /// Returns the stable code.
    pub(crate) fn code(&self) -> Code {
        match self {
            InstallError::Mismatch { .. }
            | InstallError::OutsideLink { .. }
            | InstallError::UnusableClosure { .. }
            | InstallError::NotFromRegistry { .. }
            | InstallError::Shadowed { .. } => Code::Integrity,
            InstallError::State(error) => error.kind(),
            _ => Code::ServerFailed,
        }
    }

    /// Returns advice on how to fix the problem, if there is any.
    pub(crate) fn hint(&self) -> Option<String> {
        Some(match self {
            InstallError::NoTool { tool, .. } => match tool.as_str() {
                "npm" => "install Node.js, which contains `npm`".into(),
                tool if tool.starts_with("python3") => {
                    "install `uv`, or Python 3 with `pip` and `venv`".into()
                }
                tool => format!("install `{tool}`"),
            },
            InstallError::NoHome => "set the variable `HOME`".into(),
            InstallError::ToolFailed { .. } => {
                "check the network and the settings of the tool, then try again".into()
            }
            InstallError::NoVersion { .. } => "check the name and the version in the launch line".into(),
            InstallError::NoWheel { .. } => {
                "to allow it, add `\"installScripts\": true` to the server in `.pml.json`".into()
            }
            InstallError::NotCached { .. } => {
                "run it once without `--offline`, where the registry can be reached".into()
            }
            InstallError::UnusableClosure { .. } => {
                "do not trust the file that lists them; without it, the registry is asked".into()
            }
            InstallError::Unreadable { tool, .. } => format!("update `{tool}`"),
            InstallError::Mismatch { .. } => {
                "try again; if it happens again, do not trust the registry".into()
            }
            InstallError::ForeignProgram { owner, program, .. } => format!(
                "if you mean that program, name its package, as in `uvx --from {owner} {program}`"
            ),
            InstallError::NotFromRegistry { .. } => {
                "pml installs only from registries: install the server yourself, and use its program as the `command`".into()
            }
            InstallError::Shadowed { .. } => {
                "do not trust the packages that the launch line adds: remove them from it".into()
            }
            InstallError::NoProgram { available, .. } if !available.is_empty() => {
                "name one of its programs, as in `npx -y -p PACKAGE PROGRAM`".into()
            }
            InstallError::State(error) => return error.hint().map(Into::into),
            _ => return None,
        })
    }

    /// Returns an error about a file or folder of pml.
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> InstallError {
        InstallError::Io { action, path: path.into(), source }
    }
}

impl From<InstallError> for Error {
    fn from(error: InstallError) -> Error {
        let (code, message, hint) = (error.code(), error.to_string(), error.hint());
        let result = match error {
            InstallError::State(error) => return error,
            InstallError::Io { source, .. } => Error::new(code, message).with_source(source),
            _ => Error::new(code, message),
        };
        match hint {
            Some(hint) => result.with_hint(hint),
            None => result,
        }
    }
}

/// A program gets a single text, so the cause from the OS and the hint are part of it.
impl From<InstallError> for CallError {
    fn from(error: InstallError) -> CallError {
        let mut message = error.to_string();
        if let InstallError::Io { source, .. } = &error {
            message = format!("{message}: {source}");
        }
        let call_error = CallError::new(error.code(), message);
        match error.hint() {
            Some(hint) => call_error.with_hint(hint),
            None => call_error,
        }
    }
}

/// Returns the last lines of a tool's output, safe to show.
pub(super) fn last_lines(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    // The location of npm's log is of no use, and names a folder of the user.
    let lines = lines.filter(|line| !line.contains("A complete log of this run"));
    let shown = |line: &str| cut(&escape(&without_user(line)).replace('\t', " "), MAX_LINE_LENGTH);
    let lines: Vec<_> = lines.map(shown).collect();
    // npm prints the cause first and then further advice; other tools print the cause last.
    let first = lines.iter().position(|line| line.starts_with("npm error code"));
    let from = first.unwrap_or(lines.len().saturating_sub(MAX_LINES));
    lines.into_iter().skip(from).take(MAX_LINES).collect()
}

/// Removes the user name and password before an `@` from URLs.
pub(super) fn without_user(line: &str) -> String {
    let (mut result, mut rest) = (String::new(), line);
    while let Some((before, after)) = rest.split_once("://") {
        let end = after.find(|c: char| c == '/' || c.is_whitespace()).unwrap_or(after.len());
        let host = after[..end].rfind('@').map_or(0, |at| at + 1);
        result = result + before + "://";
        rest = &after[host..];
    }
    result + rest
}

fn wanted(by: Option<&str>) -> String {
    by.map(|by| format!(", which `{by}` depends on,")).unwrap_or_default()
}

fn quoted(output: &[String]) -> String {
    if output.is_empty() {
        return String::new();
    }
    let lines: Vec<_> = output.iter().map(|line| format!("\n  | {line}")).collect();
    format!("; it said:{}", lines.concat())
}

fn describe_available(wanted: Option<&str>, available: &[String]) -> String {
    let names: Vec<_> =
        available.iter().take(20).map(|name| format!("`{}`", escape(name))).collect();
    match (wanted, names.is_empty()) {
        (Some(wanted), true) => format!("`{}`, nor any other", escape(wanted)),
        (Some(wanted), false) => format!("`{}`; it has {}", escape(wanted), names.join(", ")),
        (None, true) => "that could be started".into(),
        (None, false) => format!("of its own name; it has {}", names.join(", ")),
    }
}

fn shown(path: &Path) -> String {
    escape(&path.display().to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{InstallError, last_lines};
    use crate::model::CallError;

    #[test]
    fn what_a_tool_said_is_short_escaped_and_without_passwords() {
        let output = b"one\n\nnpm error GET https://me:hunter2@host/x \x1b[2J\nA complete log of this run: /logs/x\n";
        let lines = last_lines(output);
        assert_eq!(lines, ["one", "npm error GET https://host/x \\u{1b}[2J"]);
        assert_eq!(last_lines("x\n".repeat(100).as_bytes()).len(), 8);
    }

    #[test]
    fn a_program_that_is_not_there_is_told_from_those_that_are() {
        let error = InstallError::NoProgram {
            package: "a".into(),
            wanted: Some("b".into()),
            available: vec!["c".into()],
        };
        let message = CallError::from(error).message;
        assert!(
            message.starts_with("`a` has no program `b`; it has `c`\nhint: name one"),
            "{message}"
        );
    }
}

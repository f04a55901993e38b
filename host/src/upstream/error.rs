//! The errors of using a server.

use crate::error::Error;
use crate::model::{CallError, Code, escape, format_span};
use std::time::Duration;

/// Maximum number of stderr lines in a message. The status shows more.
const MAX_LINES: usize = 10;

/// The reason why a server cannot be used. Text from the server is escaped and shortened, and its
/// secrets are hidden.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum UpstreamError {
    /// No server of this name is configured.
    #[error("there is no server `{0}`")]
    Unknown(String),
    /// Variables that it declares are not set.
    #[error("server `{server}` needs {}, which is not set", quoted_names(variables))]
    Missing { server: String, variables: Vec<String> },
    /// Files that its launch line names changed since they were trusted.
    #[error(
        "server `{server}` is not started: {} changed since you trusted this folder",
        quoted_names(files)
    )]
    Untrusted { server: String, files: Vec<String> },
    /// It could not be started or reached, or did not begin to speak MCP.
    #[error("server `{server}` cannot be {}: {reason}{}", verb(*.local), quoted_lines(output))]
    Start { server: String, local: bool, reason: String, output: Vec<String> },
    /// It failed recently and is not tried again yet.
    #[error("server `{server}` failed, and is started again in {}: {reason}", format_span(*.retry_in))]
    BackingOff { server: String, reason: String, retry_in: Duration },
    /// It ended during a call.
    #[error("server `{server}` ended during the call: {reason}{}", quoted_lines(output))]
    Gone { server: String, reason: String, output: Vec<String> },
    /// It did not list its tools.
    #[error("server `{server}` did not list its tools: {reason}")]
    Listing { server: String, reason: String },
    /// pml is closing.
    #[error("server `{0}` is not started, because pml is closing")]
    Closed(String),
}

impl UpstreamError {
    /// Returns the stable code.
    pub(crate) fn code(&self) -> Code {
        match self {
            UpstreamError::Unknown(_) => Code::ToolUnknown,
            UpstreamError::Missing { .. } => Code::ApiKeyRequired,
            UpstreamError::Untrusted { .. } => Code::Untrusted,
            _ => Code::ServerFailed,
        }
    }

    /// Returns what to do about it.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            UpstreamError::Unknown(_) => Some("`pml servers` lists the servers"),
            UpstreamError::Missing { .. } => {
                Some("set it in the environment, or in the `.env` of the project")
            }
            UpstreamError::Untrusted { .. } => {
                Some("read what changed with `pml trust --show`, then trust it with `pml trust`")
            }
            UpstreamError::Start { .. } | UpstreamError::BackingOff { .. } => {
                Some("`pml servers` shows its last output")
            }
            _ => None,
        }
    }

    /// Returns the reason without the name of the server.
    pub(super) fn reason(&self) -> String {
        match self {
            UpstreamError::Start { reason, .. }
            | UpstreamError::BackingOff { reason, .. }
            | UpstreamError::Gone { reason, .. }
            | UpstreamError::Listing { reason, .. } => reason.clone(),
            other => other.to_string(),
        }
    }
}

impl From<UpstreamError> for CallError {
    fn from(error: UpstreamError) -> CallError {
        let call_error = CallError::new(error.code(), error.to_string());
        match (&error, error.hint()) {
            // A program has its answer already: its message has the last output.
            (UpstreamError::Start { .. } | UpstreamError::BackingOff { .. }, _) | (_, None) => {
                call_error
            }
            (_, Some(hint)) => call_error.with_hint(hint),
        }
    }
}

impl From<UpstreamError> for Error {
    fn from(error: UpstreamError) -> Error {
        let result = Error::new(error.code(), error.to_string());
        match error.hint() {
            Some(hint) => result.with_hint(hint),
            None => result,
        }
    }
}

/// Returns the outermost error of type `E` in a chain.
pub(super) fn find_error<'a, E: std::error::Error + 'static>(
    error: &'a (dyn std::error::Error + 'static),
) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

fn verb(local: bool) -> &'static str {
    match local {
        true => "started",
        false => "reached",
    }
}

fn quoted_names(variables: &[String]) -> String {
    let names: Vec<_> = variables.iter().map(|name| format!("`{}`", escape(name))).collect();
    names.join(", ")
}

fn quoted_lines(output: &[String]) -> String {
    if output.is_empty() {
        return String::new();
    }
    let start = output.len().saturating_sub(MAX_LINES);
    let lines: Vec<_> = output[start..].iter().map(|line| format!("\n  | {line}")).collect();
    format!("; its last output:{}", lines.concat())
}

#[cfg(test)]
mod tests {
    use super::UpstreamError;
    use crate::model::{CallError, Code};

    #[test]
    fn messages_name_the_server_the_reason_and_what_it_said() {
        let error = UpstreamError::Start {
            server: "git".into(),
            local: true,
            reason: "it ended with exit status 1".into(),
            output: vec!["no module `mcp`".into()],
        };
        assert_eq!(
            error.to_string(),
            "server `git` cannot be started: it ended with exit status 1; its last output:\n  | no module `mcp`"
        );
        assert_eq!(CallError::from(error).code, "SERVER_FAILED");
    }

    #[test]
    fn a_missing_variable_is_named() {
        let variables = vec!["GITHUB_TOKEN".to_owned()];
        let error = UpstreamError::Missing { server: "github".into(), variables };
        assert_eq!(error.code(), Code::ApiKeyRequired);
        assert!(error.to_string().contains("`GITHUB_TOKEN`"), "{error}");
        let shown = CallError::from(error).message;
        assert_eq!(
            shown,
            "server `github` needs `GITHUB_TOKEN`, which is not set\n\
             hint: set it in the environment, or in the `.env` of the project"
        );
    }
}

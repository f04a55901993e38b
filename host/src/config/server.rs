//! The configuration of a server, with all variables expanded: ready to be started or reached.

use super::pinned_files::PinnedFiles;
use crate::error::Error;
use crate::model::{Code, Secret, ToolName, digest};
use serde_json::json;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A server and how to reach it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Its name in programs and policy: no colon, not `pml`.
    pub name: String,
    /// How it is started or reached.
    pub launch: Launch,
    /// sha256, in hex, of the server's identity: its launch line or URL as written, before
    /// variables were expanded.
    pub identity: String,
    /// sha256, in hex, of all packages that were installed for it, in exact versions and with their
    /// hashes: the same on all machines. `None` if it is not started from a package.
    pub package: Option<String>,
    /// Values of variables that were expanded anywhere in it. They are hidden wherever the server's
    /// output is shown.
    pub secrets: Vec<Secret>,
    /// Variables that it declares and that are not set. It cannot be started before they are.
    pub missing: Vec<String>,
    /// How long it may take until its first answer.
    pub start_timeout: Duration,
    /// How long one call may take, unless it reports progress.
    pub call_timeout: Duration,
    /// How long it stays connected after its last call; `None` means for ever.
    pub idle_timeout: Option<Duration>,
    /// Whether it is started before its first call.
    pub background: bool,
    /// Whether code of its package may run while it is installed.
    pub install_scripts: bool,
    /// The files of its project that its launch line names.
    pub(crate) pinned: PinnedFiles,
}

/// How a server is started or reached.
#[derive(Clone, PartialEq)]
pub enum Launch {
    /// A process that speaks MCP on its stdin and stdout. No shell is involved.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// Variables that it gets in addition to a minimal base.
        environment: Vec<(String, Secret)>,
        /// The folder it runs in.
        folder: PathBuf,
    },
    /// A URL that speaks streamable HTTP.
    Http {
        /// The URL.
        url: String,
        /// Headers that are sent with every request.
        headers: Vec<(String, Secret)>,
    },
}

impl ServerConfig {
    /// Default for `start_timeout`: package runners may have to fetch a server before it answers.
    pub const START_TIMEOUT: Duration = Duration::from_secs(60);

    /// Default for `call_timeout`: as long as MCP's own SDKs wait for an answer.
    pub const CALL_TIMEOUT: Duration = Duration::from_secs(60);

    /// Default for `idle_timeout`: long enough for a conversation to come back to the server.
    pub const IDLE_TIMEOUT: Duration = Duration::from_secs(10 * 60);

    /// Returns a server that is a process.
    ///
    /// # Errors
    /// If `name` is not valid for a server.
    pub fn stdio(
        name: impl Into<String>,
        command: impl Into<String>,
        arguments: impl IntoIterator<Item = impl Into<String>>,
        folder: impl Into<PathBuf>,
    ) -> Result<ServerConfig, Error> {
        let command = command.into();
        let arguments: Vec<String> = arguments.into_iter().map(Into::into).collect();
        let identity = digest(&json!({ "command": command, "args": arguments }));
        let launch =
            Launch::Stdio { command, arguments, environment: Vec::new(), folder: folder.into() };
        ServerConfig::new(name, launch, identity)
    }

    /// Returns a server behind a URL.
    ///
    /// # Errors
    /// If `name` is not valid for a server.
    pub fn http(name: impl Into<String>, url: impl Into<String>) -> Result<ServerConfig, Error> {
        let url = url.into();
        let identity = digest(&json!({ "url": url }));
        ServerConfig::new(name, Launch::Http { url, headers: Vec::new() }, identity)
    }

    /// Returns a server with the default timeouts.
    pub(crate) fn new(
        name: impl Into<String>,
        launch: Launch,
        identity: String,
    ) -> Result<ServerConfig, Error> {
        let name = name.into();
        check_name(&name)?;
        Ok(ServerConfig {
            name,
            launch,
            identity,
            package: None,
            secrets: Vec::new(),
            missing: Vec::new(),
            start_timeout: ServerConfig::START_TIMEOUT,
            call_timeout: ServerConfig::CALL_TIMEOUT,
            idle_timeout: Some(ServerConfig::IDLE_TIMEOUT),
            background: false,
            install_scripts: false,
            pinned: PinnedFiles::default(),
        })
    }

    /// Reports whether it is a process of this machine.
    pub fn is_local(&self) -> bool {
        matches!(self.launch, Launch::Stdio { .. })
    }
}

/// Shows only parts that cannot hold a key: variables may have been expanded in arguments and URLs
/// too.
impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn names(pairs: &[(String, Secret)]) -> Vec<&str> {
            pairs.iter().map(|(name, _)| name.as_str()).collect()
        }
        match self {
            Launch::Stdio { command, arguments, environment, folder } => f
                .debug_struct("Stdio")
                .field("command", command)
                .field("arguments", &arguments.len())
                .field("environment", &names(environment))
                .field("folder", folder)
                .finish(),
            Launch::Http { url, headers } => {
                let end = url.find("://").map_or(0, |at| at + 3);
                let end = url[end..].find(['/', '?', '#']).map_or(url.len(), |at| end + at);
                // The part before an `@` is a user's name and password.
                let host = url[..end].rsplit('@').next().unwrap_or_default();
                f.debug_struct("Http")
                    .field("host", &host)
                    .field("headers", &names(headers))
                    .finish_non_exhaustive()
            }
        }
    }
}

/// Names that the object `mcp` itself uses, or that JavaScript reads when it converts it.
const RESERVED_NAMES: &[&str] =
    &["call", "then", "toJSON", "toString", "valueOf", "constructor", "__proto__"];

/// Checks that a name can be the server part of a tool name: no colon, no blanks, no hidden
/// characters. `pml` is reserved.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let shown = crate::model::escape(name);
    if name == "pml" {
        return Err(Error::new(
            Code::Config,
            "a server cannot have the name `pml`, which is pml's own",
        )
        .with_hint("give the server another name"));
    }
    if RESERVED_NAMES.contains(&name) {
        let message =
            format!("a server cannot have the name `{shown}`: programs could not call it");
        return Err(Error::new(Code::Config, message).with_hint("give the server another name"));
    }
    if name.contains([':', '*']) || format!("{name}:x").parse::<ToolName>().is_err() {
        return Err(Error::new(Code::Config, format!("a server cannot have the name `{shown}`"))
            .with_hint("use visible characters only, and no space, `:` or `*`"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::ServerConfig;

    #[test]
    fn a_name_must_make_tool_names() {
        let named = |name: &str| ServerConfig::http(name, "http://localhost/mcp");
        assert!(named("my-server").is_ok());
        for name in ["pml", "", "a:b", "a b", "a*", "x\u{202e}", "call", "__proto__"] {
            assert!(named(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn what_variables_were_put_into_is_not_printed() {
        let http = ServerConfig::http("x", "https://me:hunter2@host/hunter2?k=hunter2").unwrap();
        let stdio = ServerConfig::stdio("x", "serve", ["--key", "hunter2"], "/").unwrap();
        let printed = format!("{http:?} {stdio:?}");
        assert!(!printed.contains("hunter2"), "{printed}");
        assert!(printed.contains("host") && printed.contains("serve"), "{printed}");
    }

    #[test]
    fn the_launch_line_is_the_identity() {
        let of = |command: &str, arguments: &[&str]| {
            let arguments = arguments.iter().copied();
            ServerConfig::stdio("x", command, arguments, "/").expect("a server").identity
        };
        assert_eq!(of("npx", &["a"]), of("npx", &["a"]));
        assert_ne!(of("npx", &["a"]), of("npx", &["b"]));
        assert_ne!(of("npx", &["a", "b"]), of("npx", &["a b"]));
    }
}

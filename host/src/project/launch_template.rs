//! How a server is started or reached, before variables are expanded.
//!
//! Input: a [`RawServer`]. Output: a [`LaunchTemplate`].
//!
//! **Invariant:** every text in it can be expanded.

use super::document::Document;
use super::expand::Template;
use super::fields::{LocatedText, shown};
use super::parts::UnusableCause;
use super::raw_server::RawServer;
use crate::error::Error;

/// How a server is started or reached.
#[derive(Clone, Debug)]
pub(super) enum LaunchTemplate {
    Stdio {
        command: Template,
        arguments: Vec<Template>,
        environment: Vec<(String, Template)>,
        folder: Option<Template>,
    },
    Http {
        url: Template,
        headers: Vec<(String, Template)>,
    },
    /// It can be neither started nor reached.
    Unusable {
        cause: UnusableCause,
        reason: String,
    },
}

impl LaunchTemplate {
    fn unusable(cause: UnusableCause, reason: impl Into<String>) -> LaunchTemplate {
        LaunchTemplate::Unusable { cause, reason: reason.into() }
    }
}

/// Determines how a server is started or reached.
pub(super) fn launch_template(
    raw: &RawServer,
    document: &Document,
) -> Result<LaunchTemplate, Error> {
    let of = &raw.key;
    let kind = raw.kind.as_ref().map(|kind| (kind.value.as_str(), kind.at));
    if let Some((kind, at)) = kind
        && !["stdio", "http", "streamable-http", "sse", "ws"].contains(&kind)
    {
        let message = format!("`{of}.type` is {}, which is no type of server", shown(kind));
        return Err(document.error_at(at, message).with_hint("write `stdio` or `http`"));
    }
    if raw.is_pml() {
        return Ok(LaunchTemplate::unusable(UnusableCause::PmlItself, "its command is pml itself"));
    }
    if raw.disabled {
        return Ok(LaunchTemplate::unusable(UnusableCause::Disabled, "it is disabled"));
    }
    if let Some((old @ ("sse" | "ws"), _)) = kind {
        let reason =
            format!("its type `{old}` is not supported: use `http` if the server has it too");
        return Ok(LaunchTemplate::unusable(UnusableCause::Mistake, reason));
    }
    let template = |text: &LocatedText| {
        let checked = match text.value.contains('\0') {
            true => Err(String::from("the text has a NUL character in it")),
            false => Template::parse(&text.value),
        };
        checked.map_err(|message| {
            let hint = "variables are written `${NAME}` or `${NAME:-default}`";
            document.error_at(text.at, message).with_hint(hint)
        })
    };
    let pairs = |key: &str,
                 pairs: &[(LocatedText, LocatedText)],
                 valid: fn(&str) -> bool,
                 thing: &str| {
        let pair = |(name, value): &(LocatedText, LocatedText)| match valid(&name.value) {
            true => Ok((name.value.clone(), template(value)?)),
            false => {
                let message =
                    format!("{} in `{of}.{key}` is not the name of {thing}", shown(&name.value));
                Err(document.error_at(name.at, message))
            }
        };
        pairs.iter().map(pair).collect::<Result<Vec<_>, Error>>()
    };
    match (kind.map(|(kind, _)| kind), &raw.command, &raw.url) {
        (_, Some(_), Some(url)) => {
            let message = format!("`{of}` has both `command` and `url`");
            Err(document.error_at(url.at, message).with_hint(
                "keep `command` for a program on this machine, or `url` for a remote server",
            ))
        }
        (None | Some("stdio"), Some(command), None) if !command.value.is_empty() => {
            Ok(LaunchTemplate::Stdio {
                command: template(command)?,
                arguments: raw.arguments.iter().map(template).collect::<Result<_, _>>()?,
                environment: pairs("env", &raw.environment, is_environment, "a variable")?,
                folder: raw.folder.as_ref().map(template).transpose()?,
            })
        }
        (None | Some("http" | "streamable-http"), None, Some(url)) => {
            let written = template(url)?;
            if written.is_plain() && !is_http(written.written()) {
                return Err(document.error_at(url.at, format!("`{of}.url` {NOT_A_URL}")));
            }
            Ok(LaunchTemplate::Http {
                url: written,
                headers: pairs("headers", &raw.headers, is_header, "a header")?,
            })
        }
        (kind, ..) => {
            let needed = match kind {
                Some("stdio") => "`command`",
                Some(_) => "`url`",
                None => "`command` and no `url`",
            };
            let hint = match kind {
                Some("stdio") => "add the program that starts it, as in `\"command\": \"npx\"`",
                Some(_) => "add its URL, as in `\"url\": \"https://host.example/mcp\"`",
                None => "add the `command` that starts it, or the `url` of a remote server",
            };
            Err(document.error_at(raw.at, format!("`{of}` has no {needed}")).with_hint(hint))
        }
    }
}

/// What is said about a text that is no URL of a server.
pub(super) const NOT_A_URL: &str = "is not a URL that begins with `https://` or `http://`";

fn is_environment(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

fn is_header(name: &str) -> bool {
    reqwest::header::HeaderName::from_bytes(name.as_bytes()).is_ok()
}

/// Reports whether a text is a valid URL of a server.
pub(super) fn is_http(text: &str) -> bool {
    let url = reqwest::Url::parse(text);
    url.is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

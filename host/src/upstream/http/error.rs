//! Why a server behind a URL does not answer.

use super::super::secrets::ServerSecrets;
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// What went wrong between us and a URL. Texts of the server in it are escaped and cut, and its
/// secrets hidden.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(in super::super) enum HttpError {
    /// It is not one.
    #[error("its URL cannot be used: {0}")]
    Url(String),
    /// Anybody on the way could read the headers.
    #[error(
        "its headers may hold keys, and `http:` to another machine shows them to anybody: use `https:`"
    )]
    Plain,
    /// It cannot be sent.
    #[error("the header `{0}` cannot be set")]
    Header(String),
    /// The client itself.
    #[error("the HTTP client does not work: {0}")]
    Client(String),
    /// Nothing was sent.
    #[error("no connection to {at}: {why}")]
    Connect { at: String, why: String },
    /// Something was sent, and the answer did not come.
    #[error("the connection to {at} broke: {why}")]
    Broken { at: String, why: String },
    /// It sends us elsewhere.
    #[error(
        "{at} redirects to {to}, which is not followed: if that is meant, put it into the configuration"
    )]
    Redirected { at: String, to: String },
    /// It does not like our credentials, or wants some.
    #[error("{at} refuses access (HTTP {status}): check its headers and keys")]
    Unauthorized { at: String, status: u16 },
    /// It does not like the request.
    #[error("{at} answers with HTTP {status}{}", colon(said))]
    Status { at: String, status: u16, said: String },
    /// It does not speak MCP.
    #[error(
        "{at} answers with `{found}`, not with JSON or events: is it the URL of an MCP server?"
    )]
    ContentType { at: String, found: String },
    /// It says too much.
    #[error("the answer is larger than 32 MiB")]
    TooLarge,
}

impl HttpError {
    /// Returns what a failed exchange with `at` means.
    pub(super) fn of(at: &str, error: &reqwest::Error, secrets: &ServerSecrets) -> HttpError {
        let (at, why) = (at.to_owned(), cause(error, secrets));
        match error.is_connect() {
            true => HttpError::Connect { at, why },
            false => HttpError::Broken { at, why },
        }
    }
}

/// Returns what went wrong, if it was in our client: rmcp wraps it without naming it as a source.
pub(in super::super) fn known<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> Option<&'e HttpError> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(StreamableHttpError::Client(known)) = error.downcast_ref() {
            return Some(known);
        }
        if let Some(known) = error.downcast_ref() {
            return Some(known);
        }
        next = error.source();
    }
    None
}

/// Returns the innermost cause. An I/O error hides what it was made of from its chain.
fn cause(error: &(dyn std::error::Error + 'static), secrets: &ServerSecrets) -> String {
    let mut next = Some(error);
    while let Some(error) = next {
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if let Some(inner) = inner {
            return cause(inner, secrets);
        }
        if error.source().is_none() {
            return secrets.words(&error.to_string());
        }
        next = error.source();
    }
    secrets.root(error)
}

/// Returns whether TLS failed: trying again would not help.
pub(super) fn is_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<rustls::Error>() {
            return true;
        }
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        next = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    false
}

fn colon(said: &str) -> String {
    match said.is_empty() {
        true => String::new(),
        false => format!(": {said}"),
    }
}

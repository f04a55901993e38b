//! The errors of using a server at a URL.

use super::super::secrets::ServerSecrets;
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// The reason why an exchange with a URL failed. Text from the server is escaped and shortened, and
/// its secrets are hidden.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(in super::super) enum HttpError {
    /// The URL is not valid.
    #[error("its URL cannot be used: {0}")]
    Url(String),
    /// Everyone on the network path could read the headers.
    #[error(
        "its headers may hold keys, and `http:` to another machine shows them to anybody: use `https:`"
    )]
    Plain,
    /// The header cannot be sent.
    #[error("the header `{0}` cannot be set")]
    Header(String),
    /// The client could not be built.
    #[error("the HTTP client does not work: {0}")]
    Client(String),
    /// No connection was made, so nothing was sent.
    #[error("no connection to {origin}: {cause}")]
    Connect { origin: String, cause: String },
    /// The request was sent, but the answer did not arrive.
    #[error("the connection to {origin} broke: {cause}")]
    Broken { origin: String, cause: String },
    /// The server redirects to another address.
    #[error(
        "{origin} redirects to {to}, which is not followed: if that is meant, put it into the configuration"
    )]
    Redirected { origin: String, to: String },
    /// The server refuses the credentials, or requires some.
    #[error("{origin} refuses access (HTTP {status}): check its headers and keys")]
    Unauthorized { origin: String, status: u16 },
    /// The server refuses the request.
    #[error("{origin} answers with HTTP {status}{}", after_colon(body))]
    Status { origin: String, status: u16, body: String },
    /// The server does not speak MCP.
    #[error(
        "{origin} answers with `{found}`, not with JSON or events: is it the URL of an MCP server?"
    )]
    ContentType { origin: String, found: String },
    /// The answer is too large.
    #[error("the answer is larger than 32 MiB")]
    TooLarge,
}

impl HttpError {
    /// Returns the error for a failed exchange with `origin`.
    pub(super) fn of(origin: &str, error: &reqwest::Error, secrets: &ServerSecrets) -> HttpError {
        let (origin, cause) = (origin.to_owned(), cause(error, secrets));
        match error.is_connect() {
            true => HttpError::Connect { origin, cause },
            false => HttpError::Broken { origin, cause },
        }
    }
}

/// Returns the error of our own client in a chain. rmcp wraps it without exposing it as a source.
pub(in super::super) fn find_http_error<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> Option<&'e HttpError> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(StreamableHttpError::Client(found)) = error.downcast_ref() {
            return Some(found);
        }
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// Returns the innermost cause. The chain of an I/O error does not include the error that it was
/// made from.
fn cause(error: &(dyn std::error::Error + 'static), secrets: &ServerSecrets) -> String {
    let mut next = Some(error);
    while let Some(error) = next {
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if let Some(inner) = inner {
            return cause(inner, secrets);
        }
        if error.source().is_none() {
            return secrets.safe_text(&error.to_string());
        }
        next = error.source();
    }
    secrets.root_cause(error)
}

/// Reports whether TLS failed. Then trying again does not help.
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

fn after_colon(body: &str) -> String {
    match body.is_empty() {
        true => String::new(),
        false => format!(": {body}"),
    }
}

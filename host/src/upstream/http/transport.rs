//! The settings of a connection to a URL.

use super::super::secrets::ServerSecrets;
use super::HttpError;
use super::address;
use super::client::{HttpClient, MAX_ANSWER};
use crate::model::Secret;
use reqwest::redirect::{Attempt, Policy};
use reqwest::{StatusCode, Url};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use std::sync::Arc;
use std::time::Duration;

/// Time limit for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of redirects within an origin that are followed.
const MAX_REDIRECTS: usize = 5;

/// Maximum number of concurrent requests: as many as a run may have calls in flight.
const MAX_CONCURRENT: usize = 256;

/// Maximum number of times that a broken event stream is opened again.
const MAX_RECONNECTS: usize = 5;

/// Returns a transport to the server at `url`. A `server/discover` without an answer within
/// `probe_timeout` counts as refused.
pub(in super::super) fn transport(
    url: &str,
    headers: &[(String, Secret)],
    secrets: &Arc<ServerSecrets>,
    probe_timeout: Option<Duration>,
) -> Result<StreamableHttpClientTransport<HttpClient>, HttpError> {
    let url = address::url(url)?;
    let client = HttpClient::new(builder(&url, headers)?, &url, secrets, probe_timeout)?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .max_concurrent_requests(MAX_CONCURRENT)
        .max_sse_event_size(MAX_ANSWER);
    let mut backoff = ExponentialBackoff::default();
    backoff.max_times = Some(MAX_RECONNECTS);
    config.retry_config = Arc::new(backoff);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// Returns the settings of a client for the server at `url`.
pub(super) fn builder(
    url: &Url,
    headers: &[(String, Secret)],
) -> Result<reqwest::ClientBuilder, HttpError> {
    let headers = address::headers(url, headers)?;
    // An embedder may have chosen a provider for the process. Then that one is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut client = reqwest::Client::builder()
        .default_headers(headers)
        .user_agent(concat!("pml/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .referer(false)
        .redirect(Policy::custom(follow));
    if address::is_loopback(url) {
        client = client.no_proxy();
    }
    Ok(client)
}

/// Follows a redirect within the origin that preserves method and body. Any other redirect is
/// returned as the response, and nothing is sent to its target.
fn follow(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let preserves_request =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let first = attempt.previous().first();
    let same = first.is_some_and(|first| first.origin() == attempt.url().origin());
    match preserves_request && same && attempt.previous().len() <= MAX_REDIRECTS {
        true => attempt.follow(),
        false => attempt.stop(),
    }
}

//! Connects to a server for the first time, in the protocol era that it supports.
//!
//! If the era is unknown, it is probed: first with `server/discover`, then with the handshake. A
//! remembered era saves the probe. If the server no longer supports it, the other era is tried,
//! with a new process.

use super::client::UpstreamClient;
use super::connection::{Connection, ConnectionParts, ServerDescription};
use super::error::find_error;
use super::http::{self, HttpError};
use super::identity::ServerIdentity;
use super::secrets::ServerSecrets;
use super::stdio::{CommandLine, ServerProcess, StdioTransport};
use crate::config::{Launch, ServerConfig};
use crate::model::ProtocolEra;
use crate::upstream::output_tail::OutputTail;
use rmcp::model::ProtocolVersion;
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RoleClient, RunningService, ServerSink,
    serve_client_with_lifecycle_and_ct,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Time limit for the answer to the probe. Servers that do not support it refuse it within
/// milliseconds.
pub(super) const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// A server that has just completed its first exchange.
pub(super) struct StartedServer {
    pub(super) connection: Connection,
    pub(super) service: RunningService<RoleClient, UpstreamClient>,
    pub(super) process: Option<ServerProcess>,
}

impl StartedServer {
    /// Ends a server that is not needed. Returns how it ended, if it did so by itself.
    pub(super) async fn end(mut self) -> Option<String> {
        let ended = match (self.connection.is_closed(), self.process.as_mut()) {
            (true, Some(process)) => process.wait_exit().await,
            _ => None,
        };
        // Cancelling fails only if its task has ended already.
        let _ = self.service.cancel().await;
        if let Some(process) = self.process {
            process.stop().await;
        }
        ended
    }
}

/// A failed attempt to connect.
struct ConnectFailure {
    reason: String,
    /// The era to try next, if there is one.
    next_era: Option<ProtocolEra>,
    /// Whether the server closed the connection without an answer.
    closed: bool,
}

/// Starts or reaches a server.
pub(super) async fn connect(
    config: &ServerConfig,
    identity: &ServerIdentity,
    remembered: Option<ProtocolEra>,
    tail: &Arc<OutputTail>,
) -> Result<StartedServer, String> {
    let first = match attempt(config, identity, remembered, tail).await {
        Ok(connected) => return Ok(connected),
        Err(first) => first,
    };
    let Some(next_era) = first.next_era else { return Err(first.reason) };
    tail.clear();
    let second = attempt(config, identity, Some(next_era), tail).await;
    second.map_err(|second| if first.closed { second.reason } else { first.reason })
}

async fn attempt(
    config: &ServerConfig,
    identity: &ServerIdentity,
    era: Option<ProtocolEra>,
    tail: &Arc<OutputTail>,
) -> Result<StartedServer, ConnectFailure> {
    let fatal = |reason| ConnectFailure { reason, next_era: None, closed: false };
    let began = Instant::now();
    let client = UpstreamClient::default();
    let stop = CancellationToken::new();
    let probe_timeout = era.is_none().then_some(PROBE_TIMEOUT);
    let (service, process) = match &config.launch {
        Launch::Stdio { command, arguments, environment, folder } => {
            let line = CommandLine { command, arguments, environment, folder };
            let (mut process, stdin, stdout) =
                ServerProcess::start(&line, tail.clone()).map_err(fatal)?;
            let pipes = StdioTransport::new(stdin, stdout, tail.clone(), probe_timeout);
            let begun = serve_client_with_lifecycle_and_ct(
                client.clone(),
                pipes,
                mode(era),
                stop.child_token(),
            );
            match begun.await {
                Ok(service) => (service, Some(process)),
                Err(error) => {
                    let closed = is_closed(&error);
                    let ended = match closed {
                        true => process.wait_exit().await,
                        false => None,
                    };
                    process.stop().await;
                    let reason = ended.unwrap_or_else(|| describe_failure(&error, tail.secrets()));
                    let next_era = next_era(era, &error, began.elapsed());
                    return Err(ConnectFailure { reason, next_era, closed });
                }
            }
        }
        Launch::Http { url, headers } => {
            let transport = http::transport(url, headers, tail.secrets(), probe_timeout)
                .map_err(|error| fatal(error.to_string()))?;
            let begun = serve_client_with_lifecycle_and_ct(
                client.clone(),
                transport,
                mode(era),
                stop.child_token(),
            );
            match begun.await {
                Ok(service) => (service, None),
                Err(error) => {
                    let next_era = next_era(era, &error, began.elapsed());
                    return Err(ConnectFailure {
                        reason: describe_failure(&error, tail.secrets()),
                        next_era,
                        closed: false,
                    });
                }
            }
        }
    };
    let peer = service.peer().clone();
    let description = describe_server(&peer, process.as_ref(), tail.secrets());
    let parts = ConnectionParts {
        server: config.name.clone(),
        identity: identity.clone(),
        peer,
        tracker: client.tracker,
        changes: client.changes,
        tail: tail.clone(),
        limit: config.call_timeout,
        description,
        stop,
    };
    Ok(StartedServer { connection: Connection::new(parts), service, process })
}

/// Returns the era to try next, after a server failed to begin in `era`.
fn next_era(
    era: Option<ProtocolEra>,
    error: &ClientInitializeError,
    after: Duration,
) -> Option<ProtocolEra> {
    match era {
        // A server that crashes on the probe may work without it.
        None if is_closed(error) => Some(ProtocolEra::Legacy),
        None if wants_handshake(error) => Some(ProtocolEra::Legacy),
        // A server that takes longer to start than the probe's time limit has only received the
        // handshake.
        None if is_refusal(error) && after >= PROBE_TIMEOUT => Some(ProtocolEra::Modern),
        Some(ProtocolEra::Legacy) if is_refusal(error) => Some(ProtocolEra::Modern),
        Some(ProtocolEra::Modern) if is_refusal(error) || is_closed(error) => {
            Some(ProtocolEra::Legacy)
        }
        _ => None,
    }
}

fn mode(era: Option<ProtocolEra>) -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    match era {
        Some(ProtocolEra::Legacy) => ClientLifecycleMode::Initialize,
        Some(ProtocolEra::Modern) => ClientLifecycleMode::Discover { preferred_versions },
        None => ClientLifecycleMode::Auto {
            preferred_versions,
            legacy_version: Some(ProtocolVersion::V_2025_11_25),
        },
    }
}

fn describe_server(
    peer: &ServerSink,
    process: Option<&ServerProcess>,
    secrets: &ServerSecrets,
) -> ServerDescription {
    let info = peer.peer_info();
    let info = info.as_deref();
    let protocol = info.map_or(&ProtocolVersion::V_2025_11_25, |info| &info.protocol_version);
    let own = info.and_then(|info| info.server_info.as_ref());
    ServerDescription {
        era: if protocol.has_initialize() { ProtocolEra::Legacy } else { ProtocolEra::Modern },
        protocol: secrets.safe_text(protocol.as_str()),
        title: own.map(|own| secrets.safe_text(&own.name)),
        version: own.map(|own| secrets.safe_text(&own.version)),
        announces_changes: info
            .and_then(|info| info.capabilities.tools.as_ref())
            .is_some_and(|tools| tools.list_changed == Some(true)),
        pid: process.and_then(ServerProcess::pid),
        group: process.and_then(ServerProcess::group),
    }
}

/// Reports whether the server answered the probe with versions that need the handshake.
fn wants_handshake(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            server_supported.iter().any(ProtocolVersion::has_initialize)
        }
        _ => false,
    }
}

/// Reports whether the server closed the connection before it answered.
fn is_closed(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::ConnectionClosed(_) => true,
        // It closed its stdin.
        ClientInitializeError::TransportError { error, .. } => {
            find_error::<HttpError>(error).is_none()
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => is_closed(fallback),
        _ => false,
    }
}

/// Reports whether the server answered with a refusal.
fn is_refusal(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::JsonRpcError(_)
        | ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::NoCompatibleProtocolVersion { .. } => true,
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => is_refusal(fallback),
        _ => false,
    }
}

fn describe_failure(error: &ClientInitializeError, secrets: &ServerSecrets) -> String {
    match error {
        ClientInitializeError::ConnectionClosed(_) => {
            "it closed the connection before it answered".into()
        }
        ClientInitializeError::JsonRpcError(error) => {
            format!("it refuses to begin: {} ({})", secrets.safe_text(&error.message), error.code.0)
        }
        ClientInitializeError::TransportError { error, .. } => match http::find_http_error(error) {
            Some(known) => known.to_string(),
            None => secrets.root_cause(error),
        },
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<_> =
                server_supported.iter().map(|version| version.as_str()).collect();
            format!(
                "it speaks revisions of MCP that pml does not know: {}",
                secrets.safe_text(&versions.join(", "))
            )
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
            describe_failure(fallback, secrets)
        }
        other => secrets.safe_text(&other.to_string()),
    }
}

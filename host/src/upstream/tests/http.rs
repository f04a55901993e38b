//! Servers at a URL: rmcp's own in both eras, and some that misbehave.

use super::{PATIENCE, call, eventually, upstreams};
use crate::config::{Launch, ServerConfig};
use crate::model::{ProtocolEra, Secret};
use crate::upstream::{ServerState, Upstreams};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities,
    ServerConfig as Info, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

/// A server made with rmcp, with the tools `echo` and `slow`.
#[derive(Clone)]
struct Real {
    versions: &'static [ProtocolVersion],
    begun: Arc<AtomicUsize>,
    cancelled: Arc<AtomicUsize>,
}

impl ServerHandler for Real {
    fn get_info(&self) -> Info {
        Info::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(self.versions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({ "type": "object" }).as_object().cloned().unwrap_or_default();
        let tool = |name: &'static str| Tool::new(name, "Fake.", schema.clone());
        Ok(ListToolsResult::with_all_items(vec![tool("echo"), tool("slow")]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "slow" {
            self.begun.fetch_add(1, Ordering::SeqCst);
            context.ct.cancelled().await;
            self.cancelled.fetch_add(1, Ordering::SeqCst);
        }
        let text = Value::Object(request.arguments.unwrap_or_default()).to_string();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

const LEGACY: &[ProtocolVersion] = &[ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25];

async fn serve(app: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}/mcp")
}

async fn real(
    versions: &'static [ProtocolVersion],
    config: StreamableHttpServerConfig,
) -> (String, Real) {
    let real = Real { versions, begun: Arc::default(), cancelled: Arc::default() };
    let one = real.clone();
    let manager = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(one.clone()), manager, config);
    (serve(Router::new().nest_service("/mcp", service)).await, real)
}

pub(super) fn upstreams_at(url: &str, headers: &[(&str, &str)]) -> Upstreams {
    let mut config = ServerConfig::http("fake", url).expect("a server");
    if let Launch::Http { headers: given, .. } = &mut config.launch {
        given.extend(headers.iter().map(|(name, value)| ((*name).into(), Secret::new(*value))));
    }
    upstreams(config)
}

async fn assert_echoes(upstreams: &Upstreams) {
    assert_eq!(call(upstreams, "echo", json!({ "n": 1 })).await, Ok(json!({ "n": 1 })));
}

#[tokio::test]
async fn both_eras_answer_with_events_and_with_json() {
    let json = || {
        let mut config = StreamableHttpServerConfig::default();
        config.legacy_session_mode = false;
        config.json_response = true;
        config
    };
    let all = ProtocolVersion::KNOWN_VERSIONS;
    for (versions, config, era) in [
        (LEGACY, StreamableHttpServerConfig::default(), ProtocolEra::Legacy),
        (LEGACY, json(), ProtocolEra::Legacy),
        (all, StreamableHttpServerConfig::default(), ProtocolEra::Modern),
        (all, json(), ProtocolEra::Modern),
    ] {
        let (url, _) = real(versions, config).await;
        let upstreams = upstreams_at(&url, &[]);
        assert_echoes(&upstreams).await;
        let status = upstreams.status().remove(0);
        assert_eq!((status.state, status.era, status.pid), (ServerState::Running, Some(era), None));
        assert_eq!(upstreams.current_tools("fake").expect("listed").tools().len(), 2);
        let many = futures_util::future::join_all((0..50).map(|_| assert_echoes(&upstreams)));
        many.await;
        upstreams.close().await;
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_withdrawn_in_both_eras() {
    for versions in [LEGACY, ProtocolVersion::KNOWN_VERSIONS] {
        let (url, server) = real(versions, StreamableHttpServerConfig::default()).await;
        let upstreams = upstreams_at(&url, &[]);
        assert_echoes(&upstreams).await;
        {
            let slow = call(&upstreams, "slow", json!({}));
            let begun = eventually("it began", || server.begun.load(Ordering::SeqCst) == 1);
            tokio::select! {
                _ = slow => panic!("nobody released it"),
                () = begun => {}
            }
        }
        eventually("it was told", || server.cancelled.load(Ordering::SeqCst) == 1).await;
        assert_echoes(&upstreams).await;
        upstreams.close().await;
    }
}

/// Makes the response to a request.
pub(super) type Answer = Arc<dyn Fn() -> Response + Send + Sync>;

/// A hand-written server, with a handshake and JSON answers, that records its requests.
#[derive(Clone, Default)]
pub(super) struct Raw {
    seen: Arc<Mutex<Vec<(Method, HeaderMap, String)>>>,
    /// The response to a call, if not its arguments.
    pub(super) answer: Option<Answer>,
    /// The response to every request.
    pub(super) always: Option<Answer>,
}

impl Raw {
    pub(super) async fn serve(&self) -> String {
        let app = Router::new().fallback(handle).with_state(self.clone());
        serve(app).await
    }

    fn count(&self) -> usize {
        self.seen.lock().expect("not poisoned").len()
    }
}

async fn handle(
    State(raw): State<Raw>,
    method: Method,
    headers: HeaderMap,
    body: String,
) -> Response {
    raw.seen.lock().expect("not poisoned").push((method.clone(), headers, body.clone()));
    if let Some(always) = &raw.always {
        return always();
    }
    if method != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let request: Value = serde_json::from_str(&body).expect("JSON");
    let result = match request["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
            "serverInfo": { "name": "raw", "version": "1" },
        }),
        Some("tools/list") => {
            json!({ "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }] })
        }
        Some("tools/call") if raw.answer.is_some() => {
            return raw.answer.as_ref().expect("checked")();
        }
        Some("tools/call") => {
            json!({ "structuredContent": request["params"]["arguments"], "content": [] })
        }
        Some("server/discover") => return (StatusCode::BAD_REQUEST, "what?").into_response(),
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
    ([(header::CONTENT_TYPE, "application/json")], answer.to_string()).into_response()
}

fn redirect(to: String) -> Answer {
    Arc::new(move || {
        (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to.clone())]).into_response()
    })
}

#[tokio::test]
async fn headers_go_along_with_every_request() {
    let raw = Raw::default();
    let upstreams = upstreams_at(&raw.serve().await, &[("Authorization", "Bearer hunter22")]);
    assert_echoes(&upstreams).await;
    upstreams.close().await;
    let seen = raw.seen.lock().expect("not poisoned");
    assert!(seen.len() >= 4);
    assert!(seen.iter().all(|(_, headers, _)| headers["authorization"] == "Bearer hunter22"));
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_refused_and_nothing_is_sent_there() {
    let other = Raw::default();
    let elsewhere = other.serve().await;
    for when in ["always", "in a call"] {
        let mut raw = Raw::default();
        match when {
            "always" => raw.always = Some(redirect(elsewhere.clone())),
            _ => raw.answer = Some(redirect(elsewhere.clone())),
        }
        let upstreams = upstreams_at(&raw.serve().await, &[("Authorization", "Bearer hunter22")]);
        let error = call(&upstreams, "echo", json!({})).await.expect_err("it redirects");
        assert_eq!(error.code, "SERVER_FAILED");
        let to = elsewhere.trim_end_matches("/mcp");
        assert!(
            error.message.contains(&format!("redirects to `{to}`, which is not followed")),
            "{}",
            error.message
        );
        upstreams.close().await;
    }
    assert_eq!(other.count(), 0);
}

#[tokio::test]
async fn a_redirect_within_the_origin_is_followed() {
    let raw = Raw::default();
    let app =
        Router::new().route("/mcp", axum::routing::any(|| async { redirect("/there".into())() }));
    let url = serve(app.fallback(handle).with_state(raw.clone())).await;
    let upstreams = upstreams_at(&url, &[("X-Key", "hunter22")]);
    assert_echoes(&upstreams).await;
    upstreams.close().await;
    assert!(raw.count() > 0);
}

#[tokio::test]
async fn what_does_not_speak_mcp_is_named() {
    let answers: [(&str, Answer); 4] = [
        (
            "is it the URL of an MCP server?",
            Arc::new(|| ([(header::CONTENT_TYPE, "text/html")], "<p>").into_response()),
        ),
        ("refuses access (HTTP 401)", Arc::new(|| StatusCode::UNAUTHORIZED.into_response())),
        (
            "answers with HTTP 503: come \\u{1b} later",
            Arc::new(|| (StatusCode::SERVICE_UNAVAILABLE, "come \x1b later").into_response()),
        ),
        (
            "it is not an answer of JSON-RPC",
            Arc::new(|| ([(header::CONTENT_TYPE, "application/json")], "[1]").into_response()),
        ),
    ];
    for (message, answer) in answers {
        let raw = Raw { always: Some(answer), ..Raw::default() };
        let upstreams = upstreams_at(&raw.serve().await, &[]);
        let error = upstreams.list_tools("fake").await.expect_err(message).to_string();
        assert!(error.contains(message), "{error}");
        assert!(error.starts_with("server `fake` cannot be reached: "), "{error}");
        assert!(!error.contains("Client error"), "{error}");
    }
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_an_error() {
    let large = || {
        let text = "x".repeat(33 << 20);
        ([(header::CONTENT_TYPE, "application/json")], text).into_response()
    };
    let raw = Raw { answer: Some(Arc::new(large)), ..Raw::default() };
    let upstreams = upstreams_at(&raw.serve().await, &[]);
    let error = call(&upstreams, "echo", json!({})).await.expect_err("too large");
    assert!(error.message.contains("the answer is larger than 32 MiB"), "{}", error.message);
    upstreams.close().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_its_secrets() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        listener.local_addr().expect("an address").port()
    };
    let upstreams = upstreams_at(&format!("http://127.0.0.1:{port}/mcp?key=hunter22"), &[]);
    let error =
        tokio::time::timeout(PATIENCE, upstreams.list_tools("fake")).await.expect("in time");
    let error = error.expect_err("not there").to_string();
    assert!(error.contains(&format!("no connection to `http://127.0.0.1:{port}`")), "{error}");
    assert!(error.contains("refused"), "{error}");
    assert!(!error.contains("hunter22"), "{error}");
}

#[tokio::test]
async fn keys_are_not_sent_in_the_clear_to_another_machine() {
    let upstreams = upstreams_at("http://192.0.2.1/mcp", &[("Authorization", "Bearer hunter22")]);
    let error = upstreams.list_tools("fake").await.expect_err("refused").to_string();
    assert!(error.contains("use `https:`"), "{error}");
}

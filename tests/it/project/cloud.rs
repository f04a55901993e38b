//! Calls that a project routes to its cloud, with a fake one: a listener that speaks just enough
//! MCP.

use crate::pml;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use pml::json::{self, Value, json};
use pml_kit::TestEnv;
use std::sync::{Arc, Mutex};

/// What reached the cloud: the tool, its arguments, and two headers.
type Seen = Arc<Mutex<Vec<(Value, Value, String, String)>>>;

/// Starts a cloud. Returns its URL.
async fn cloud(seen: Seen) -> String {
    let answer = move |headers: HeaderMap, body: String| {
        let seen = seen.clone();
        async move {
            let message: Value = json::from_str(&body).expect("JSON");
            let header = |name: &str| {
                headers.get(name).map_or("", |value| value.to_str().expect("text")).to_owned()
            };
            let result = match message["method"].as_str() {
                Some("initialize") => {
                    json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} },
                    "serverInfo": { "name": "cloud", "version": "1" } })
                }
                Some("tools/call") => {
                    let params = &message["params"];
                    let call = (params["name"].clone(), params["arguments"].clone());
                    let (client, key) = (header("x-pml-client"), header("x-api-key"));
                    seen.lock().expect("no panic").push((call.0, call.1, client, key));
                    json!({ "content": [], "structuredContent": { "found": 3 } })
                }
                Some("tools/list") => json!({ "tools": [] }),
                _ if message.get("id").is_none() => return StatusCode::ACCEPTED.into_response(),
                _ => {
                    let error = json!({ "code": -32601, "message": "no such method" });
                    let body = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
                    return ([("content-type", "application/json")], body.to_string())
                        .into_response();
                }
            };
            let body = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
            ([("content-type", "application/json")], body.to_string()).into_response()
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let router = axum::Router::new().route("/mcp", post(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

fn project(url: &str) -> TestEnv {
    let env = pml();
    let settings = json!({
        "permissions": { "allow": ["*"], "deny": ["tavily:delete_*"] },
        "routing": { "own": "server" },
        "cloud": { "url": url, "apiKeyEnv": "CLOUD_KEY" },
    });
    env.write(".pml.json", settings.to_string());
    env.write(".env", "CLOUD_KEY=k3y\n");
    env
}

async fn eval(env: &TestEnv, code: &'static str) -> (String, String) {
    let mut command = env.command(&["eval", "--trust", "--yes", code]);
    let output = tokio::task::spawn_blocking(move || command.output().expect("it runs"));
    let output = output.await.expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_the_clouds_servers_go_there_with_who_asks() {
    let seen = Seen::default();
    let env = project(&cloud(seen.clone()).await);
    let code =
        "return [(await mcp.tavily.search({ q: 'x' })).found, (await mcp.own.thing()).found]";
    let (stdout, stderr) = eval(&env, code).await;
    assert_eq!(stdout, "[3,3]\n", "{stderr}");
    let seen = seen.lock().expect("no panic");
    let who = ("package".to_owned(), "k3y".to_owned());
    assert_eq!(
        seen[0],
        (json!("tavily:search"), json!({ "q": "x" }), who.0.clone(), who.1.clone())
    );
    assert_eq!(seen[1].0, "own:thing");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_denied_reaches_the_cloud_under_no_spelling() {
    let seen = Seen::default();
    let env = project(&cloud(seen.clone()).await);
    for code in [
        "await mcp.tavily.delete_all()",
        "await mcp.Tavily.deleteAll()",
        "await mcp['t-avily']['delete-all']()",
    ] {
        let (_, stderr) = eval(&env, code).await;
        assert!(stderr.contains("TOOL_DENIED"), "{code}: {stderr}");
    }
    let (_, stderr) = eval(&env, "await mcp.nobody.knows()").await;
    assert!(stderr.contains("TOOL_UNKNOWN"), "{stderr}");
    assert!(seen.lock().expect("no panic").is_empty());
}

//! Tests of the room as a whole, with servers that misbehave: `tests/kit/fakes/fake_server.py`.

mod eras;
mod hostile;
mod http;
mod lists;
#[cfg(unix)]
mod orphans;
mod processes;
mod secrets;
mod tls;

use super::Upstreams;
use crate::config::{Launch, ServerConfig};
use crate::model::{CallError, Secret, SystemClock};
use crate::store::ServerCache;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Longer than anything here takes on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// Returns the fake server in one of its modes.
fn fake(mode: &str) -> ServerConfig {
    let script = project().join("tests/kit/fakes/fake_server.py");
    let arguments = ["-u", script.to_str().expect("UTF-8"), mode];
    ServerConfig::stdio("fake", "python3", arguments, project()).expect("a server")
}

fn project() -> PathBuf {
    let host = Path::new(env!("CARGO_MANIFEST_DIR"));
    host.parent().expect("the workspace").to_owned()
}

/// Adds an argument to a server's launch line.
fn with_argument(mut config: ServerConfig, argument: &Path) -> ServerConfig {
    if let Launch::Stdio { arguments, .. } = &mut config.launch {
        arguments.push(argument.to_str().expect("UTF-8").into());
    }
    config
}

fn with_variable(mut config: ServerConfig, name: &str, value: &str) -> ServerConfig {
    if let Launch::Stdio { environment, .. } = &mut config.launch {
        environment.push((name.into(), Secret::new(value)));
    }
    config
}

fn upstreams(config: ServerConfig) -> Upstreams {
    Upstreams::new(vec![config], None, Arc::new(SystemClock))
}

fn remembering(config: ServerConfig, folder: &Path) -> Upstreams {
    Upstreams::new(vec![config], Some(ServerCache::open(folder)), Arc::new(SystemClock))
}

async fn call(upstreams: &Upstreams, tool: &str, arguments: Value) -> Result<Value, CallError> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let budget = crate::model::RunBudget::of_nobody();
    let reply = upstreams.call("fake", tool, arguments, None, &budget).await?;
    Ok(serde_json::from_str(&reply).expect("JSON"))
}

fn none() -> Map<String, Value> {
    Map::new()
}

/// Calls `echo` and checks that it answers.
async fn works(upstreams: &Upstreams) {
    assert_eq!(call(upstreams, "echo", json!({ "n": 1 })).await, Ok(json!({ "n": 1 })));
}

/// Polls until `done` returns `true`, since the observed state sends no notifications.
async fn eventually(what: &str, done: impl Fn() -> bool) {
    let looking = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, looking).await.unwrap_or_else(|_| panic!("never: {what}"));
}

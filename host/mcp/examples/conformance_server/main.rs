//! A listener for the official conformance suite, which only speaks HTTP: pml's own handler at
//! `/mcp`, together with the tools, resources and prompts that the suite calls. For tests only;
//! `tests/it/real/conformance.rs` starts it.
//!
//! It prints the address that it serves, and runs until its stdin ends.

#![expect(
    deprecated,
    reason = "what the newest revision deprecates is still asked for by the suite"
)]

mod catalogue;
mod fixture;
mod rounds;
mod shared;
mod tools;

use fixture::Fixture;
use pml::{Config, Engine, Servers};
use pml_mcp::McpServer;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use shared::Shared;
use std::sync::Arc;

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example, and how the test learns the port")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::new(&Config::new())?;
    let door = McpServer::new(engine, Servers::new(Vec::new()));
    let shared = Arc::new(Shared::default());
    let service = StreamableHttpService::new(
        move || Ok(Fixture::new(door.clone(), shared.clone())),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default()
            .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*"]),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let served = axum::serve(listener, axum::Router::new().nest_service("/mcp", service));
    // It exits when the process that started it has exited.
    let gone =
        tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    tokio::select! {
        ended = served.into_future() => ended?,
        read = gone => drop(read?),
    }
    Ok(())
}

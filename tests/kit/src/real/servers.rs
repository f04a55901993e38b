//! The servers: three of the reference ones that speak the handshake of 2025, two of them that are
//! modern, and one that knows only the oldest protocol.

use super::clients::{node, python};
use super::install::{Group, npm};
use super::launch::Launch;
use std::path::Path;

const SERVERS: Group = npm(
    "servers",
    &[
        "@modelcontextprotocol/server-everything@2026.8.31",
        "@modelcontextprotocol/server-filesystem@2026.8.31",
        "@modelcontextprotocol/server-memory@2026.8.31",
        "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
        "mcp-server-commands@0.5.0",
    ],
);

/// The server that has some of everything: images, links, long calls, and `get-env`, which tells
/// its environment.
pub fn everything() -> Launch {
    module("@modelcontextprotocol/server-everything/dist/index.js").arg("stdio")
}

/// The same over streamable HTTP, at `/mcp` of `port`.
pub fn everything_over_http(port: u16) -> Launch {
    let server = module("@modelcontextprotocol/server-everything/dist/index.js");
    server.arg("streamableHttp").env("PORT", port.to_string())
}

/// Files below `folder`.
pub fn filesystem(folder: &Path) -> Launch {
    module("@modelcontextprotocol/server-filesystem/dist/index.js").arg(folder)
}

/// A graph of facts, kept in `file`: if it were told none, it would write into the cache.
pub fn memory(file: &Path) -> Launch {
    module("@modelcontextprotocol/server-memory/dist/index.js").env("MEMORY_FILE_PATH", file)
}

/// One tool with a large schema.
pub fn sequential_thinking() -> Launch {
    module("@modelcontextprotocol/server-sequential-thinking/dist/index.js")
}

/// `run_command`, over the protocol of 2024-11-05.
pub fn commands() -> Launch {
    module("mcp-server-commands/build/index.js")
}

/// A git repository, over the protocol of 2026-07-28.
pub fn git(repository: &Path) -> Launch {
    python().arg("-m").arg("mcp_server_git").arg("--repository").arg(repository)
}

/// Times and zones, over the protocol of 2026-07-28.
pub fn time() -> Launch {
    python().arg("-m").arg("mcp_server_time").arg("--local-timezone=UTC")
}

fn module(entry: &str) -> Launch {
    node().arg(SERVERS.folder().join("node_modules").join(entry))
}

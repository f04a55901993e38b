//! MCP servers as their authors publish them.

use pml::json::{self, Value, json};
use pml_kit::real::{self, Launch};
use std::io::{BufRead, BufReader, Write};
use tempfile::TempDir;

/// The revision that a server answers with when it is asked for the newest one that begins with a handshake.
fn answers_with(launch: &Launch) -> String {
    let folder = TempDir::new().expect("a folder");
    let mut child = launch.command(folder.path()).spawn().expect("it starts");
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    });
    let mut stdin = child.stdin.take().expect("piped");
    writeln!(stdin, "{hello}").expect("it reads");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("UTF-8");
    drop(stdin);
    child.wait().expect("it ends when its input does");
    let answer: Value = json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
    answer["result"]["protocolVersion"].as_str().unwrap_or_else(|| panic!("{answer}")).into()
}

#[test]
fn published_servers_start_with_an_empty_environment_and_speak_what_they_are_known_to() {
    let folder = TempDir::new().expect("a folder");
    for launch in [
        real::everything(),
        real::filesystem(folder.path()),
        real::memory(),
        real::sequential_thinking(),
        real::time(),
    ] {
        assert_eq!(answers_with(&launch), "2025-11-25", "{launch:?}");
    }
    assert_eq!(answers_with(&real::commands()), "2024-11-05");
}

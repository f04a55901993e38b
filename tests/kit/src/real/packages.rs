//! Projects whose servers are packages that `pml` installs itself, from the registries of this
//! machine.

use super::registries::{SMALL, registries};
use crate::{StdioClient, TestEnv};
use pml::json::{self, Value, json};
use std::process::Command;

/// Makes a trusted project whose server `hello` is a package that nobody has installed.
pub fn hello_project(env: TestEnv, permissions: &Value) -> TestEnv {
    let servers = json!({ "hello": { "command": "npx", "args": ["-y", SMALL] } });
    package_project(env, permissions, &servers)
}

/// Makes a trusted project with these servers.
pub fn package_project(env: TestEnv, permissions: &Value, servers: &Value) -> TestEnv {
    let settings = json!({ "version": "0.1.0", "permissions": permissions, "servers": servers });
    env.write(".pml.json", json::to_string_pretty(&settings).expect("JSON"));
    let trusted = registry_command(&env, &["trust", "--yes"]).output().expect("it runs");
    assert!(trusted.status.success(), "{}", String::from_utf8_lossy(&trusted.stderr));
    env
}

/// Returns the binary, which reaches the registries.
pub fn registry_command(env: &TestEnv, arguments: &[&str]) -> Command {
    let mut command = env.command(arguments);
    registries(&mut command);
    command
}

/// Starts `pml stdio`, which reaches the registries, with a client that cannot ask a person.
pub fn registry_client(env: &TestEnv) -> StdioClient {
    let mut client = StdioClient::start(&mut registry_command(env, &["stdio"]));
    client.initialize();
    client
}

/// Returns the structured content of a tool's result, of which its text must be a mirror.
pub fn mirrored(answer: &Value) -> Value {
    let result = &answer["result"];
    let body = result["structuredContent"].clone();
    let text = result["content"][0]["text"].as_str().expect("one text block");
    assert_eq!(json::from_str::<Value>(text).expect("JSON"), body, "the text is a mirror");
    body
}

//! Packages that servers are started from, as far as nothing is installed. What installs is in
//! `real/installs.rs`.

use crate::pml;
use pml::json::json;
use pml_kit::real::{hello_project, package_project, registry_client};
use pml_kit::{toolbox_client, toolbox_project, wait_until};
use std::fs;

#[test]
fn a_launch_line_whose_version_cannot_be_pinned_is_refused_with_what_to_write() {
    let servers =
        json!({ "hello": { "command": "npx", "args": ["-y", "github:someone/something"] } });
    let env = package_project(pml(), &json!({ "allow": ["*"] }), &servers);
    let failed = registry_client(&env).execute("return await mcp.hello.echo({ message: 'Ann' })");
    assert_eq!(failed["status"], "error", "{failed}");
    assert!(
        failed["error"]["message"]
            .as_str()
            .is_some_and(|it| it.contains("github:someone/something")),
        "{failed}"
    );
}

#[test]
fn to_look_at_a_server_installs_nothing() {
    let env = hello_project(pml(), &json!({ "allow": ["hello:*"] }));
    let found =
        registry_client(&env).call("browse_components", json!({}))["result"]["structuredContent"]
            .clone();
    assert!(
        found["unavailable"][0]["hint"].as_str().is_some_and(|it| it.contains("pml install hello")),
        "{found}"
    );
    assert!(env.installed().is_empty());
}

#[test]
fn a_plain_command_is_only_recorded() {
    let env = toolbox_project(pml(), &json!({ "allow": ["box:*"] }));
    let mut client = toolbox_client(&env);
    assert_eq!(client.execute("return (await mcp.box.count()).n")["result"], 1);
    let state = || fs::read_to_string(env.path().join(".pml/deps.json")).unwrap_or_default();
    wait_until("its use is noted", || state().contains("toolbox.py"));
    assert!(!state().contains("\"folder\""), "{}", state());
    assert!(!env.packages().exists());
}

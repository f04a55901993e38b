//! Tests the import of servers from other clients.

use super::{ProjectFixture, project_fixture};
use crate::project::{FoundServer, FoundServers, ImportScope, ImportSource, find_servers};
use serde_json::json;

fn found(fixture: &ProjectFixture, clients: &[ImportSource]) -> FoundServers {
    find_servers(&fixture.root, &fixture.environment, clients)
}

fn named<'a>(found: &'a FoundServers, name: &str) -> &'a FoundServer {
    found.servers.iter().find(|server| server.name == name).expect("it is found")
}

#[test]
fn claude_code_has_servers_in_three_places() {
    let fixture = project_fixture(&[]);
    fixture.write(".mcp.json", r#"{ "mcpServers": { "shared": { "command": "project" }, "both": { "command": "project" } } }"#);
    let home = json!({
        "history": ["…"],
        "mcpServers": { "mine": { "type": "http", "url": "https://h/mcp" }, "pml": { "command": "pml", "args": ["stdio"] } },
        "projects": {
            fixture.root.to_str().unwrap(): { "mcpServers": { "both": { "command": "local" } } },
            "/elsewhere": { "mcpServers": { "other": { "command": "x" } } },
        },
    });
    fixture.write_home(".claude.json", &home.to_string());
    let found = found(&fixture, &[ImportSource::ClaudeCode]);
    let names: Vec<_> = found.servers.iter().map(|it| (it.name.as_str(), it.scope)).collect();
    assert_eq!(
        names,
        [
            ("both", ImportScope::User),
            ("shared", ImportScope::Project),
            ("mine", ImportScope::User)
        ]
    );
    assert_eq!(named(&found, "both").entry, json!({ "command": "local" }));
    assert_eq!(found.skipped[0].name.as_deref(), Some("both"));
}

#[cfg(unix)]
#[test]
fn claude_desktop_may_call_a_server_anything() {
    let fixture = project_fixture(&[]);
    let file =
        r#"{ "mcpServers": { "My Files!": { "command": "npx", "args": ["-y", "fs", "/tmp"] } } }"#;
    fixture.write_home(".config/Claude/claude_desktop_config.json", file);
    let found = found(&fixture, &[ImportSource::ClaudeDesktop]);
    let server = &found.servers[0];
    assert_eq!((server.name.as_str(), server.launch.as_str()), ("My-Files-", "npx -y fs /tmp"));
    assert_eq!(server.notes, ["its name there is `My Files!`"]);
}

#[test]
fn variables_of_vs_code_become_ours() {
    let fixture = project_fixture(&[]);
    fixture.write(".vscode/mcp.json", r#"{
        // as VS Code writes it
        "inputs": [{ "type": "promptString", "id": "api-key", "password": true }],
        "servers": {
            "a": { "type": "stdio", "command": "${workspaceFolder}/serve", "args": ["${userHome}/x", "${env:REGION}"],
                   "env": { "KEY": "${input:api-key}" }, "envFile": ".env" },
            "b": { "type": "http", "url": "https://h/", "headers": { "X": "${config:thing}" } },
            "c": { "type": "sse", "url": "https://h/" },
        },
    }"#);
    let found = found(&fixture, &[ImportSource::VsCode]);
    let server = named(&found, "a");
    let root = fixture.root.to_str().unwrap();
    assert_eq!(server.entry["command"], json!(format!("{root}/serve")));
    assert_eq!(server.entry["args"], json!(["${HOME}/x", "${env:REGION}"]));
    assert_eq!(server.entry["env"], json!({ "KEY": "${API_KEY}" }));
    let notes = server.notes.join("\n");
    for part in [
        "`envFile` is left out",
        "set the variable `API_KEY`, which takes the place of the input `api-key`",
        "path of this",
    ] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    let reasons: Vec<_> = found.skipped.iter().map(|it| it.reason.as_str()).collect();
    assert_eq!(reasons[0], "pml has no variable `${config:thing}`");
    assert!(reasons[1].contains("`sse` is not supported"), "{reasons:?}");
}

#[test]
fn cursor_needs_no_type_for_a_url() {
    let fixture = project_fixture(&[]);
    fixture.write(".cursor/mcp.json", r#"{ "mcpServers": { "a": { "url": "https://h/mcp" } } }"#);
    fixture.write_home(".cursor/mcp.json", r#"{ "mcpServers": { "b": { "command": "x" } } }"#);
    let found = found(&fixture, &[ImportSource::Cursor]);
    let names: Vec<_> = found.servers.iter().map(|it| (it.launch.as_str(), it.scope)).collect();
    assert_eq!(names, [("https://h/mcp", ImportScope::Project), ("x", ImportScope::User)]);
}

#[test]
fn a_secret_that_stands_there_as_it_is_is_named_and_not_shown() {
    let fixture = project_fixture(&[]);
    fixture.write(".cursor/mcp.json", r#"{ "mcpServers": { "a": { "command": "x",
        "env": { "API_KEY": "sk-abcdefghijklmnopqrstuvwx", "MODE": "fast", "TOKEN": "${TOKEN}" } } } }"#);
    let found = found(&fixture, &[ImportSource::Cursor]);
    let notes = found.servers[0].notes.join("\n");
    assert!(notes.contains("`API_KEY`") && notes.contains("`.env`"), "{notes}");
    assert!(!notes.contains("sk-abc") && !notes.contains("MODE") && !notes.contains("TOKEN`"));
    assert_eq!(found.servers[0].entry["env"]["API_KEY"], "sk-abcdefghijklmnopqrstuvwx");
}

#[test]
fn a_broken_file_hides_no_other() {
    let fixture = project_fixture(&[]);
    fixture.write(".vscode/mcp.json", "{ broken");
    fixture.write(
        ".cursor/mcp.json",
        r#"{ "mcpServers": { "a": { "command": "x" }, "b": 1, "c": {} } }"#,
    );
    let found = found(&fixture, ImportSource::ALL);
    assert_eq!(found.servers.len(), 1);
    assert_eq!(found.skipped.len(), 3);
    assert!(found.skipped[0].name.is_none());
    assert!(found.skipped[2].reason.contains("has no `command`"), "{:?}", found.skipped);
}

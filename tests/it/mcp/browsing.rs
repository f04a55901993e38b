//! `browse_components`: the tools that programs can call, and those that they cannot.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::insta::assert_snapshot;
use pml_kit::{structured, toolbox_client, toolbox_project, toolbox_server, trusted_project};

#[test]
fn browsing_shows_signatures_and_says_how_much() {
    let env = toolbox_project(pml(), &json!({ "allow": ["box:*"] }));
    let mut client = toolbox_client(&env);
    let mut browse = |arguments: Value| {
        client.call("browse_components", arguments)["result"]["structuredContent"].clone()
    };
    let found = browse(json!({ "query": "echo a text" }));
    assert_eq!(found["nodes"][0]["type"], "box:echo");
    assert_eq!(found["nodes"][0]["policy"], "allow");
    let signature = found["nodes"][0]["signature"].as_str().expect("a signature");
    assert!(signature.starts_with("mcp.box.echo(args: { text: string })"), "{signature}");
    assert_eq!(found["workflows"], json!([]));
    let all = browse(json!({ "include_workflows": false }));
    assert_eq!(all["coverage"], "COMPLETE");
    assert_eq!(all["nodes"].as_array().map(Vec::len), Some(8));
    assert!(all.get("workflows").is_none());
    let few = browse(json!({ "budget": 100 }));
    let coverage = few["coverage"].as_str().expect("a text");
    assert!(
        coverage.starts_with("PARTIAL ") || few["nodes"][0].get("signature").is_some(),
        "{few}"
    );
}

#[test]
fn each_tool_has_its_policy_and_each_server_that_cannot_be_used_its_reason() {
    let env = pml();
    let settings = json!({
        "permissions": { "allow": ["box:echo", "box:get-env"], "deny": ["box:sorry"], "ask": ["*"] },
        "servers": {
            "box": toolbox_server(),
            "absent": { "command": "npx", "args": ["-y", "some-package@1.0.0"] },
            "keyed": { "command": "true", "env": { "KEY": "${UNSET_KEY}" } },
        },
    });
    let env = trusted_project(env, &settings);
    let mut client = toolbox_client(&env);
    let answer = client.call("browse_components", json!({ "query": "box" }));
    let mut found = structured(&answer).clone();
    let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
    assert_eq!(json::from_str::<Value>(text).expect("JSON"), found, "the text is a mirror");
    found["nodes"].as_array_mut().expect("a list").truncate(8);
    let lines = |list: &Value| {
        let list = list.as_array().expect("a list").iter();
        list.map(|one| format!("{one}\n")).collect::<String>()
    };
    assert_snapshot!(lines(&found["nodes"]), @r#"
    {"type":"box:count","policy":"ask","signature":"mcp.box.count(): Promise<{ n: number }>","description":"Counts."}
    {"type":"box:echo","policy":"allow","signature":"mcp.box.echo(args: { text: string }): Promise<any>","description":"Says a text back."}
    {"type":"box:get-env","policy":"allow","signature":"mcp.box[\"get-env\"](): Promise<any>","description":"Reads the environment.","effects":"read-only"}
    {"type":"box:later","policy":"ask","signature":"mcp.box.later(): Promise<any>","description":"Takes a while."}
    {"type":"box:link","policy":"ask","signature":"mcp.box.link(): Promise<any>","description":"Links."}
    {"type":"box:picture","policy":"ask","signature":"mcp.box.picture(): Promise<any>","description":"Draws."}
    {"type":"box:sorry","policy":"deny"}
    {"type":"box:wait","policy":"ask","signature":"mcp.box.wait(): Promise<any>","description":"Takes for ever."}
    "#);
    assert_snapshot!(lines(&found["unavailable"]), @r#"
    {"server":"absent","code":"SERVER_FAILED","reason":"its package `some-package@1.0.0` is not installed","hint":"`pml install absent` installs it, and so does a person's yes to a call of it"}
    {"server":"keyed","code":"API_KEY_REQUIRED","reason":"server `keyed` needs `UNSET_KEY`, which is not set","hint":"set it in the environment, or in the `.env` of the project"}
    "#);
}

#[test]
fn servers_that_cannot_be_used_take_a_part_of_the_budget_only() {
    let server = |number: usize| {
        let line = json!(["-y", format!("package-{number}-{}@1.0.0", "x".repeat(100))]);
        (format!("absent{number}"), json!({ "command": "npx", "args": line }))
    };
    let servers: json::Map<_, _> = (0..40).map(server).collect();
    let env = trusted_project(pml(), &json!({ "permissions": {}, "servers": servers }));
    let mut client = toolbox_client(&env);
    let answer = client.call("browse_components", json!({ "budget": 1_000 }));
    let found = structured(&answer);
    assert!(found.to_string().len() <= 4_000, "{}", found.to_string().len());
    let last = found["unavailable"].as_array().expect("a list").last().expect("some");
    assert!(last["reason"].as_str().is_some_and(|it| it.contains("more servers")), "{last}");
}

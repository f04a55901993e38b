//! Tests that `host/pml.schema.json`, with which editors check `.pml.json`, agrees with `raw.rs`.

use super::project_fixture;
use crate::project::raw::{APPROVAL_KEYS, CLOUD_KEYS, KEYS, LIMIT_KEYS, PERMISSION_KEYS};
use crate::project::raw_grant::{CONDITION_KEYS, GRANT_KEYS};
use crate::project::raw_server::SERVER_KEYS;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../pml.schema.json")).expect("JSON")
}

fn valid(settings: &Value) -> bool {
    jsonschema::draft202012::new(&schema()).expect("a schema").is_valid(settings)
}

#[test]
fn it_knows_the_keys_that_we_read_and_no_other() {
    let schema = schema();
    for (pointer, keys) in [
        ("", KEYS),
        ("/properties/permissions", PERMISSION_KEYS),
        ("/properties/cloud", CLOUD_KEYS),
        ("/properties/limits", LIMIT_KEYS),
        ("/properties/approvals", APPROVAL_KEYS),
        ("/$defs/server", SERVER_KEYS),
        ("/$defs/grant", GRANT_KEYS),
        ("/$defs/condition", CONDITION_KEYS),
    ] {
        let object = schema.pointer(pointer).expect(pointer);
        let described: BTreeSet<_> =
            object["properties"].as_object().expect(pointer).keys().map(String::as_str).collect();
        assert_eq!(described, keys.iter().copied().collect(), "{pointer}");
        assert_eq!(object["additionalProperties"], json!(false), "{pointer}");
        for (key, value) in object["properties"].as_object().expect(pointer) {
            let described = value["description"].as_str().is_some_and(|text| text.len() > 10);
            assert!(described, "{pointer} {key}");
        }
    }
}

#[test]
fn what_we_accept_it_accepts_and_what_we_refuse_it_refuses() {
    for (settings, good) in [
        (json!({}), true),
        (
            json!({ "version": "0.1.0", "permissions": { "allow": [], "deny": [], "ask": ["*"] } }),
            true,
        ),
        (json!({ "permissions": { "allow": ["github:*", "a:b_*", "a:b"] } }), true),
        (json!({ "permissions": { "allow": ["git*"] } }), false),
        (json!({ "permisions": {} }), false),
        (
            json!({ "servers": { "a": { "command": "npx", "args": ["x"], "env": { "A": "${B}" }, "timeout": "5s" } } }),
            true,
        ),
        (
            json!({ "servers": { "a": { "type": "http", "url": "https://h/", "headers": { "A": "b" }, "timeout": 500 } } }),
            true,
        ),
        (json!({ "servers": { "a": { "disabled": true } } }), true),
        (json!({ "servers": { "a": { "type": "pigeon", "command": "x" } } }), false),
        (json!({ "servers": { "a": { "comand": "x" } } }), false),
        (json!({ "servers": { "a": { "command": ["x"] } } }), false),
        (json!({ "servers": { "a": {} } }), false),
        (json!({ "servers": { "a": { "command": "x", "url": "https://h/" } } }), false),
        (json!({ "servers": { "a": { "command": "x", "idleTimeout": "never" } } }), true),
        (json!({ "servers": { "a": { "command": "x", "timeout": "never" } } }), false),
        (json!({ "servers": { "a": { "command": "npx", "installScripts": true } } }), true),
        (json!({ "servers": { "a": { "command": "npx", "installScripts": "yes" } } }), false),
        (json!({ "routing": { "a": "local", "b:c": "server", "d:*": "client" } }), true),
        (json!({ "routing": { "a": "moon" } }), false),
        (json!({ "cloud": { "url": "https://c", "apiKeyEnv": "KEY" } }), true),
        (json!({ "cloud": { "apiKeyEnv": "KEY" } }), false),
        (json!({ "cloud": { "url": "https://c", "apiKeyEnv": "sk-1" } }), false),
        (json!({ "limits": { "cpuTime": "500ms", "memory": "64M", "calls": 5 } }), true),
        (json!({ "limits": { "cpuTime": 5 } }), false),
        (json!({ "limits": { "memory": "lots" } }), false),
        (json!({ "approvals": { "timeout": "never", "modelMayApprove": false } }), true),
        (json!({ "approvals": { "timeout": 5 } }), false),
        (json!({ "durability": "power" }), true),
        (json!({ "durability": "stone" }), false),
        (json!({ "permissions": { "grants": [{ "tool": "a:b" }] } }), true),
        (
            json!({ "permissions": { "grants": [{ "tool": "a:b", "definition": "d", "server": "s", "package": "p",
                "where": { "path": { "under": "/a" }, "url": { "host": "h:1" }, "x": { "equals": [null] } },
                "granted": "2026-11-17T06:00:00.123Z" }] } }),
            true,
        ),
        (
            json!({ "permissions": { "grants": [{ "tool": "a:b", "version": 2,
                "where": { "path": { "under": "/a" }, "url": { "host": "http://h:1" }, "/x/y": { "any": true } } }] } }),
            true,
        ),
        (
            json!({ "permissions": { "grants": [{ "tool": "a:b", "version": 3, "where": { "x": { "any": true } } }] } }),
            false,
        ),
        (
            json!({ "permissions": { "grants": [{ "tool": "a:b", "version": "2", "where": { "x": { "any": true } } }] } }),
            false,
        ),
        (
            json!({ "permissions": { "grants": [{ "tool": "a:b", "version": 2, "where": { "x": { "any": false } } }] } }),
            false,
        ),
        (
            json!({ "permissions": { "grants": [{ "tool": "a:b", "version": 2, "where": { "x": { "any": true, "under": "/a" } } }] } }),
            false,
        ),
        (json!({ "permissions": { "grants": [{ "tool": "a:b", "where": {} }] } }), false),
        (json!({ "permissions": { "grants": {} } }), false),
        (json!({ "permissions": { "grants": ["a:b"] } }), false),
        (json!({ "permissions": { "grants": [{}] } }), false),
        (json!({ "permissions": { "grants": [{ "tool": "a:*" }] } }), false),
        (json!({ "permissions": { "grants": [{ "tool": "a:b", "definition": "d" }] } }), false),
        (json!({ "permissions": { "grants": [{ "tool": "a:b", "package": "p" }] } }), false),
        (
            json!({ "permissions": { "grants": [{ "tool": "a:b", "definition": "", "server": "s" }] } }),
            false,
        ),
        (json!({ "permissions": { "grants": [{ "tool": "a:b", "when": {} }] } }), false),
        (json!({ "permissions": { "grants": [{ "tool": "a:b", "where": { "x": {} } }] } }), false),
        (
            json!({ "permissions": { "grants": [{ "tool": "a:b", "where": { "x": { "in": 1 } } }] } }),
            false,
        ),
        (
            json!({ "permissions": { "grants": [{ "tool": "a:b", "where": { "x": { "under": 1 } } }] } }),
            false,
        ),
        (
            json!({ "permissions": { "grants": [{ "tool": "a:b", "version": 2, "where": { "x": { "under": "" } } }] } }),
            false,
        ),
        (
            json!({ "permissions": { "grants": [{ "tool": "a:b", "version": 2, "where": { "x": { "host": "a/b" } } }] } }),
            false,
        ),
        (
            json!({ "permissions": { "grants": [{ "tool": "a:b", "granted": "yesterday" }] } }),
            false,
        ),
        (json!([]), false),
    ] {
        let fixture = project_fixture(&[]);
        fixture.write(".pml.json", settings.to_string());
        assert_eq!(fixture.load().is_ok(), good, "{settings}");
        assert_eq!(valid(&settings), good, "the schema: {settings}");
    }
}

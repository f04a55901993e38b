//! Conditions on what was allowed for good, from the side of a program that wants more than a
//! person meant.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::{
    StdioClient, TestEnv, approve_in_terminal, asking_project, structured, toolbox_calls,
    toolbox_client, toolbox_project,
};
use std::fs;

fn settings(env: &TestEnv) -> Value {
    json::from_str(&text(env)).expect("JSON")
}

fn text(env: &TestEnv) -> String {
    fs::read_to_string(env.path().join(".pml.json")).expect("settings")
}

fn call(client: &mut StdioClient, arguments: &Value) -> Value {
    client.execute(&format!("return (await mcp.box.count({arguments})).n"))
}

fn answer(client: &mut StdioClient, asked: &Value, word: &str) -> Value {
    let answer = json!({ "workflow_id": asked["workflow_id"], "answers": { "1": word } });
    structured(&client.call("execute", json!({ "continue_workflow": answer }))).clone()
}

/// Allows calls like this one for good, under the first conditions that are offered. Returns these
/// in words.
fn allow(client: &mut StdioClient, arguments: &Value) -> String {
    let asked = call(client, arguments);
    let words = asked["asks"][0]["always_with"][0].as_str().unwrap_or_default().to_owned();
    let done = answer(client, &asked, "always_1");
    assert_eq!(done["status"], "success", "{done}");
    words
}

fn goes(client: &mut StdioClient, arguments: &Value) {
    let done = call(client, arguments);
    assert_eq!(done["status"], "success", "{arguments}: {done}");
}

/// A call that must not reach the server. Returns why it asks.
fn asks(client: &mut StdioClient, env: &TestEnv, arguments: &Value) -> String {
    let before = toolbox_calls(env).len();
    let asked = call(client, arguments);
    assert_eq!(asked["approval_type"], "tool_permission", "{arguments}: {asked}");
    assert_eq!(toolbox_calls(env).len(), before, "{arguments} reached the server");
    asked["asks"][0]["reason"].as_str().expect("a reason").to_owned()
}

/// Arguments with one more, or one changed.
fn with(arguments: &Value, name: &str, value: Value) -> Value {
    let mut changed = arguments.clone();
    changed[name] = value;
    changed
}

#[test]
fn an_argument_that_nobody_named_asks_whatever_its_type_and_depth() {
    let env = asking_project(pml());
    let mut client = toolbox_client(&env);
    let plain = json!({
        "path": "/ok/a", "content": "Hello there.", "options": { "mode": "w", "list": ["x"] },
    });
    assert_eq!(
        allow(&mut client, &plain),
        "`path` under `/ok`, `mode` of `options` equal to `w`, `list` of `options` equal to `[\"x\"]`, \
         `content`: anything"
    );
    let grant = settings(&env)["permissions"]["grants"][0].clone();
    assert_eq!(grant["version"], 2, "{grant}");
    assert_eq!(grant["where"]["content"], json!({ "any": true }), "{grant}");
    assert_eq!(grant["where"]["/options/mode"], json!({ "equals": "w" }), "{grant}");
    goes(&mut client, &with(&plain, "path", json!("/ok/deep/b")));
    goes(&mut client, &with(&plain, "content", json!({ "whatever": ["/etc/passwd", null] })));
    for extra in [
        json!(true),
        json!(false),
        json!(null),
        json!(0),
        json!(1.5),
        json!(""),
        json!("x"),
        json!([]),
        json!({}),
    ] {
        let reason = asks(&mut client, &env, &with(&plain, "overwrite", extra.clone()));
        assert!(
            reason.ends_with("; not covered: `overwrite`, which no condition names"),
            "{extra}: {reason}"
        );
        let nested = json!({ "mode": "w", "list": ["x"], "follow": extra });
        let reason = asks(&mut client, &env, &with(&plain, "options", nested));
        assert!(reason.contains("`follow` of `options`, which no condition names"), "{reason}");
    }
    for options in [
        json!({ "mode": "a", "list": ["x"] }),
        json!({ "mode": "w", "list": ["x", "y"] }),
        json!({ "mode": "w", "list": [["x"]] }),
        json!({ "mode": "w" }),
        json!({}),
        json!([]),
        json!(null),
        json!("w"),
    ] {
        asks(&mut client, &env, &with(&plain, "options", options));
    }
    for path in [
        json!(["/ok/a", "/etc/passwd"]),
        json!(["/ok/a", 1]),
        json!(["/ok/a", ["/ok/b"]]),
        json!([]),
        json!({ "path": "/ok/a" }),
        json!(null),
    ] {
        asks(&mut client, &env, &with(&plain, "path", path));
    }
    goes(&mut client, &with(&plain, "path", json!(["/ok/a", "/ok/b"])));
    // What is left out asks, unless it may be anything.
    asks(&mut client, &env, &json!({ "path": "/ok/a", "content": "x" }));
    goes(&mut client, &json!({ "path": "/ok/a", "options": { "mode": "w", "list": ["x"] } }));
}

#[cfg(unix)]
#[test]
fn a_path_that_leads_out_of_the_folder_asks_however_it_is_written() {
    use std::os::unix::fs::symlink;
    let env = asking_project(pml());
    let root = env.path().canonicalize().expect("a folder");
    for folder in ["notes/deep", "secret"] {
        fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    for (target, link) in
        [("../secret", "notes/out"), ("../secret/new", "notes/dangling"), ("deep", "notes/inside")]
    {
        symlink(target, root.join(link)).expect("a link");
    }
    let mut client = toolbox_client(&env);
    let at = |path: &str| json!({ "path": format!("{}/{path}", root.display()) });
    let words = allow(&mut client, &at("notes/a"));
    assert_eq!(words, format!("`path` under `{}/notes`", root.display()));
    for inside in ["notes/b", "notes/inside/x", "notes/new/x", "notes/deep/../b", "notes//./b"] {
        goes(&mut client, &at(inside));
    }
    goes(&mut client, &json!({ "path": "notes/b" }));
    goes(&mut client, &json!({ "path": format!("file://{}/notes/b", root.display()) }));
    for outside in [
        "secret/key",
        "notes2/a",
        "notes/../secret/key",
        "notes/%2e%2e/secret/key",
        "notes/%252e%252e/secret/key",
        "notes/..%2fsecret/key",
        "notes/..\\..\\secret\\key",
        "notes/out/key",
        "notes/out",
        "notes/dangling",
        "notes/out/../secret/key",
        "notes/deep/../out/key",
        "notes/*/key",
        "notes/{out,deep}/key",
        "notes/a\u{0}",
        "notes/$HOME",
    ] {
        asks(&mut client, &env, &at(outside));
    }
    for outside in ["secret/key", "../etc", "~/notes/a", "notes/out/key", "C:\\notes\\a"] {
        asks(&mut client, &env, &json!({ "path": outside }));
    }
    // A pull that puts a link where the folder was moves nothing that was allowed.
    fs::remove_dir_all(root.join("notes")).expect("gone");
    symlink("secret", root.join("notes")).expect("a link");
    asks(&mut client, &env, &at("notes/key"));
    asks(&mut client, &env, &json!({ "path": "notes/key" }));
}

#[test]
fn a_url_that_leads_or_may_lead_to_another_host_asks() {
    let env = asking_project(pml());
    let mut client = toolbox_client(&env);
    let at = |url: &str| json!({ "url": url });
    let words = allow(&mut client, &at("https://good.example/a"));
    assert_eq!(words, "`url` at the host `good.example`");
    for url in ["https://good.example/b?c#d", "HTTPS://GOOD.EXAMPLE:443/", "https://good.example"] {
        goes(&mut client, &at(url));
    }
    for url in [
        "http://good.example/",
        "https://good.example@evil.example/",
        "https://good.example:443@evil.example/",
        "https:\\\\evil.example",
        "https://good.example\\@evil.example/",
        "https://good.example\\.evil.example/",
        "https://evil.example/good.example",
        "https://good.example.evil.example/",
        "https://good.example./",
        "https://good.example:8443/",
        "https://gооd.example/",
        "https://good.exa\tmple/",
        "https://good.example\n.evil.example/",
        "https://good%2eexample/",
        "https://good.example?@evil.example/",
        "//good.example/",
        "https:good.example",
        "https://[::ffff:1.2.3.4]/",
        "file:///etc/passwd",
    ] {
        asks(&mut client, &env, &at(url));
    }
    asks(&mut client, &env, &json!({ "url": ["https://good.example/", "https://evil.example/"] }));
    let reason = asks(&mut client, &env, &with(&at("https://good.example/"), "proxy", json!(null)));
    assert!(reason.contains("`proxy`, which no condition names"), "{reason}");
}

/// As an older pml wrote it, with the user's own lines.
fn older(env: &TestEnv) {
    let line = "\"permissions\": {\n    // mine\n    \"grants\": [\n      // for my notes\n      \
        { \"tool\": \"box:count\", \"where\": { \"path\": { \"under\": \"/ok\" } } } // since May\n    ], \"allow\"";
    env.write(".pml.json", text(env).replacen("\"permissions\":{\"allow\"", line, 1));
    assert!(text(env).contains("// since May"), "{}", text(env));
    assert_eq!(env.run(&["trust", "--yes"]).code, 0);
}

#[test]
fn what_an_older_pml_allowed_asks_once_and_shows_the_difference() {
    let env = toolbox_project(pml(), &json!({ "allow": ["box:count"], "ask": ["*"] }));
    older(&env);
    let mut client = toolbox_client(&env);
    let arguments = json!({ "path": "/ok/deep/a", "content": "Hello there.", "overwrite": true });
    let asked = call(&mut client, &arguments);
    assert_eq!(
        (&asked["approval_type"], &asked["context"]["since"]),
        (&json!("integrity"), &json!("grant")),
        "{asked}"
    );
    assert!(toolbox_calls(&env).is_empty());
    let difference = &asked["context"]["differences"][0];
    assert_eq!(difference["part"], "conditions", "{asked}");
    let named = "`path` under `/ok`, `overwrite` equal to `true`, `content`: anything";
    let shown = env.run(&["approvals", "--verbose"]).stdout;
    for part in
        ["other arguments", "were allowed", "`overwrite` equal to `true`", "`content`: anything"]
    {
        let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        let flat = flat.replace("{+", "").replace("+}", "").replace("[-", "").replace("-]", "");
        assert!(flat.contains(part), "{part}: {shown}");
    }
    assert_eq!(asked["asks"][0]["always_with"][0], named, "{asked}");
    let refused = answer(&mut client, &asked, "always_1");
    assert_eq!(refused["error"]["code"], "APPROVAL_BY_MODEL", "{refused}");
    let done = approve_in_terminal(&env, &mut client, &asked, &["--always", "--only-for", "2"]);
    assert_eq!(done["result"], 1, "{done}");
    let now = text(&env);
    for kept in ["// mine\n", "// for my notes\n", "// since May\n"] {
        assert!(now.contains(kept), "{kept:?}: {now}");
    }
    assert_eq!(now.matches("\"under\"").count(), 1, "it took the place of the older one: {now}");
    goes(&mut client, &json!({ "path": "/ok/b", "content": "x", "overwrite": true }));
    asks(&mut client, &env, &json!({ "path": "/ok/b", "content": "x", "overwrite": false }));
    asks(&mut client, &env, &json!({ "path": "/ok/b", "overwrite": true, "mode": null }));
    let trail = env.run(&["audit", "--json"]).stdout;
    for kind in ["\"lapsed\"", "\"granted\"", "conditions"] {
        assert!(trail.contains(kind), "{kind}: {trail}");
    }
}

#[test]
fn what_an_older_pml_allowed_covers_nothing_without_an_answer() {
    let env = toolbox_project(pml(), &json!({ "allow": ["box:count"], "ask": ["*"] }));
    older(&env);
    let mut client = toolbox_client(&env);
    for arguments in [json!({ "path": "/ok/a" }), json!({ "path": "/ok/a", "force": 1 })] {
        assert_eq!(call(&mut client, &arguments)["approval_type"], "integrity", "{arguments}");
    }
    // What it did not cover then is a question like any other.
    asks(&mut client, &env, &json!({ "path": "/etc/passwd" }));
    assert!(toolbox_calls(&env).is_empty());
    // A yes for once is for once, and `always` for all arguments takes its place too.
    let asked = call(&mut client, &json!({ "path": "/ok/a" }));
    assert_eq!(approve_in_terminal(&env, &mut client, &asked, &[])["result"], 1);
    let asked = call(&mut client, &json!({ "path": "/ok/a" }));
    assert_eq!(asked["approval_type"], "integrity", "{asked}");
    assert_eq!(approve_in_terminal(&env, &mut client, &asked, &["--always"])["result"], 2);
    goes(&mut client, &json!({ "path": "/etc/passwd", "force": null }));
    assert!(!text(&env).contains("\"under\""), "{}", text(&env));
}

#[test]
fn conditions_are_shown_in_words_wherever_they_are_shown() {
    let env = asking_project(pml());
    let mut client = toolbox_client(&env);
    allow(&mut client, &json!({ "path": "/ok/a", "content": "Hello there." }));
    drop(client);
    let words = "`path` under `/ok`, `content`: anything";
    let tools =
        env.run(&["tools", "box", "--json"]).stdout + &env.run(&["tools", "box:count"]).stdout;
    let trust = env.run(&["trust", "--yes"]).stdout;
    for shown in [tools, trust] {
        let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{shown}");
    }
    let env = toolbox_project(pml(), &json!({ "allow": ["box:count"], "ask": ["*"] }));
    older(&env);
    let told = env.run(&["doctor"]);
    let told = told.stdout + &told.stderr;
    let flat = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("`path` under `/ok` (written by an older pml: it asks once more)"),
        "{told}"
    );
}

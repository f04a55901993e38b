//! `.pml.json` and the commands that change it.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::{TestEnv, json_of};
use std::fs;

fn settings(env: &TestEnv) -> Value {
    let text = fs::read_to_string(env.path().join(".pml.json")).expect("it is there");
    json::from_str(&text).expect("JSON")
}

#[test]
fn a_wrong_key_is_shown_where_it_stands() {
    let env = pml();
    env.write(".pml.json", "{\n  // mine\n  \"permisions\": { \"allow\": [] },\n}\n");
    let output = env.run(&["trust", "--yes"]);
    assert_eq!((output.stdout.as_str(), output.code), ("", 2));
    let expected = "error: `.pml.json` has no key `permisions`: $TEST_ENV/.pml.json:3:3\n  \
                    ╭─[.pml.json:3:3]\n\
                    3 │   \"permisions\": { \"allow\": [] },\n  \
                    ·   ╵\n\
                    hint: did you mean `permissions`?\n";
    assert_eq!(output.stderr, expected);
}

#[test]
fn a_key_with_two_letters_swapped_or_half_of_it_is_known_and_a_far_one_is_not() {
    let env = pml();
    for (key, hint) in [
        ("serevrs", "did you mean `servers`?"),
        ("Permission", "did you mean `permissions`?"),
        // It begins as another does, and is another word.
        ("permits", "the keys are `"),
    ] {
        env.write(".pml.json", json!({ key: {} }).to_string());
        let output = env.run(&["trust", "--show"]);
        assert_eq!(output.code, 2, "{}", output.stdout);
        assert!(output.stderr.contains(&format!("hint: {hint}")), "{key}: {}", output.stderr);
    }
}

#[test]
fn servers_are_added_and_removed() {
    let env = pml();
    let added = env.run(&[
        "add",
        "--yes",
        "files",
        "--env",
        "MODE=fast",
        "--background",
        "--",
        "npx",
        "-y",
        "fs",
        ".",
    ]);
    assert_eq!(
        (added.stdout.as_str(), added.code),
        ("server `files` is added to `.pml.json`\n", 0)
    );
    assert_eq!(added.stderr, "");
    let remote = env.run(&[
        "add",
        "--yes",
        "github",
        "--url",
        "https://h.example/mcp",
        "--header",
        "Authorization: Bearer ${TOKEN}",
    ]);
    assert_eq!(remote.code, 0, "{}", remote.stderr);
    assert!(
        remote.stderr.contains("`github` needs `TOKEN`: set it in the environment or in `.env`"),
        "{}",
        remote.stderr
    );
    let written = settings(&env);
    assert_eq!(
        written["servers"],
        json!({
            "files": { "command": "npx", "args": ["-y", "fs", "."], "env": { "MODE": "fast" }, "background": true },
            "github": { "type": "http", "url": "https://h.example/mcp", "headers": { "Authorization": "Bearer ${TOKEN}" } },
        })
    );
    assert_eq!(written["permissions"]["ask"], json!(["*"]));
    let near = env.run(&["remove", "gihub"]);
    assert_eq!(near.code, 2);
    assert!(near.stderr.contains("hint: did you mean `github`?"), "{}", near.stderr);
    assert_eq!(env.run(&["remove", "github"]).code, 0);
    assert_eq!(settings(&env)["servers"].as_object().map(|servers| servers.len()), Some(1));
    let trust = json_of(&env, &["trust", "--json"]);
    assert_eq!(trust["changed"], json!([]), "our own writes stay trusted");
}

#[test]
fn what_cannot_be_a_server_is_refused_and_nothing_is_written() {
    let env = pml();
    for (arguments, part) in [
        (
            &["add", "--yes", "pml", "--", "x"][..],
            "a server cannot have the name `pml`, which is pml's own",
        ),
        (&["add", "--yes", "a:b", "--", "x"], "a server cannot have the name `a:b`"),
        (
            &["add", "--yes", "a", "--url", "ftp://h"],
            "`--url ftp://h` is not a URL that begins with `https://` or `http://`",
        ),
        (&["add", "--yes", "a", "--env", "hunter2", "--", "x"], "write `--env` as `NAME=value`"),
        (&["add", "--yes", "a", "--", "${x"], "a `${` is not closed with `}`"),
        (&["add", "a"], "`pml add` needs `COMMAND`"),
    ] {
        let output = env.run(arguments);
        assert_eq!((output.stdout.as_str(), output.code), ("", 2), "{arguments:?}");
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
        assert!(!output.stderr.contains("hunter2"), "{}", output.stderr);
    }
    assert!(!env.path().join(".pml.json").exists());
}

#[test]
fn a_server_of_the_same_name_is_replaced_by_force_only() {
    let env = pml();
    assert_eq!(env.run(&["add", "--yes", "a", "--", "one"]).code, 0);
    let refused = env.run(&["add", "--yes", "a", "--", "two"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("`.pml.json` already has a server `a`"), "{}", refused.stderr);
    assert_eq!(settings(&env)["servers"]["a"]["command"], "one");
    assert_eq!(env.run(&["add", "--yes", "a", "--force", "--", "two"]).code, 0);
    assert_eq!(settings(&env)["servers"]["a"]["command"], "two");
}

#[test]
fn adding_to_a_clone_does_not_make_it_trusted() {
    let env = pml();
    env.write(".pml.json", r#"{ "permissions": { "allow": ["*"] } }"#);
    let output = env.run(&["add", "--yes", "a", "--", "x"]);
    assert_eq!(output.code, 0);
    assert!(
        output.stderr.contains("`.pml.json` is not trusted, so it has no effect yet"),
        "{}",
        output.stderr
    );
    assert!(output.stderr.contains("`pml trust`"), "{}", output.stderr);
}

#[test]
fn servers_of_other_clients_are_listed_and_imported_when_told() {
    let env = pml();
    env.write(".git/HEAD", "");
    env.write(".cursor/mcp.json", r#"{ "mcpServers": { "mine": { "command": "x", "env": { "API_KEY": "sk-abcdefghijklmnopqrstuvwx" } }, "pml": { "command": "pml" } } }"#);
    let listed = env.run(&["import", "cursor"]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    assert!(listed.stdout.contains("1 server can be imported:"), "{}", listed.stdout);
    assert!(
        listed.stdout.contains("`API_KEY`") && !listed.stdout.contains("sk-abc"),
        "{}",
        listed.stdout
    );
    assert!(listed.stderr.contains("`pml import --yes`"), "{}", listed.stderr);
    let dry = json_of(&env, &["import", "--dry-run", "--yes", "--json"]);
    assert_eq!((&dry["written"], &dry["servers"][0]["name"]), (&json!(false), &json!("mine")));
    assert!(!env.path().join(".pml.json").exists());
    let taken = env.run(&["import", "--yes"]);
    assert_eq!(taken.code, 0, "{}", taken.stderr);
    // The file lies in the project: it may have come with it.
    assert!(taken.stderr.contains("run `pml trust`"), "{}", taken.stderr);
    assert_eq!(settings(&env)["servers"]["mine"]["command"], "x");
    let again = json_of(&env, &["import", "--yes", "--json"]);
    assert_eq!((&again["written"], &again["taken"]), (&json!(false), &json!(["mine"])));
}

//! `pml check` and `pml types`: what the servers' schemas are good for before anything runs.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::{
    TestEnv, failing_server, json_with_path, lines_of, run_with_path, toolbox_server,
    trusted_project, untrusted_project,
};
use std::fs;

fn with(servers: Value) -> TestEnv {
    trusted_project(pml(), &json!({ "permissions": { "allow": ["*"] }, "servers": servers }))
}

#[test]
fn mistakes_are_shown_where_they_stand_and_nothing_is_called() {
    let env = with(json!({ "box": toolbox_server() }));
    env.write("main.ts", "const { n } = await mcp.box.count()\nawait mcp.box.echo({ txt: n })\nreturn mcp.box.ecoh({})\n");
    let output = run_with_path(&env, &["check", "main.ts"]);
    assert_eq!((output.stdout.as_str(), output.code), ("1 file checked: 3 mistakes\n", 1));
    for part in [
        "error: `box:echo`: `txt` is not known here, did you mean `text`?: main.ts:2:22\n",
        "2 │ await mcp.box.echo({ txt: n })\n",
        "error: `box:echo`: `text` is missing: main.ts:2:",
        "error: there is no tool `box:ecoh`: main.ts:3:",
        "hint: did you mean `box:echo`?\n",
    ] {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
    let found = json_with_path(&env, &["check", "--json", "main.ts"], 1);
    assert_eq!(found["findings"].as_array().map(Vec::len), Some(3));
    assert_eq!(
        (&found["findings"][2]["code"], &found["findings"][2]["position"]["line"]),
        (&json!("TOOL_UNKNOWN"), &json!(3))
    );
    assert_eq!((lines_of(&env, "calls.log").len(), lines_of(&env, "starts").len()), (0, 1));
}

#[test]
fn what_is_right_or_cannot_be_known_is_no_mistake() {
    let env = with(json!({ "box": toolbox_server(), "bad": failing_server() }));
    env.write("right.ts", "return mcp.box.echo({ text: inputs.text as string })");
    env.write("computed.ts", "return mcp.call(inputs.tool, inputs.arguments)");
    let output = run_with_path(&env, &["check", "right.ts", "computed.ts"]);
    assert_eq!((output.stderr.as_str(), output.code), ("", 0));
    assert_eq!(output.stdout, "2 files checked: nothing is wrong\n");
    env.write("sleepy.ts", "return mcp.bad.anything({ at: 'all' })");
    let unknown = run_with_path(&env, &["check", "sleepy.ts"]);
    assert_eq!(unknown.code, 0, "{}", unknown.stderr);
    assert!(
        unknown.stderr.contains("warning: calls of `bad` are not checked: "),
        "{}",
        unknown.stderr
    );
    let unknown = json_with_path(&env, &["check", "sleepy.ts", "--json"], 0);
    assert_eq!(unknown["unavailable"][0]["server"], "bad");
}

#[test]
fn a_file_that_is_no_program_is_a_mistake_and_one_that_is_not_there_an_error() {
    let env = with(json!({ "box": toolbox_server() }));
    env.write("broken.ts", "let = = 1");
    let output = run_with_path(&env, &["check", "broken.ts"]);
    assert_eq!((output.stdout.as_str(), output.code), ("1 file checked: 1 mistake\n", 1));
    assert!(output.stderr.contains("broken.ts:1:"), "{}", output.stderr);
    let output = run_with_path(&env, &["check", "nowhere.ts"]);
    assert_eq!((output.stdout.as_str(), output.code), ("1 file cannot be read\n", 1));
    assert!(output.stderr.contains("nowhere.ts"), "{}", output.stderr);
    assert_eq!(lines_of(&env, "starts").len(), 0, "nobody is called there");
}

#[test]
fn a_clone_is_not_called_right_without_its_servers() {
    let env = untrusted_project(pml(), &json!({ "servers": { "box": toolbox_server() } }));
    env.write("main.ts", "return mcp.box.nothing({})");
    let output = run_with_path(&env, &["check", "main.ts"]);
    assert_eq!((output.stdout.as_str(), output.code), ("1 file: calls are not checked\n", 1));
    assert!(
        output.stderr.contains("this folder is not trusted: its servers are not started"),
        "{}",
        output.stderr
    );
    assert_eq!(lines_of(&env, "starts").len(), 0);
    assert_eq!(run_with_path(&env, &["check", "--trust", "--yes", "main.ts"]).code, 1);
}

#[test]
fn types_are_written_for_editors_and_say_what_was_seen() {
    let env = with(json!({ "box": toolbox_server(), "bad": failing_server() }));
    let output = run_with_path(&env, &["types"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(output.stdout, "`.pml/mcp.d.ts` is written: 8 tools of 1 server\n");
    assert!(output.stderr.contains("warning: server `bad` cannot be started"), "{}", output.stderr);
    assert!(
        output.stderr.contains("/// <reference path=\".pml/mcp.d.ts\" />"),
        "{}",
        output.stderr
    );
    let file = env.path().join(".pml/mcp.d.ts");
    let text = fs::read_to_string(&file).expect("it is there");
    assert!(text.contains("echo(args: {") && text.contains("\"get-env\"("), "{text}");
    assert_eq!(json_with_path(&env, &["types", "--json"], 0)["changed"], json!(false));

    assert_eq!(
        run_with_path(&env, &["call", "box:echo", r#"{"text": "{\"a\":1}"}"#]).stdout,
        "{\"a\":1}\n"
    );
    let again = run_with_path(&env, &["types"]);
    assert!(again.stdout.contains("1 result inferred from what was seen"), "{}", again.stdout);
    let seen = fs::read_to_string(&file).expect("it is there");
    assert!(seen.contains("a: number") && !text.contains("a: number"), "{seen}");

    let printed = run_with_path(&env, &["types", "--out", "-"]);
    assert_eq!(printed.stdout, seen);
    assert_eq!(run_with_path(&env, &["types", "--out", "other.d.ts"]).code, 0);
    assert_eq!(fs::read_to_string(env.path().join("other.d.ts")).expect("it is there"), seen);
    assert_eq!(run_with_path(&env, &["types", "--out", "no/such/folder.d.ts"]).code, 1);
}

#[test]
fn types_of_a_clone_do_not_take_the_place_of_those_that_are_there() {
    let env = untrusted_project(pml(), &json!({ "servers": { "box": toolbox_server() } }));
    env.write(".pml/mcp.d.ts", "// mine");
    let output = run_with_path(&env, &["types"]);
    assert_eq!((output.stdout.as_str(), output.code), ("", 1));
    assert!(output.stderr.contains("hint: look at what it declares"), "{}", output.stderr);
    assert_eq!(
        fs::read_to_string(env.path().join(".pml/mcp.d.ts")).expect("it is there"),
        "// mine"
    );
    assert_eq!(lines_of(&env, "starts").len(), 0);
}

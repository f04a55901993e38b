//! What people expect of any command line, and find here.

use crate::pml;
use pml::json::json;
use pml_kit::insta::assert_snapshot;
use pml_kit::{
    TestEnv, audit_entries, json_of, json_with_path, lines_of, run_with_path, toolbox_server,
    trusted_project,
};

/// A trusted project whose server is the toolbox.
fn project(permissions: &pml::json::Value) -> TestEnv {
    let servers = json!({ "box": toolbox_server() });
    trusted_project(pml(), &json!({ "permissions": permissions, "servers": servers }))
}

const COUNT: &str = "return (await mcp.box.count()).n";

#[test]
fn allow_calls_without_asking_in_this_run_only() {
    let env = project(&json!({ "ask": ["box:count", "*"] }));
    assert_eq!(run_with_path(&env, &["eval", COUNT]).code, 4, "it asks");
    let allowed = run_with_path(&env, &["eval", COUNT, "--allow", "box:*"]);
    assert_eq!((allowed.stdout.as_str(), allowed.code), ("1\n", 0), "{}", allowed.stderr);
    assert_eq!(run_with_path(&env, &["call", "box:count", "--allow", "box:count"]).code, 0);
    assert_eq!(run_with_path(&env, &["eval", COUNT]).code, 4, "nothing is kept");
    assert_eq!(run_with_path(&env, &["eval", COUNT, "--allow", "pml:*"]).code, 4, "of others");
    let entries = audit_entries(&run_with_path(&env, &["audit", "--json"]).stdout);
    let noted: Vec<_> = entries.iter().filter(|entry| entry["what"] == "changed").collect();
    assert_eq!(noted.len(), 3, "{entries:?}");
    assert_eq!(noted[0]["changes"], json!(["allowed for this run only: box:*"]));
    assert!(noted[0]["run_id"].is_string(), "{}", noted[0]);
}

#[test]
fn a_run_that_goes_on_is_allowed_what_is_given_again() {
    let env = project(&json!({ "ask": ["*"] }));
    let two = "await mcp.box.count(); await mcp.pml.confirm({ message: 'go on?' })\nreturn (await mcp.box.count()).n";
    assert_eq!(run_with_path(&env, &["eval", two, "--allow", "box:*"]).code, 4, "confirm asks");
    assert_eq!(run_with_path(&env, &["approve", "last", "--yes", "--no-run"]).code, 0);
    let without = run_with_path(&env, &["run", "--resume", "last"]);
    assert_eq!(without.code, 4, "it was for that run: {}", without.stderr);
    let again = run_with_path(&env, &["run", "--resume", "last", "--allow", "box:*"]);
    // The server that goes on is a new one, and counts from the start.
    assert_eq!((again.stdout.as_str(), again.code), ("1\n", 0), "{}", again.stderr);
    assert_eq!(lines_of(&env, "calls.log").len(), 2, "no call was made twice");
}

#[test]
fn allow_never_beats_deny_and_deny_beats_allow() {
    let env = project(&json!({ "allow": ["box:*"], "deny": ["box:count"] }));
    let denied = json_with_path(&env, &["eval", COUNT, "--allow", "*", "--json"], 1);
    assert_eq!(denied["error"]["code"], "TOOL_DENIED");
    let echo = "return (await mcp.box.echo({ text: 'x' }))";
    let denied = json_with_path(&env, &["eval", echo, "--deny", "box:echo", "--json"], 1);
    assert_eq!(denied["error"]["code"], "TOOL_DENIED");
    assert_eq!(run_with_path(&env, &["eval", echo, "--deny", "box:count"]).code, 0);
    assert_eq!(lines_of(&env, "calls.log").len(), 1);
}

#[test]
fn deny_is_open_to_an_agent_and_allow_is_not() {
    let env = pml();
    let run = |arguments: &[&str]| {
        let mut command = env.command(arguments);
        env.finish(command.env("CLAUDECODE", "1").spawn().expect("it starts"))
    };
    assert_eq!(run(&["eval", "1", "--deny", "box:*"]).code, 0);
    assert_snapshot!(run(&["eval", "1", "--allow", "box:*"]).snapshot(), @"
    exit code: 1
    --- stderr ---
    error: an agent runs this command (`CLAUDECODE` is set), and only a person may give `--allow`
    hint: run it yourself, in a terminal of your own
    ");
}

#[test]
fn allow_does_not_trust() {
    let servers = json!({ "box": toolbox_server() });
    let env = pml_kit::untrusted_project(pml(), &json!({ "servers": servers }));
    let waits = json_with_path(&env, &["call", "box:count", "--allow", "*", "--json"], 4);
    assert_eq!(waits["waiting"][0]["asks"][0]["type"], "trust", "{waits}");
    assert_eq!(lines_of(&env, "starts").len(), 0);
}

#[test]
fn check_looks_at_all_files_and_then_fails() {
    let env = pml();
    env.write("package.json", "{}");
    env.write("a.ts", "const = 1");
    env.write("b.ts", "return 1");
    env.write("d.ts", "const x = ;");
    let output = env.run(&["check", "a.ts", "b.ts", "c.ts", "d.ts"]);
    assert_eq!(output.code, 1);
    assert_eq!(output.stdout, "3 files checked: 2 mistakes; 1 file cannot be read\n");
    assert_eq!(output.stderr.matches("error: ").count(), 3, "{}", output.stderr);
    assert!(output.stderr.contains("c.ts"), "{}", output.stderr);
    let found = env.run(&["check", "a.ts", "b.ts", "c.ts", "--json"]).stdout;
    let found: pml::json::Value = pml::json::from_str(&found).expect("JSON");
    assert_eq!(found["findings"][0]["file"], "a.ts");
    assert!(found["findings"][0]["code_frame"].is_string(), "{found}");
    assert_eq!(found["unreadable"][0]["file"], "c.ts");
    assert_eq!(found["unreadable"][0]["error"]["code"], "SOURCE_READ");
}

#[test]
fn install_goes_on_after_a_bad_package_and_lists_it() {
    let bad = |name: &str| json!({ "command": "npx", "args": ["-y", format!("github:no/{name}")] });
    let servers = json!({ "one": bad("one"), "box": toolbox_server(), "two": bad("two") });
    let env = trusted_project(pml(), &json!({ "servers": servers }));
    let output = run_with_path(&env, &["install", "--yes"]);
    assert_eq!((output.stdout.as_str(), output.code), ("", 1));
    assert!(output.stderr.starts_with("error: `one`: "), "{}", output.stderr);
    assert!(output.stderr.ends_with("error: not installed: `one`, `two`\n"), "{}", output.stderr);
    let found = json_with_path(&env, &["install", "--yes", "--json"], 1);
    let failed: Vec<_> = found["failed"].as_array().expect("a list").iter().collect();
    assert_eq!((&failed[0]["server"], &failed[1]["server"]), (&json!("one"), &json!("two")));
    assert!(failed[0]["error"]["message"].is_string() && found["installed"] == json!([]));
}

#[test]
fn a_tool_whose_name_was_typed_comes_first() {
    let env = project(&json!({}));
    let tools = |word: &str| {
        let found = json_with_path(&env, &["tools", word, "--json"], 0);
        found["tools"][0]["tool"].as_str().expect("a tool").to_owned()
    };
    for name in ["echo", "count", "sorry"] {
        assert_eq!(tools(name), format!("box:{name}"));
    }
}

#[test]
fn a_program_given_as_text_imports_from_the_workspace() {
    let env = pml();
    env.write("lib/part.ts", "export const part: string = 'here'");
    env.write("other/lib/part.ts", "export const part: string = 'there'");
    let program = "import { part } from './lib/part.ts'\nexport default part";
    assert_eq!(env.run(&["eval", program]).stdout, "\"here\"\n");
    assert_eq!(env.run(&["eval", program, "--workspace", "other"]).stdout, "\"there\"\n");
    assert_eq!(env.run_with_stdin(&["run", "-"], program).stdout, "\"here\"\n");
    let outside = "import { part } from '../lib/part.ts'\nexport default part";
    let refused = env.run(&["eval", outside, "--workspace", "other"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("leaves the workspace"), "{}", refused.stderr);
}

#[test]
fn verbose_tells_each_call_and_quiet_tells_none() {
    let env = project(&json!({ "allow": ["box:*"] }));
    let program = "try { await mcp.box.sorry({}) } catch {}\nreturn (await mcp.box.count()).n";
    let verbose = run_with_path(&env, &["eval", program, "-v"]);
    assert_snapshot!(verbose.snapshot(), @r"
    exit code: 0
    --- stdout ---
    1
    --- stderr ---
    call 1: box:sorry failed after [span]: TOOL_FAILED
    call 2: box:count took [span]
    ");
    let left = "mcp.box.count()\nreturn 1";
    assert!(run_with_path(&env, &["eval", left]).stderr.starts_with("warning: "));
    let quiet = run_with_path(&env, &["eval", left, "-q"]);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("1\n", ""));
}

#[test]
fn every_yes_has_its_letter_and_watch_too() {
    let env = pml();
    assert_eq!(env.run(&["init", "-y", "--no-import"]).code, 0);
    assert_eq!(env.run(&["add", "a", "-y", "--", "x"]).code, 0);
    assert_eq!(env.run(&["trust", "-y"]).code, 0);
    assert_eq!(env.run(&["import", "-y"]).code, 0);
    assert_eq!(env.run(&["eval", "1", "--trust", "-y"]).code, 0);
    assert_eq!(env.run(&["run", "-", "-w"]).code, 2, "`-w` is `--watch`");
    env.write("main.ts", "await mcp.pml.confirm({ message: 'go on?' })");
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    assert_eq!(env.run(&["approve", "last", "-y"]).code, 0);
}

#[test]
fn a_number_of_runs_that_shows_none_is_refused() {
    let env = pml();
    assert_eq!(env.run(&["eval", "1"]).code, 0);
    assert_snapshot!(env.run(&["runs", "-n", "0"]).snapshot(), @r"
    exit code: 2
    --- stderr ---
    error: `-n 0` is too few: it must be at least 1
    ");
    assert_eq!(json_of(&env, &["runs", "-n", "1", "--json"]).as_array().map(Vec::len), Some(1));
}

#[cfg(unix)]
#[test]
fn a_log_setting_that_is_not_utf8_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let env = pml();
    let mut command = env.command(&["eval", "1"]);
    command.env("PML_LOG", std::ffi::OsStr::from_bytes(b"deb\xffug"));
    let output = env.finish(command.spawn().expect("it starts"));
    assert_snapshot!(output.snapshot(), @r"
    exit code: 2
    --- stderr ---
    error: `PML_LOG` is not UTF-8
    hint: write a level: off, error, warn, info, debug or trace
    ");
}

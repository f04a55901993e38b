//! A frozen lock: nothing is written, and what is not in it as it is does not run.

use super::shared::{COUNTING, allowed_project, lock_text, locked_count};
use crate::pml;
use pml::json::json;
use pml_kit::{
    Output, StdioClient, TestEnv, json_with_path, run_with_path, search_path, structured,
    toolbox_calls, toolbox_command,
};
use std::fs;

/// Runs the binary as a service for continuous integration does.
fn in_ci(env: &TestEnv, arguments: &[&str]) -> Output {
    let mut command = env.command(arguments);
    command.env("PATH", search_path()).env("CI", "true");
    env.finish(command.spawn().expect("it starts"))
}

#[test]
fn what_is_locked_goes_and_nothing_is_written() {
    let env = allowed_project(pml());
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    let text = lock_text(&env);
    let modified =
        || fs::metadata(env.path().join(".pml/mcp.lock")).and_then(|it| it.modified()).ok();
    let before = modified();
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json", "--frozen"], 0), json!(1));
    assert_eq!(
        json_with_path(&env, &["call", "box:count", "--frozen", "--json"], 0)["n"],
        json!(1)
    );
    assert_eq!(in_ci(&env, &["eval", COUNTING]).stdout, "1\n");
    assert_eq!((lock_text(&env), modified()), (text, before));
}

#[test]
fn what_is_not_locked_is_refused_with_the_command_that_mends_it() {
    let env = allowed_project(pml());
    let runs_frozen =
        |arguments: &[&str]| run_with_path(&env, &[arguments, &["--frozen"]].concat());
    // There is no lock at all: one that a commit deleted unfreezes nothing.
    for refused in [runs_frozen(&["eval", COUNTING]), in_ci(&env, &["eval", COUNTING])] {
        assert_eq!(refused.code, 1, "{}", refused.stderr);
        for part in ["NOT_LOCKED", "server `box` is not in it", "`pml lock`"] {
            assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
        }
    }
    assert_eq!(lock_text(&env), "");
    assert_eq!(toolbox_calls(&env), Vec::<String>::new());
    // Where CI is set and the user says so, it is as anywhere else.
    assert_eq!(in_ci(&env, &["eval", COUNTING, "--no-frozen"]).stdout, "1\n");
    let refused = runs_frozen(&["eval", "return await mcp.box.echo({ text: 'a' })"]);
    assert!(refused.stderr.contains("`box:echo` is not in it"), "{}", refused.stderr);
    let before = lock_text(&env);
    env.write("calls.log.says", "Counts otherwise.");
    let refused = runs_frozen(&["call", "box:count"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("`box:count` is not defined as in it"), "{}", refused.stderr);
    assert_eq!(lock_text(&env), before);
    assert_eq!(toolbox_calls(&env).len(), 1);
}

#[test]
fn a_program_without_calls_just_runs_and_both_flags_are_one_too_many() {
    let env = allowed_project(pml());
    assert_eq!(run_with_path(&env, &["eval", "6 * 7", "--frozen"]).stdout, "42\n");
    assert_eq!(in_ci(&env, &["eval", "6 * 7"]).stdout, "42\n");
    let both = run_with_path(&env, &["eval", "1", "--frozen", "--no-frozen"]);
    assert_eq!(both.code, 2, "{}", both.stderr);
}

#[test]
fn an_agent_freezes_and_does_not_lift_it() {
    let env = allowed_project(pml());
    let as_agent = |arguments: &[&str]| {
        let mut command = env.command(arguments);
        command.env("PATH", search_path()).env("CI", "true").env("CLAUDECODE", "1");
        env.finish(command.spawn().expect("it starts"))
    };
    let refused = as_agent(&["eval", COUNTING, "--no-frozen"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("an agent runs this command"), "{}", refused.stderr);
    assert_eq!(as_agent(&["eval", "6 * 7", "--frozen"]).stdout, "42\n");
    assert_eq!(lock_text(&env), "");
}

#[test]
fn a_frozen_server_for_clients_refuses_too() {
    let env = allowed_project(pml());
    let mut client = StdioClient::start(&mut toolbox_command(&env, &["stdio", "--frozen"]));
    client.initialize();
    let refused = client.execute(COUNTING);
    assert_eq!(refused["error"]["code"], "NOT_LOCKED", "{refused}");
    let direct = structured(&client.call("box:count", json!({}))).clone();
    assert_eq!(direct["error"]["code"], "NOT_LOCKED", "{direct}");
    assert!(toolbox_calls(&env).is_empty());
    assert_eq!(lock_text(&env), "");
}

#[test]
fn a_change_of_the_lock_while_it_is_served_counts() {
    let env = allowed_project(pml());
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    let mut client = StdioClient::start(&mut toolbox_command(&env, &["stdio", "--frozen"]));
    client.initialize();
    assert_eq!(client.execute(COUNTING)["result"], 1);
    let theirs = format!("count = \"sha256:{}\"", "0".repeat(64));
    env.write(".pml/mcp.lock", lock_text(&env).replace(&locked_count(&env), &theirs));
    let refused = client.execute(COUNTING);
    assert_eq!(refused["error"]["code"], "NOT_LOCKED", "{refused}");
}

//! `pml lock`: writing the lock for all servers, checking it, and saying why something is in it.

use super::shared::{COUNTING, allowed_project, lock_text, locked_count};
use crate::pml;
use pml::json::json;
use pml_kit::{json_with_path, run_with_path, search_path, toolbox_calls, toolbox_project};

#[test]
fn all_servers_and_tools_are_locked_at_once_and_then_nothing_is_left_to_do() {
    let env = allowed_project(pml());
    let found = json_with_path(&env, &["lock", "--check", "--json"], 1);
    assert_eq!(found["problems"], json!(["server `box` is not in it"]), "{found}");
    let written = json_with_path(&env, &["lock", "--yes", "--json"], 0);
    assert_eq!(written["written"], true, "{written}");
    assert_eq!(written["changes"][0], json!({ "server": "box", "change": "added" }), "{written}");
    let text = lock_text(&env);
    assert!(text.contains("count =") && text.contains("echo ="), "{text}");
    let again = json_with_path(&env, &["lock", "--yes", "--json"], 0);
    assert_eq!((&again["written"], &again["changes"]), (&json!(false), &json!([])), "{again}");
    assert_eq!(json_with_path(&env, &["lock", "--check", "--json"], 0), json!({ "problems": [] }));
    assert_eq!(lock_text(&env), text);
    assert!(toolbox_calls(&env).is_empty());
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--frozen", "--json"], 0), json!(1));
}

#[test]
fn what_differs_is_shown_and_needs_a_yes() {
    let env = allowed_project(pml());
    assert_eq!(run_with_path(&env, &["lock", "--yes"]).code, 0);
    let before = lock_text(&env);
    env.write("calls.log.says", "Counts\u{202e} otherwise.");
    let refused = run_with_path(&env, &["lock"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("needs a terminal, or `--yes`"), "{}", refused.stderr);
    assert_eq!(lock_text(&env), before);
    let written = run_with_path(&env, &["lock", "--yes"]);
    assert_eq!(written.code, 0, "{}", written.stderr);
    for part in ["~ tool box:count", "description", "\\u{202e}"] {
        assert!(written.stderr.contains(part), "{part}: {}", written.stderr);
    }
    assert_ne!(lock_text(&env), before);
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
}

#[test]
fn what_a_pull_changes_together_with_the_lock_is_a_change_for_who_approved_it_before() {
    let env = allowed_project(pml());
    assert_eq!(run_with_path(&env, &["lock", "--yes"]).code, 0);
    let own = locked_count(&env);
    env.write("calls.log.says", "Counts for somebody else.");
    // Somebody else locks it so.
    let state = tempfile::tempdir().expect("a folder");
    for arguments in [&["trust", "--yes"][..], &["lock", "--yes"]] {
        let mut command = env.command(arguments);
        command.env("PATH", search_path()).env("XDG_STATE_HOME", state.path());
        let done = env.finish(command.spawn().expect("it starts"));
        assert_eq!(done.code, 0, "{}", done.stderr);
    }
    assert_ne!(locked_count(&env), own);
    let theirs = lock_text(&env);
    for lock in [theirs.clone(), theirs.replace(&format!("{}\n", locked_count(&env)), "")] {
        env.write(".pml/mcp.lock", &lock);
        let shown = json_with_path(&env, &["lock", "--yes", "--json"], 0);
        let change = shown["changes"].as_array().expect("changes");
        let change = change.iter().find(|change| change["tool"] == "count");
        let change = change.unwrap_or_else(|| panic!("it is not shown: {shown}"));
        assert_eq!(change["change"], "changed", "{shown}");
        let differences = change["differences"].to_string();
        let expected = if lock == theirs { "somebody else" } else { "sha256" };
        assert!(differences.contains(expected), "{shown}");
        let trail = json_with_path(&env, &["audit", "--json"], 0).to_string();
        assert!(trail.contains("locked: box:count (changed)"), "{trail}");
        // Once more as it was approved before, for the next round.
        let approved = env.journal().join("approved.json");
        let text = std::fs::read_to_string(&approved).expect("what was approved");
        let digest = locked_count(&env).replace("count = \"sha256:", "").replace('"', "");
        std::fs::write(&approved, text.replace(&digest, &"0".repeat(64))).expect("written");
    }
}

#[test]
fn a_server_that_is_no_longer_configured_is_removed_and_one_that_fails_is_named() {
    let env = allowed_project(pml());
    assert_eq!(run_with_path(&env, &["lock", "--yes"]).code, 0);
    let settings = json!({
        "permissions": { "allow": ["*"] },
        "servers": { "broken": { "command": "python3", "args": ["-c", "raise SystemExit(3)"] } },
    });
    env.write(".pml.json", settings.to_string());
    assert_eq!(run_with_path(&env, &["trust", "--yes"]).code, 0);
    let failed = json_with_path(&env, &["lock", "--yes", "--json"], 1);
    assert_eq!(failed["failed"][0]["server"], "broken", "{failed}");
    assert!(
        failed["error"]["message"].as_str().is_some_and(|it| it.contains("broken")),
        "{failed}"
    );
    let text = lock_text(&env);
    assert!(!text.contains("[servers.box]") && text.contains("[servers.broken]"), "{text}");
}

#[test]
fn no_agent_writes_the_lock_and_no_untrusted_folder_has_one_written() {
    let env = allowed_project(pml());
    let mut command = env.command(&["lock", "--yes"]);
    command.env("PATH", search_path()).env("CLAUDECODE", "1");
    let refused = env.finish(command.spawn().expect("it starts"));
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("an agent runs this command"), "{}", refused.stderr);
    assert_eq!(run_with_path(&env, &["trust", "--revoke"]).code, 0);
    for arguments in [&["lock", "--yes"][..], &["lock", "--check"]] {
        let refused = run_with_path(&env, arguments);
        assert_eq!(refused.code, 1, "{}", refused.stderr);
        assert!(refused.stderr.contains("not trusted"), "{}", refused.stderr);
    }
    assert_eq!(lock_text(&env), "");
}

#[test]
fn why_names_the_server_of_a_tool_and_suggests_a_near_one() {
    let env = toolbox_project(pml(), &json!({ "allow": ["*"] }));
    assert_eq!(run_with_path(&env, &["lock", "--yes"]).code, 0);
    let why = run_with_path(&env, &["lock", "why", "box:count"]);
    assert_eq!(why.code, 0, "{}", why.stderr);
    let digest = locked_count(&env).replace("count = ", "").replace('"', "");
    for part in ["tool box:count", &digest, "server │ box", "toolbox.py"] {
        assert!(why.stdout.contains(part), "{part}: {}", why.stdout);
    }
    let reasons = json_with_path(&env, &["lock", "why", "box:count", "--json"], 0);
    assert_eq!(reasons["reasons"][0]["server"], "box", "{reasons}");
    let unknown = run_with_path(&env, &["lock", "why", "box:coumt"]);
    assert_eq!(unknown.code, 1, "{}", unknown.stderr);
    assert!(unknown.stderr.contains("did you mean `box:count`?"), "{}", unknown.stderr);
}

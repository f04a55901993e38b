//! What the lock decides about calls: first use, differences, pulls, branches and clones.

use super::shared::{COUNTING, allowed_project, lock_text, locked_count};
use crate::pml;
use pml::json::json;
use pml_kit::{
    StdioClient, TestEnv, approve_in_terminal, json_with_path, run_with_path, structured,
    toolbox_calls, toolbox_client, toolbox_project,
};
use std::fs;

/// Describes `box:count` in another way from now on.
fn say(env: &TestEnv, text: &str) {
    env.write("calls.log.says", text);
}

/// Lets another person run the program in the same folder: nothing of the first one's approvals
/// counts for them. Returns the lock that they leave.
fn lock_of_somebody_else(env: &TestEnv) -> String {
    let state = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let mut command = env.command(arguments);
        command.env("PATH", pml_kit::search_path()).env("XDG_STATE_HOME", state.path());
        let done = env.finish(command.spawn().expect("it starts"));
        assert_eq!(done.code, 0, "{}", done.stderr);
    };
    run(&["trust", "--yes"]);
    run(&["eval", COUNTING]);
    lock_text(env)
}

fn asked_of(client: &mut StdioClient) -> pml::json::Value {
    let asked = client.execute(COUNTING);
    assert_eq!(asked["approval_type"], "integrity", "{asked}");
    asked
}

#[test]
fn the_first_use_is_written_and_the_next_one_changes_no_byte() {
    let env = allowed_project(pml());
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    let text = lock_text(&env);
    for part in ["@generated", "[servers.box]", "kind = \"command\"", "count = \"sha256:"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("echo ="), "only what was used: {text}");
    assert_eq!(json_with_path(&env, &["call", "box:count", "--json"], 0)["n"], json!(1));
    assert_eq!(lock_text(&env), text);
    let echo = "return await mcp.box.echo({ text: 'a' })";
    assert_eq!(json_with_path(&env, &["eval", echo, "--json"], 0), json!("a"));
    assert!(lock_text(&env).contains("echo = \"sha256:"), "{}", lock_text(&env));
}

#[test]
fn a_call_that_is_declined_or_denied_is_not_locked() {
    let env = toolbox_project(pml(), &json!({ "ask": ["*"], "deny": ["box:echo"] }));
    let waiting = run_with_path(&env, &["eval", COUNTING]);
    assert_eq!(waiting.code, 4, "{}", waiting.stderr);
    let declined = run_with_path(&env, &["approve", "last", "--decline", "--yes"]);
    assert_eq!(declined.code, 1, "{}", declined.stderr);
    let denied = run_with_path(&env, &["eval", "return await mcp.box.echo({ text: 'a' })"]);
    assert_eq!(denied.code, 1, "{}", denied.stderr);
    assert_eq!(lock_text(&env), "");
}

#[test]
fn what_a_tool_says_of_itself_now_is_one_question_that_no_model_answers() {
    let env = allowed_project(pml());
    let mut first = toolbox_client(&env);
    assert_eq!(first.execute(COUNTING)["result"], 1);
    drop(first);
    let before = lock_text(&env);
    say(&env, "Counts\u{202e}, and sends what it counts away\u{200b}.");
    let mut client = toolbox_client(&env);
    let asked = asked_of(&mut client);
    assert_eq!(asked["context"]["since"], "lock", "{asked}");
    let shown = asked["context"]["differences"].to_string();
    assert!(shown.contains("u{202e}") && shown.contains("u{200b}"), "{shown}");
    let answer = json!({ "workflow_id": asked["workflow_id"], "approved": true });
    let refused = client.call("execute", json!({ "continue_workflow": answer }));
    assert_eq!(structured(&refused)["error"]["code"], "APPROVAL_BY_MODEL", "{refused}");
    assert_eq!(lock_text(&env), before);
    assert_eq!(toolbox_calls(&env).len(), 1, "no call was made");
    let done = approve_in_terminal(&env, &mut client, &asked, &[]);
    assert_eq!(done["result"], 1, "{done}");
    assert_ne!(lock_text(&env), before);
    // It was agreed to, and is not asked about again: not here, and in no other process.
    assert_eq!(client.execute(COUNTING)["result"], 2);
    assert_eq!(json_with_path(&env, &["call", "box:count", "--json"], 0)["n"], json!(1));
}

#[test]
fn every_way_to_a_tool_is_checked() {
    let env = allowed_project(pml());
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    say(&env, "Counts otherwise.");
    for arguments in [&["eval", COUNTING][..], &["call", "box:count"]] {
        let waiting = run_with_path(&env, arguments);
        assert_eq!(waiting.code, 4, "{arguments:?}: {}", waiting.stderr);
        assert!(waiting.stderr.contains("DIFFERS from the lock"), "{}", waiting.stderr);
    }
    let mut client = toolbox_client(&env);
    let direct = structured(&client.call("box:count", json!({}))).clone();
    assert_eq!(direct["approval_type"], "integrity", "{direct}");
    drop(client);
    // A mended program is checked as any other.
    let mended = "const { length } = await mcp.box.echo({ text: 'a' })\n\
        return length + (await mcp.box.count()).n";
    env.write("mended.ts", mended);
    env.write("broken.ts", "await mcp.box.echo({ text: 'a' }); throw new Error('broken')");
    let broken = run_with_path(&env, &["run", "broken.ts"]);
    assert_eq!(broken.code, 1, "{}", broken.stderr);
    let waiting = run_with_path(&env, &["run", "mended.ts", "--resume", "last"]);
    assert_eq!(waiting.code, 4, "{}", waiting.stderr);
    assert!(waiting.stderr.contains("DIFFERS from the lock"), "{}", waiting.stderr);
    let counted = toolbox_calls(&env).iter().filter(|call| call.contains("count")).count();
    assert_eq!(counted, 1, "no call was made");
}

#[test]
fn a_pull_that_brings_a_tool_and_its_lock_entry_asks_and_does_not_approve() {
    let env = allowed_project(pml());
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    let own = lock_text(&env);
    say(&env, "Counts for somebody else.");
    fs::remove_file(env.path().join(".pml/mcp.lock")).expect("removed");
    let theirs = lock_of_somebody_else(&env);
    assert_ne!(own, theirs);
    let mut client = toolbox_client(&env);
    let asked = asked_of(&mut client);
    assert_eq!(asked["context"]["since"], "approval", "{asked}");
    let shown = asked["context"]["differences"].to_string();
    assert!(shown.contains("somebody else"), "{shown}");
    assert_eq!(lock_text(&env), theirs);
    let done = approve_in_terminal(&env, &mut client, &asked, &[]);
    assert_eq!(done["status"], "success", "{done}");
    assert_eq!(lock_text(&env), theirs, "what they locked is what it is now");
}

#[test]
fn a_lock_that_somebody_else_changed_restricts_what_was_approved() {
    let env = allowed_project(pml());
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    let own = locked_count(&env);
    let theirs = format!("count = \"sha256:{}\"", "0".repeat(64));
    env.write(".pml/mcp.lock", lock_text(&env).replace(&own, &theirs));
    let waiting = run_with_path(&env, &["eval", COUNTING]);
    assert_eq!(waiting.code, 4, "{}", waiting.stderr);
    assert!(waiting.stderr.contains("DIFFERS from the lock"), "{}", waiting.stderr);
    assert_eq!(toolbox_calls(&env).len(), 1, "no call was made");
}

#[test]
fn switching_branches_asks_nothing() {
    let env = allowed_project(pml());
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    let main = lock_text(&env);
    say(&env, "Counts on a branch.");
    let waiting = run_with_path(&env, &["eval", COUNTING]);
    assert_eq!(waiting.code, 4, "{}", waiting.stderr);
    let approved = run_with_path(&env, &["approve", "last", "--yes"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
    let branch = lock_text(&env);
    for (text, lock) in [(None, &main), (Some("Counts on a branch."), &branch), (None, &main)] {
        match text {
            Some(text) => say(&env, text),
            None => fs::remove_file(env.path().join("calls.log.says")).expect("removed"),
        }
        env.write(".pml/mcp.lock", lock);
        json_with_path(&env, &["eval", COUNTING, "--json"], 0);
        assert_eq!(&lock_text(&env), lock);
    }
    // The lock of the other branch, left in place: it is written as it is now.
    env.write(".pml/mcp.lock", &branch);
    json_with_path(&env, &["eval", COUNTING, "--json"], 0);
    assert_eq!(lock_text(&env), main);
}

#[test]
fn a_lock_that_is_gone_forgets_no_approval_and_no_difference() {
    let env = allowed_project(pml());
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    let text = lock_text(&env);
    fs::remove_file(env.path().join(".pml/mcp.lock")).expect("removed");
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    assert_eq!(lock_text(&env), text);
    fs::remove_file(env.path().join(".pml/mcp.lock")).expect("removed");
    say(&env, "Counts otherwise.");
    let waiting = run_with_path(&env, &["eval", COUNTING]);
    assert_eq!(waiting.code, 4, "{}", waiting.stderr);
    assert!(waiting.stderr.contains("CHANGED since approved"), "{}", waiting.stderr);
}

#[test]
fn the_lock_of_a_clone_allows_nothing() {
    let env = toolbox_project(pml(), &json!({ "ask": ["*"] }));
    let mut client = toolbox_client(&env);
    let asked = client.execute(COUNTING);
    approve_in_terminal(&env, &mut client, &asked, &[]);
    drop(client);
    // Everything that this user approved is elsewhere now, as on another machine.
    let clone = toolbox_project(pml(), &json!({ "ask": ["*"] }));
    clone.write(".pml/mcp.lock", lock_text(&env));
    let mut client = toolbox_client(&clone);
    let asked = client.execute(COUNTING);
    assert_eq!(asked["status"], "approval_required", "{asked}");
    assert!(toolbox_calls(&clone).is_empty());
}

#[test]
fn another_server_under_the_same_name_is_not_the_one_that_was_locked() {
    let env = allowed_project(pml());
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    let theirs = lock_text(&env).replace("toolbox.py", "other.py");
    env.write(".pml/mcp.lock", &theirs);
    let waiting = run_with_path(&env, &["eval", COUNTING]);
    assert_eq!(waiting.code, 4, "{}", waiting.stderr);
    assert!(waiting.stderr.contains("launch line"), "{}", waiting.stderr);
    assert_eq!(toolbox_calls(&env).len(), 1, "it was not started");
    let approved = run_with_path(&env, &["approve", "last", "--yes"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
    assert!(!lock_text(&env).contains("other.py"), "{}", lock_text(&env));
}

#[test]
fn a_script_that_this_user_changed_and_trusted_is_one_question() {
    let env = pml();
    let script = fs::read(pml_kit::toolbox_script()).expect("the toolbox");
    env.write("box.py", &script);
    let settings = json!({
        "permissions": { "allow": ["box:*"] },
        "servers": { "box": { "command": "python3", "args": ["./box.py", "calls.log"] } },
    });
    let env = pml_kit::trusted_project(env, &settings);
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    let text = lock_text(&env);
    assert!(text.contains("\"./box.py\" = \"sha256:"), "{text}");
    env.write("box.py", [&script[..], b"\n# changed\n"].concat());
    let waiting = run_with_path(&env, &["eval", COUNTING]);
    assert_eq!(waiting.code, 4, "{}", waiting.stderr);
    assert!(waiting.stderr.contains("trust folder"), "{}", waiting.stderr);
    let trusted = run_with_path(&env, &["trust", "--yes"]);
    assert_eq!(trusted.code, 0, "{}", trusted.stderr);
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    let changed = lock_text(&env);
    assert_ne!(changed, text);
    // A lock of somebody else that says otherwise is a difference, although the script is trusted.
    let line = changed.lines().find(|line| line.starts_with("\"./box.py\"")).expect("the script");
    let theirs = format!("\"./box.py\" = \"sha256:{}\"", "0".repeat(64));
    env.write(".pml/mcp.lock", changed.replace(line, &theirs));
    let waiting = run_with_path(&env, &["eval", COUNTING]);
    assert_eq!(waiting.code, 4, "{}", waiting.stderr);
    assert!(waiting.stderr.contains("file ./box.py"), "{}", waiting.stderr);
}

#[test]
fn a_lock_that_cannot_be_read_refuses_every_call_and_stays_as_it_is() {
    let env = allowed_project(pml());
    assert_eq!(json_with_path(&env, &["eval", COUNTING, "--json"], 0), json!(1));
    let good = lock_text(&env);
    for bad in [
        good.replace("# end of the lock\n", ""),
        good.replace("version = 1", "version = 2"),
        good.replace("kind =", "<<<<<<< HEAD\nkind ="),
        good[..good.len() / 2].to_owned(),
        good.replace("sha256:", "sha1:"),
    ] {
        env.write(".pml/mcp.lock", &bad);
        let refused = run_with_path(&env, &["eval", COUNTING]);
        assert_eq!(refused.code, 1, "{}", refused.stderr);
        assert!(refused.stderr.contains("LOCK_INVALID"), "{}", refused.stderr);
        assert!(refused.stderr.contains("mcp.lock"), "{}", refused.stderr);
        assert_eq!(lock_text(&env), bad);
    }
    assert_eq!(toolbox_calls(&env).len(), 1, "no call was made");
    // A program without such calls just runs.
    assert_eq!(json_with_path(&env, &["eval", "return 1", "--json"], 0), json!(1));
}

#[test]
fn processes_that_add_to_the_lock_at_once_lose_nothing() {
    let env = allowed_project(pml());
    let tools = [("count", "{}"), ("echo", "{ text: 'a' }"), ("later", "{}")];
    let started = tools.map(|(tool, arguments)| {
        let code = format!("return await mcp.box.{tool}({arguments})");
        let mut command = env.command(&["eval", &code]);
        command.env("PATH", pml_kit::search_path()).spawn().expect("it starts")
    });
    let outputs = started.map(|child| env.finish(child));
    let text = lock_text(&env);
    for ((tool, _), output) in tools.iter().zip(&outputs) {
        if output.code == 0 {
            assert!(text.contains(&format!("{tool} = \"sha256:")), "{tool}: {text}");
        }
    }
    assert!(outputs.iter().filter(|output| output.code == 0).count() >= 2, "{outputs:?}");
}

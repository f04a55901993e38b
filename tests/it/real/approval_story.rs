//! The approval story, criterion by criterion: what a client that cannot ask a person itself sees
//! when a tool's server has to be installed first. The servers are real and come from npm.
//!
//! Where a client can ask a person, its dialog takes the place of `continue_workflow`: see
//! `mcp/channel_*.rs`.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::real::{SMALL, hello_project, left_out, mirrored, registry_client, registry_command};
use pml_kit::{StdioClient, TestEnv, wait_until};
use std::fs;

fn greet(client: &mut StdioClient) -> Value {
    mirrored(&client.call("hello:echo", json!({ "message": "Ann" })))
}

fn go_on(client: &mut StdioClient, answer: Value) -> Value {
    mirrored(&client.call("hello:echo", json!({ "continue_workflow": answer })))
}

fn installed(env: &TestEnv) -> Vec<String> {
    let all = env.installed().into_iter();
    all.filter_map(|it| it.file_name()?.to_str().map(Into::into)).collect()
}

fn settings(env: &TestEnv) -> Value {
    let text = fs::read_to_string(env.path().join(".pml.json")).expect("settings");
    json::from_str(&text).expect("JSON")
}

#[test]
fn ac1_2_a_tool_whose_server_is_not_installed_answers_approval_required_with_a_unique_workflow_id()
{
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "ask": ["*"] }));
    let mut client = registry_client(&env);
    let asked = greet(&mut client);
    assert_eq!(
        (&asked["status"], &asked["approval_required"]),
        (&json!("approval_required"), &json!(true))
    );
    assert_eq!(asked["approval_type"], "dependency");
    assert_eq!(asked["description"], format!("Approval required to install {SMALL}"));
    let (name, version) = SMALL.split_once('@').expect("a version");
    let context = &asked["approval_context"];
    assert_eq!(
        (&context["type"], &context["tool"]),
        (&json!("dependency_install"), &json!("hello:echo"))
    );
    assert_eq!(
        (&context["dependency"]["name"], &context["dependency"]["version"]),
        (&json!(name), &json!(version))
    );
    let line = context["dependency"]["install"].as_str().expect("a launch line");
    assert!(line.contains("npx") && line.contains(SMALL), "{line}");
    assert_eq!(context["workflow_id"], asked["workflow_id"]);
    assert_eq!(asked["context"]["arguments"], json!({ "message": "Ann" }));
    assert!(
        asked["context"]["dependency"]["size"].as_u64().is_some_and(|size| size > 1_000),
        "{asked}"
    );
    assert!(
        asked["context"]["dependency"]["source"].as_str().is_some_and(|it| !it.is_empty()),
        "{asked}"
    );
    assert_eq!(asked["options"], json!(["continue", "always", "abort", "replan"]));
    let again = greet(&mut client);
    assert_ne!(again["workflow_id"], asked["workflow_id"]);
    assert!(installed(&env).is_empty());
}

#[test]
fn ac3_4_continue_workflow_installs_and_makes_the_original_call() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "ask": ["*"] }));
    let mut client = registry_client(&env);
    let asked = greet(&mut client);
    let done = go_on(
        &mut client,
        json!({ "workflow_id": asked["workflow_id"], "approved": true, "always": false }),
    );
    assert_eq!(
        (&done["status"], &done["result"]),
        (&json!("success"), &json!("You said: Ann")),
        "{done}"
    );
    assert_eq!(installed(&env).len(), 1, "{:?}", installed(&env));
    // It is started directly from now on, and the plain yes was for one call.
    let asked = greet(&mut client);
    assert_eq!(asked["approval_type"], "tool_permission", "{asked}");
    assert!(settings(&env)["permissions"].get("allow").is_none());
}

#[test]
fn ac5_6_always_is_written_into_the_settings_and_later_calls_skip_approval() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "allow": ["existing:tools"], "ask": ["*"] }));
    let mut client = registry_client(&env);
    let asked = greet(&mut client);
    let done = go_on(
        &mut client,
        json!({ "workflow_id": asked["workflow_id"], "approved": true, "always": true }),
    );
    assert_eq!(done["status"], "success", "{done}");
    assert_eq!(settings(&env)["permissions"]["allow"], json!(["existing:tools", "hello:echo"]));
    let grant = &settings(&env)["permissions"]["grants"][0];
    assert_eq!(grant["tool"], "hello:echo");
    for part in ["definition", "server", "package"] {
        assert_eq!(grant[part].as_str().map(str::len), Some(64), "{part}: {grant}");
    }
    assert_eq!(greet(&mut client)["result"], "You said: Ann");
    // And so do those of another process, which finds everything there.
    let mut other = self::registry_client(&env);
    assert_eq!(greet(&mut other)["result"], "You said: Ann");
    // Another tool of the same server still asks.
    let add = mirrored(&other.call("hello:add", json!({ "a": 1, "b": 2 })));
    assert_eq!(add["approval_type"], "tool_permission", "{add}");
}

#[test]
fn ac7_8_an_allowed_tool_installs_its_server_without_asking() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "allow": ["hello:*"] }));
    let mut client = registry_client(&env);
    let done = greet(&mut client);
    assert_eq!(
        (&done["status"], &done["result"]),
        (&json!("success"), &json!("You said: Ann")),
        "{done}"
    );
    assert_eq!(installed(&env).len(), 1);
}

#[test]
fn ac9_10_abort_installs_nothing_and_an_expired_or_unknown_id_is_an_error() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "ask": ["*"] }));
    let mut client = registry_client(&env);
    let asked = greet(&mut client);
    let no = json!({ "workflow_id": asked["workflow_id"], "approved": false });
    let aborted = go_on(&mut client, no.clone());
    assert_eq!(aborted["status"], "aborted", "{aborted}");
    assert_eq!(aborted["error"]["message"], "Workflow aborted by user");
    assert!(installed(&env).is_empty());
    // Nothing can be approved with it any more.
    let yes = json!({ "workflow_id": asked["workflow_id"], "approved": true });
    let late = go_on(&mut client, yes);
    assert_ne!(late["status"], "success", "{late}");
    assert!(installed(&env).is_empty());
    let unknown =
        json!({ "workflow_id": "00000000-0000-4000-8000-000000000000", "approved": true });
    assert_eq!(go_on(&mut client, unknown)["error"]["message"], "Workflow expired or not found");
}

#[test]
fn ac9_10_a_question_expires_after_its_time() {
    if left_out() {
        return;
    }
    let env = pml();
    let settings = json!({
        "permissions": { "ask": ["*"] },
        "servers": { "hello": { "command": "npx", "args": ["-y", SMALL] } },
        "approvals": { "timeout": "3s" },
    });
    env.write(".pml.json", settings.to_string());
    assert!(
        registry_command(&env, &["trust", "--yes"]).output().expect("it runs").status.success()
    );
    let mut client = registry_client(&env);
    let asked = greet(&mut client);
    assert_eq!(asked["status"], "approval_required", "{asked}");
    let run = asked["run_id"].as_str().expect("a run").to_owned();
    wait_until("it has expired", || {
        let output =
            registry_command(&env, &["runs", "show", &run, "--json"]).output().expect("it runs");
        String::from_utf8_lossy(&output.stdout).contains("\"expired\"")
    });
    let yes = json!({ "workflow_id": asked["workflow_id"], "approved": true });
    let late = go_on(&mut client, yes);
    assert_eq!(late["error"]["message"], "Workflow expired or not found", "{late}");
    assert!(installed(&env).is_empty());
}

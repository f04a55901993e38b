//! Requests that their client cancels.

use crate::pml;
use pml::json::json;
use pml_kit::{
    StdioClient, TestEnv, newest_state, structured, toolbox_calls, toolbox_client, toolbox_command,
    toolbox_project, wait_until,
};

fn allowing() -> TestEnv {
    toolbox_project(pml(), &json!({ "allow": ["box:*"] }))
}

#[test]
fn a_request_that_is_cancelled_takes_its_calls_with_it() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let code = "await mcp.box.wait(); return 'never'";
    let id =
        client.begin("tools/call", json!({ "name": "execute", "arguments": { "code": code } }));
    wait_until("the call is out", || toolbox_calls(&env) == ["wait"]);
    client.cancel(id);
    wait_until("the server is told", || toolbox_calls(&env) == ["wait", "cancelled"]);
    // Nobody takes up what its client did not want any more.
    wait_until("the run is over", || newest_state(&env) == "aborted");
    assert_eq!(client.execute("return 2")["result"], 2);
    assert!(client.aside.iter().all(|message| message["id"] != id), "{:?}", client.aside);
}

#[test]
fn a_cancelled_run_says_what_was_done_and_what_may_have_been() {
    let env = toolbox_project(pml(), &json!({ "allow": ["box:count"], "ask": ["*"] }));
    let mut command = toolbox_command(&env, &["stdio"]);
    let mut client = StdioClient::start(command.env("PML_LOG", "info"));
    client.initialize();
    let asked = client.execute("await mcp.box.count(); await mcp.box.wait()");
    let answer = json!({ "workflow_id": asked["workflow_id"], "approved": true });
    let arguments = json!({ "continue_workflow": answer });
    let id = client.begin("tools/call", json!({ "name": "execute", "arguments": arguments }));
    wait_until("the call is out", || toolbox_calls(&env) == ["count", "wait"]);
    client.cancel(id);
    wait_until("the run is over", || newest_state(&env) == "aborted");
    let told = client.call("execute", arguments);
    let body = structured(&told);
    assert_eq!(body["status"], "aborted", "{told}");
    assert_eq!(body["checkpoint"]["completed_nodes"], json!(["box:count"]));
    let notes = body["notes"].to_string();
    assert!(
        notes.contains("a call of `box:wait` was cut off: it may have had an effect"),
        "{notes}"
    );
    let hint = body["error"]["hint"].as_str().expect("a hint");
    assert!(
        hint.contains("`resume_from`") && hint.contains(body["run_id"].as_str().expect("an id"))
    );
    client.close();
    let (_, log) = client.finish();
    let ended = log.lines().filter(|line| line.contains("run ended")).collect::<Vec<_>>();
    assert!(matches!(&ended[..], [line] if line.contains("aborted")), "{log}");
}

#[test]
fn one_of_two_requests_for_a_run_is_cancelled_and_the_other_still_waits() {
    let env = toolbox_project(pml(), &json!({ "ask": ["*"] }));
    let mut client = toolbox_client(&env);
    let asked = client.execute("await mcp.box.wait()");
    let answer = json!({ "workflow_id": asked["workflow_id"], "approved": true });
    let call = |token: &str| {
        json!({ "name": "execute", "arguments": { "continue_workflow": answer },
            "_meta": { "progressToken": token } })
    };
    let first = client.begin("tools/call", call("first"));
    wait_until("the call is out", || toolbox_calls(&env) == ["wait"]);
    let second = client.begin("tools/call", call("second"));
    // It waits for the run once it reports what the run does.
    while client.asked("notifications/progress")["params"]["progressToken"] != "second" {}
    client.cancel(first);
    // What comes later is handled later.
    assert_eq!(client.execute("return 1")["result"], 1);
    assert_eq!(toolbox_calls(&env), ["wait"]);
    client.cancel(second);
    wait_until("the server is told", || toolbox_calls(&env) == ["wait", "cancelled"]);
}

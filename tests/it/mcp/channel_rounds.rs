//! Clients of 2026-07-28 that show forms: the answer says that input is required, and they make the
//! call again with it.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::scripts::{COUNT, COUNT_AND_ECHO, ECHO_TWELVE};
use pml_kit::{
    ModernClient, accepted_form, all_but_the_eleventh, approve_in_another_process, asking_project,
    asking_project_with, decided_channels, newest_state, open_question, question_form, structured,
    toolbox_calls, wait_until,
};
use rustix::process::{Pid, Signal, kill_process};

fn code() -> Value {
    json!({ "code": COUNT })
}

/// Begins a program; what its client is to ask.
fn begin(client: &mut ModernClient, arguments: Value) -> Value {
    let asked = client.call("execute", arguments);
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    assert!(asked["result"]["requestState"].is_string(), "{asked}");
    asked
}

#[test]
fn the_same_call_with_a_yes_goes_on_for_programs_and_single_calls_alike() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_rounds(&env);
    let asked = begin(&mut client, code());
    let shown = question_form(&asked["result"]);
    assert_eq!(shown["mode"], "form");
    assert_eq!(shown["message"].as_str().map(|it| it.lines().count()), Some(4), "{shown}");
    assert_eq!(toolbox_calls(&env), [""; 0]);
    let done = client.again("execute", code(), &asked, accepted_form());
    assert_eq!(done["result"]["resultType"], "complete");
    assert_eq!(structured(&done)["result"], 1);
    assert_eq!(decided_channels(&env), ["mrtr"]);
    let asked = client.call("box:count", json!({}));
    let done = client.again("box:count", json!({}), &asked, accepted_form());
    assert_eq!(structured(&done)["result"], json!({ "n": 2 }), "{done}");
    // A client that shows no forms is asked nothing.
    let mut other = ModernClient::with(&env, json!({}));
    assert_eq!(structured(&other.call("execute", code()))["status"], "approval_required");
}

#[test]
fn who_declines_ends_the_program_and_who_says_nothing_leaves_it_open() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_rounds(&env);
    let asked = begin(&mut client, code());
    for said in [
        json!({ "action": "cancel" }),
        json!({ "action": "accept", "content": { "decision": 1 } }),
        json!("accept"),
        Value::Null,
    ] {
        let open = client.again("execute", code(), &asked, said.clone());
        assert_eq!(structured(&open)["status"], "approval_required", "{said}: {open}");
        assert_eq!(structured(&open)["workflow_id"], open_question(&env));
        let answer_with = format!("pml approve {}", open_question(&env));
        assert_eq!(structured(&open)["answer_with"], answer_with);
    }
    let state_alone = json!({ "name": "execute", "arguments": code(),
        "requestState": asked["result"]["requestState"],
        "inputResponses": { "approval": accepted_form() } });
    let open = client.request("tools/call", state_alone);
    assert_eq!(structured(&open)["status"], "approval_required", "the answer is to something else");
    let ended = client.again("execute", code(), &asked, json!({ "action": "decline" }));
    assert_eq!(structured(&ended)["status"], "aborted", "{ended}");
    assert_eq!((toolbox_calls(&env), newest_state(&env)), (vec![], "aborted".into()));
}

#[test]
fn a_state_is_good_for_its_own_call_and_as_it_was_given() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_rounds(&env);
    let asked = begin(&mut client, code());
    let mut refused = |tool: &str, arguments: Value, asked: &Value| {
        let answer = client.again(tool, arguments, asked, accepted_form());
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    };
    refused("execute", json!({ "code": "return (await mcp.box.count()).n + 1" }), &asked);
    refused("execute", json!({ "code": COUNT, "inputs": {} }), &asked);
    refused("pml_execute", code(), &asked);
    refused("box:count", json!({}), &asked);
    let state = asked["result"]["requestState"].as_str().expect("a state");
    for changed in [format!("{state}A"), state[1..].into(), String::new(), "rs1.AAAA.AAAA".into()] {
        let mut forged = asked.clone();
        forged["result"]["requestState"] = changed.into();
        refused("execute", code(), &forged);
    }
    assert_eq!(toolbox_calls(&env), [""; 0]);
    // The key is this user's: another user's seals open nothing here.
    let theirs = asking_project(pml());
    let mut stranger = ModernClient::with_rounds(&theirs);
    let answer = stranger.again("execute", code(), &asked, accepted_form());
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(structured(&client.again("execute", code(), &asked, accepted_form()))["result"], 1);
}

#[test]
fn a_state_that_comes_again_approves_nothing_and_tells_what_became_of_the_run() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_rounds(&env);
    let arguments =
        json!({ "code": "await mcp.box.count(); return await mcp.box.echo({ text: 'x' })" });
    let first = begin(&mut client, arguments.clone());
    let second = client.again("execute", arguments.clone(), &first, accepted_form());
    let message = question_form(&second["result"])["message"].as_str().expect("a text").to_owned();
    assert!(message.starts_with("tool      │ box:echo\n"), "{message}");
    // The first state again: what is asked now is asked again, and nothing is approved.
    let again = client.again("execute", arguments.clone(), &first, accepted_form());
    assert_eq!(again["result"]["inputRequests"], second["result"]["inputRequests"], "{again}");
    assert_eq!(toolbox_calls(&env), ["count"]);
    let done = client.again("execute", arguments.clone(), &again, accepted_form());
    assert_eq!(structured(&done)["result"], "x", "{done}");
    for state in [&first, &second, &again] {
        let late =
            client.again("execute", arguments.clone(), state, json!({ "action": "decline" }));
        assert_eq!(structured(&late)["result"], "x", "{late}");
    }
    // In another process the journal tells it.
    let late = ModernClient::with_rounds(&env).again("execute", arguments, &first, accepted_form());
    assert_eq!(structured(&late)["result"], "x", "{late}");
    assert_eq!(toolbox_calls(&env), ["count", "echo"]);
}

#[test]
fn a_question_outlives_the_process_that_asked_it() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_rounds(&env);
    let arguments = json!({ "code": "const a = inputs.a; return [a, (await mcp.box.count()).n]", "inputs": { "a": 1 } });
    let asked = begin(&mut client, arguments.clone());
    let pid = Pid::from_raw(client.client.pid().cast_signed()).expect("a process");
    kill_process(pid, Signal::KILL).expect("it is there");
    assert_eq!(client.client.finish().0, -1);
    let done = ModernClient::with_rounds(&env).again("execute", arguments, &asked, accepted_form());
    assert_eq!(structured(&done)["result"], json!([1, 1]), "{done}");
    assert_eq!(toolbox_calls(&env), ["count"]);
}

#[test]
fn a_run_that_is_approved_elsewhere_goes_on_before_its_client_comes_back() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_rounds(&env);
    let asked = begin(&mut client, code());
    approve_in_another_process(&env, &open_question(&env));
    wait_until("it goes on by itself", || newest_state(&env) == "finished");
    let done = client.again("execute", code(), &asked, json!({ "action": "cancel" }));
    assert_eq!(structured(&done)["result"], 1, "{done}");
}

#[test]
fn what_was_decided_elsewhere_meanwhile_is_not_decided_again() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_rounds(&env);
    let arguments = json!({ "code": COUNT_AND_ECHO });
    let asked = begin(&mut client, arguments.clone());
    let first = env.run(&["approve", &open_question(&env), "--only", "1", "--decline", "--yes"]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let said = json!({ "action": "accept", "content": { "ask_1": "approve", "ask_2": "approve" } });
    let done = client.again("execute", arguments, &asked, said);
    assert_eq!(structured(&done)["result"], json!(["APPROVAL_DECLINED", "yes"]), "{done}");
    assert_eq!(toolbox_calls(&env), ["echo"]);
}

#[test]
fn who_accepts_decides_what_was_shown_and_is_asked_about_the_rest() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_rounds(&env);
    let arguments = json!({ "code": ECHO_TWELVE });
    let first = begin(&mut client, arguments.clone());
    let rest = client.again("execute", arguments.clone(), &first, accepted_form());
    let message = question_form(&rest["result"])["message"].as_str().expect("a text").to_owned();
    assert!(message.starts_with("3 asks, decided one by one below\n"), "{message}");
    assert_eq!(toolbox_calls(&env).len(), 9);
    // The first state again is not about the rest.
    let again = client.again("execute", arguments.clone(), &first, accepted_form());
    assert_eq!(again["result"]["inputRequests"], rest["result"]["inputRequests"], "{again}");
    assert_eq!(toolbox_calls(&env).len(), 9);
    let said = json!({ "action": "accept", "content": { "ask_11": "decline" } });
    let done = client.again("execute", arguments, &rest, said);
    assert_eq!(structured(&done)["result"], all_but_the_eleventh(), "{done}");
}

#[test]
fn a_question_that_has_expired_is_gone() {
    let env = asking_project_with(pml(), &json!({ "timeout": "3s" }));
    let mut client = ModernClient::with_rounds(&env);
    let asked = begin(&mut client, code());
    wait_until("it expires", || newest_state(&env) == "expired");
    let gone = client.again("execute", code(), &asked, accepted_form());
    assert_eq!(structured(&gone)["error"]["code"], "WORKFLOW_UNKNOWN", "{gone}");
    let elsewhere =
        ModernClient::with_rounds(&env).again("execute", code(), &asked, accepted_form());
    assert_eq!(structured(&elsewhere)["error"]["code"], "WORKFLOW_UNKNOWN", "{elsewhere}");
    assert_eq!(toolbox_calls(&env), [""; 0]);
}

#[test]
fn what_the_model_writes_is_put_to_the_person() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_rounds(&env);
    let asked = begin(&mut client, code());
    let open = client.again("execute", code(), &asked, json!({ "action": "cancel" }));
    let words = json!({ "continue_workflow": { "workflow_id": structured(&open)["workflow_id"], "approved": true } });
    let again = begin(&mut client, words.clone());
    assert_eq!(again["result"]["inputRequests"], asked["result"]["inputRequests"]);
    assert_eq!(toolbox_calls(&env), [""; 0]);
    let done = client.again("execute", words, &again, accepted_form());
    assert_eq!(structured(&done)["result"], 1, "{done}");
    assert_eq!(decided_channels(&env), ["mrtr"]);
}

#[test]
fn the_key_lies_in_the_users_own_folder_and_a_strange_one_is_not_used() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let env = asking_project(pml());
    begin(&mut ModernClient::with_rounds(&env), code());
    let key = env.state().join("state.key");
    assert_eq!(key.metadata().expect("a key").permissions().mode() & 0o777, 0o600);
    std::fs::remove_file(&key).expect("it goes");
    let theirs = env.write("theirs", [7; 32]);
    symlink(&theirs, &key).expect("a link");
    let asked = ModernClient::with_rounds(&env).call("execute", code());
    assert_eq!(structured(&asked)["status"], "approval_required", "{asked}");
    let note = structured(&asked)["notes"][0].as_str().expect("a note");
    assert!(note.contains("the key is a link"), "{note}");
}

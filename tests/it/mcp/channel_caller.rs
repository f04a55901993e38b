//! Clients that cannot ask a person: `approval_required`, and `continue_workflow`.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::scripts::{COUNT, COUNT_AND_ECHO};
use pml_kit::{
    StdioClient, approve_in_another_process, asking_project, client_with, dialog_client,
    newest_state, open_question, structured, toolbox_calls, toolbox_client, wait_until,
};

fn go_on(client: &mut StdioClient, asked: &Value, answer: Value) -> Value {
    let mut answer = answer;
    answer["workflow_id"] = asked["workflow_id"].clone();
    let told = client.call("execute", json!({ "continue_workflow": answer }));
    structured(&told).clone()
}

#[test]
fn a_part_of_a_question_can_be_answered_and_the_rest_stays_open() {
    let env = asking_project(pml());
    let mut client = toolbox_client(&env);
    let asked = client.execute(COUNT_AND_ECHO);
    assert_eq!(asked["description"], "Approval required to call box:count (and 1 more)");
    assert_eq!(asked["asks"].as_array().map(Vec::len), Some(2));
    assert_eq!(asked["asks"][1]["options"], json!(["approve", "always", "decline"]));
    let rest = go_on(&mut client, &asked, json!({ "answers": { "2": "approve" } }));
    assert_eq!(rest["status"], "approval_required", "{rest}");
    assert_eq!(rest["workflow_id"], asked["workflow_id"]);
    assert_eq!(rest["asks"].as_array().map(Vec::len), Some(1), "{rest}");
    assert_eq!(rest["asks"][0]["id"], 1);
    assert_eq!(toolbox_calls(&env), ["echo"]);
    // What was decided is decided.
    let late = go_on(&mut client, &asked, json!({ "answers": { "2": "decline" } }));
    assert_eq!(late["status"], "approval_required", "{late}");
    let done = go_on(&mut client, &asked, json!({ "answers": { "1": "decline" } }));
    assert_eq!(done["result"], json!(["APPROVAL_DECLINED", "yes"]), "{done}");
    assert_eq!(toolbox_calls(&env), ["echo"]);
}

#[test]
fn a_part_that_suffices_lets_the_program_go_on_to_its_end() {
    let env = asking_project(pml());
    let mut client = toolbox_client(&env);
    let asked =
        client.execute("return await Promise.any([mcp.box.wait(), mcp.box.echo({ text: 'x' })])");
    let done = go_on(&mut client, &asked, json!({ "answers": { "2": "approve" } }));
    assert_eq!(done["result"], "x", "{done}");
    assert_eq!(toolbox_calls(&env), ["echo"]);
}

#[test]
fn answers_have_their_forms_and_others_are_refused() {
    let env = asking_project(pml());
    let mut client = toolbox_client(&env);
    let asked = client.execute(COUNT);
    for wrong in [
        json!({ "answers": { "1": "yes" } }),
        json!({ "answers": { "1": { "always": 7 } } }),
        json!({ "answers": { "1": { "always": "x" } } }),
    ] {
        let mut answer = wrong;
        answer["workflow_id"] = asked["workflow_id"].clone();
        let told = client.call("execute", json!({ "continue_workflow": answer }));
        assert_eq!(told["error"]["code"], -32602, "{told}");
    }
    // There is no such ask: nothing is decided, not even about the one that there is.
    let answers = json!({ "1": "approve", "9": "approve" });
    let answer = json!({ "workflow_id": asked["workflow_id"], "answers": answers });
    let told = client.call("execute", json!({ "continue_workflow": answer }));
    assert_eq!(told["error"]["code"], -32602, "{told}");
    let message = told["error"]["message"].as_str().expect("a text");
    assert!(message.contains("there is no ask `9`: the question has 1 ask"), "{message}");
    assert_eq!((toolbox_calls(&env), newest_state(&env)), (vec![], "waiting".into()));
    let replan = go_on(&mut client, &asked, json!({ "action": "replan" }));
    assert_eq!((&replan["status"], &replan["replan"]), (&json!("aborted"), &json!(true)));
    let (hint, run) = (replan["error"]["hint"].as_str(), asked["run_id"].as_str().expect("an id"));
    let says_how = |hint: &str| hint.contains("`resume_from`") && hint.contains(run);
    assert!(hint.is_some_and(says_how), "{replan}");
    // A call that was asked about and never sent is not the program's fault.
    assert!(replan.get("notes").is_none(), "{replan}");
}

#[test]
fn what_a_program_wrote_before_it_asked_is_told_once() {
    let env = asking_project(pml());
    let mut client = toolbox_client(&env);
    let code = "console.log('before'); const { n } = await mcp.box.count(); console.log('after'); return n";
    let asked = client.execute(code);
    assert_eq!(asked["console"], json!(["before"]));
    let done = go_on(&mut client, &asked, json!({ "approved": true }));
    assert_eq!((&done["console"], &done["result"]), (&json!(["after"]), &json!(1)));
    // Who is asked in a dialog is told all of it at the end.
    let mut client = dialog_client(&env);
    let id =
        client.begin("tools/call", json!({ "name": "execute", "arguments": { "code": code } }));
    let dialog = client.asked("elicitation/create");
    client.reply(&dialog, json!({ "action": "accept" }));
    assert_eq!(structured(&client.answer(id))["console"], json!(["before", "after"]));
}

#[test]
fn a_run_that_waits_goes_on_by_itself_and_is_told_to_who_comes_late() {
    let env = asking_project(pml());
    let mut client = toolbox_client(&env);
    let asked = client.execute(COUNT);
    approve_in_another_process(&env, asked["workflow_id"].as_str().expect("an id"));
    wait_until("it goes on", || newest_state(&env) == "finished");
    let done = go_on(&mut client, &asked, json!({ "approved": true }));
    assert_eq!(done["result"], 1, "{done}");
    let note = done["notes"][0].as_str().expect("a note");
    assert!(note.contains("answered before"), "{note}");
    assert_eq!(toolbox_calls(&env), ["count"]);
}

#[test]
fn a_question_of_a_living_process_is_answered_for_that_process() {
    let env = asking_project(pml());
    let mut owner = toolbox_client(&env);
    let asked = owner.execute(COUNT);
    let mut other = toolbox_client(&env);
    let told = go_on(&mut other, &asked, json!({ "approved": true }));
    // Where it goes on is a matter of who was faster; it is called once.
    match told["error"]["code"].as_str() {
        Some(code) => {
            assert_eq!(code, "RUN_OWNED", "{told}");
            assert!(
                told["error"]["hint"].as_str().is_some_and(|hint| hint.contains("pml runs show")),
                "{told}"
            );
        }
        None => assert_eq!(told["result"], 1, "{told}"),
    }
    wait_until("it goes on there", || newest_state(&env) == "finished");
    assert_eq!(go_on(&mut owner, &asked, json!({ "approved": true }))["result"], 1);
    assert_eq!(toolbox_calls(&env), ["count"]);
}

#[test]
fn what_the_model_writes_for_another_living_process_approves_nothing() {
    let env = asking_project(pml());
    let mut owner = toolbox_client(&env);
    let asked = owner.execute(COUNT);
    let mut other = client_with(&env, json!({ "elicitation": {} }));
    let told = go_on(&mut other, &asked, json!({ "approved": true }));
    assert_eq!(told["error"]["code"], "APPROVAL_BY_MODEL", "{told}");
    let hint = told["error"]["hint"].as_str().expect("a hint");
    assert!(hint.contains(&format!("pml approve {}", open_question(&env))), "{hint}");
    assert_eq!((toolbox_calls(&env), newest_state(&env)), (vec![], "waiting".into()));
}

#[test]
fn a_client_that_leaves_leaves_its_question_to_others() {
    let env = asking_project(pml());
    let mut first = toolbox_client(&env);
    let asked = first.execute(COUNT);
    first.close();
    assert_eq!(first.finish(), (0, String::new()));
    assert_eq!(newest_state(&env), "waiting");
    let done = go_on(&mut toolbox_client(&env), &asked, json!({ "approved": true }));
    assert_eq!(done["result"], 1, "{done}");
}

#[test]
fn very_many_runs_wait_and_the_oldest_goes_on_from_the_journal() {
    let env = asking_project(pml());
    let mut client = toolbox_client(&env);
    let ids: Vec<u64> = (0..300)
        .map(|n| {
            let code = format!("await mcp.box.count(); return {n}");
            client.begin("tools/call", json!({ "name": "execute", "arguments": { "code": code } }))
        })
        .collect();
    let asked: Vec<Value> =
        ids.into_iter().map(|id| structured(&client.answer(id)).clone()).collect();
    for n in [0, 299] {
        let done = go_on(&mut client, &asked[n], json!({ "approved": true }));
        assert_eq!(done["result"], n, "{done}");
    }
    assert_eq!(toolbox_calls(&env), ["count", "count"]);
}

#[test]
fn a_part_that_takes_long_is_waited_for_and_can_be_cancelled() {
    let env = asking_project(pml());
    let mut client = toolbox_client(&env);
    let asked = client.execute("return await Promise.all([mcp.box.count(), mcp.box.wait()])");
    let answer = json!({ "workflow_id": asked["workflow_id"], "answers": { "2": "approve" } });
    let arguments = json!({ "continue_workflow": answer });
    let id = client.begin("tools/call", json!({ "name": "execute", "arguments": arguments }));
    wait_until("the call is out", || toolbox_calls(&env) == ["wait"]);
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    client.send(&cancel.to_string());
    wait_until("the server is told", || toolbox_calls(&env) == ["wait", "cancelled"]);
    wait_until("the run is over", || newest_state(&env) == "aborted");
}

#[test]
fn a_better_program_takes_up_what_one_that_waits_has_done() {
    let env = pml_kit::toolbox_project(pml(), &json!({ "allow": ["box:count"], "ask": ["*"] }));
    let mut client = toolbox_client(&env);
    let asked = client.execute("await mcp.box.count(); return await mcp.box.echo({ text: 'x' })");
    assert_eq!(asked["status"], "approval_required");
    let better = json!({ "code": COUNT, "resume_from": asked["run_id"] });
    let done = client.call("execute", better);
    assert_eq!(structured(&done)["result"], 1, "{done}");
    assert_eq!(toolbox_calls(&env), ["count"]);
    // The earlier run is over with it, and so is its question.
    let late = go_on(&mut client, &asked, json!({ "approved": true }));
    assert_eq!(late["status"], "aborted", "{late}");
    assert_eq!(toolbox_calls(&env), ["count"]);
}

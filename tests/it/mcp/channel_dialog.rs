//! Clients before 2026-07-28 that show forms: the question is put into their own dialog while the
//! request waits.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::scripts::{COUNT, COUNT_AND_ECHO, ECHO_TWELVE};
use pml_kit::{
    StdioClient, accepted_form, all_but_the_eleventh, approve_in_another_process, asking_project,
    asking_project_with, client_with, decided_channels, dialog_client, newest_state, open_question,
    structured, toolbox_calls, toolbox_command, wait_until,
};

/// Begins a program; the dialog that it opens.
fn begin(client: &mut StdioClient, code: &str) -> (u64, Value) {
    let arguments = json!({ "code": code });
    let id = client.begin("tools/call", json!({ "name": "execute", "arguments": arguments }));
    (id, client.asked("elicitation/create"))
}

/// Runs a program whose one question is answered so.
fn said(client: &mut StdioClient, code: &str, result: Value) -> Value {
    let (id, dialog) = begin(client, code);
    client.reply(&dialog, result);
    structured(&client.answer(id)).clone()
}

#[test]
fn who_accepts_approves_a_program_and_a_single_call_alike() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let (id, dialog) = begin(&mut client, COUNT);
    let message = dialog["params"]["message"].as_str().expect("a text");
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines.len(), 4, "{message}");
    assert_eq!(&lines[..2], ["tool      │ box:count", "call with │ {}"]);
    assert_eq!(dialog["params"]["requestedSchema"]["properties"]["decision"]["default"], "approve");
    assert_eq!(toolbox_calls(&env), [""; 0]);
    client.reply(&dialog, accepted_form());
    assert_eq!(structured(&client.answer(id))["result"], 1);
    assert_eq!(decided_channels(&env), ["elicitation"]);
    let id = client.begin("tools/call", json!({ "name": "box:count", "arguments": {} }));
    let dialog = client.asked("elicitation/create");
    client.reply(&dialog, json!({ "action": "accept" }));
    assert_eq!(structured(&client.answer(id))["result"], json!({ "n": 2 }));
    assert_eq!(toolbox_calls(&env), ["count", "count"]);
}

#[test]
fn hostile_words_fake_no_line_of_the_dialog() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let code = r#"return await mcp.box.echo({ text: "x\nwhy       │ harmless\r\u001b[2K\u202e\n\napprove?" })"#;
    let (id, dialog) = begin(&mut client, code);
    let message = dialog["params"]["message"].as_str().expect("a text");
    let lines: Vec<&str> = message.split('\n').collect();
    assert_eq!(lines.len(), 4, "{message}");
    assert!(
        lines[1].starts_with("call with │ ") && lines[2].starts_with("why       │ "),
        "{message}"
    );
    assert!(!message.contains(['\r', '\u{1b}', '\u{202e}']), "{message}");
    client.reply(&dialog, json!({ "action": "decline" }));
    assert_eq!(structured(&client.answer(id))["status"], "aborted");
}

#[test]
fn who_declines_ends_the_program() {
    let env = asking_project(pml());
    let ended = said(&mut dialog_client(&env), COUNT, json!({ "action": "decline" }));
    assert_eq!(ended["status"], "aborted");
    assert_eq!(ended["error"]["message"], "Workflow aborted by user");
    assert_eq!((toolbox_calls(&env), newest_state(&env)), (vec![], "aborted".into()));
}

#[test]
fn a_choice_in_the_form_counts() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let choose = |word: &str| json!({ "action": "accept", "content": { "decision": word } });
    let code = "try { return (await mcp.box.count()).n } catch (e) { return e.code }";
    assert_eq!(said(&mut client, code, choose("decline"))["result"], "APPROVAL_DECLINED");
    assert_eq!(toolbox_calls(&env), [""; 0]);
    let replan = said(&mut client, COUNT, choose("replan"));
    assert_eq!((&replan["status"], &replan["replan"]), (&json!("aborted"), &json!(true)));
    let twice = "return (await mcp.box.count()).n + (await mcp.box.count()).n";
    assert_eq!(said(&mut client, twice, choose("always"))["result"], 3);
}

#[test]
fn a_dialog_that_is_closed_or_cannot_be_shown_leaves_the_question_open() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let strange = [
        json!({ "action": "cancel" }),
        json!({ "action": "accept", "content": { "decision": "yes please" } }),
        json!({ "action": "accept", "content": { "decision": true } }),
        json!({ "action": "perhaps" }),
        json!({ "answer": 42 }),
    ];
    for result in strange {
        let asked = said(&mut client, COUNT, result.clone());
        assert_eq!(asked["status"], "approval_required", "{result}: {asked}");
        let id = asked["workflow_id"].as_str().expect("an id");
        assert_eq!(asked["answer_with"], format!("pml approve {id}"));
        assert_eq!(open_question(&env), id);
        let stop = json!({ "workflow_id": id, "approved": false });
        let ended = client.call("execute", json!({ "continue_workflow": stop }));
        assert_eq!(structured(&ended)["status"], "aborted", "{ended}");
    }
    let (id, dialog) = begin(&mut client, COUNT);
    let error = json!({ "code": -32601, "message": "Method not found" });
    client.send(&json!({ "jsonrpc": "2.0", "id": dialog["id"], "error": error }).to_string());
    assert_eq!(structured(&client.answer(id))["status"], "approval_required");
    assert_eq!(toolbox_calls(&env), [""; 0]);
}

#[test]
fn a_run_whose_dialog_was_closed_goes_on_when_somebody_answers_elsewhere() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let asked = said(&mut client, COUNT, json!({ "action": "cancel" }));
    let id = asked["workflow_id"].as_str().expect("an id");
    approve_in_another_process(&env, id);
    wait_until("the run goes on by itself", || toolbox_calls(&env) == ["count"]);
    let late = json!({ "workflow_id": id, "approved": false });
    let done = client.call("execute", json!({ "continue_workflow": late }));
    assert_eq!(structured(&done)["result"], 1, "{done}");
}

#[test]
fn whoever_answers_first_wins_and_the_dialog_is_taken_back() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let (id, dialog) = begin(&mut client, COUNT);
    approve_in_another_process(&env, &open_question(&env));
    let withdrawn = client.asked("notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], dialog["id"], "{withdrawn}");
    assert_eq!(structured(&client.answer(id))["result"], 1);
    // What the dialog says now comes too late.
    client.reply(&dialog, json!({ "action": "decline" }));
    assert_eq!(client.execute("return 1")["result"], 1);
    assert_eq!((decided_channels(&env), toolbox_calls(&env)), (vec![], vec!["count".to_owned()]));
}

#[test]
fn each_question_of_a_run_has_a_dialog_of_its_own() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let (id, first) =
        begin(&mut client, "await mcp.box.count(); return await mcp.box.echo({ text: 'x' })");
    let one = open_question(&env);
    client.reply(&first, accepted_form());
    let second = client.asked("elicitation/create");
    let message = second["params"]["message"].as_str().expect("a text");
    assert!(message.starts_with("tool      │ box:echo\n"), "{message}");
    assert_ne!(open_question(&env), one);
    client.reply(&second, accepted_form());
    assert_eq!(structured(&client.answer(id))["result"], "x");
}

#[test]
fn asks_of_one_question_are_decided_one_by_one_in_one_dialog() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let (id, dialog) = begin(&mut client, COUNT_AND_ECHO);
    let message = dialog["params"]["message"].as_str().expect("a text");
    assert!(
        message.starts_with("2 asks, decided one by one below\ntools     │ box:count, box:echo\n"),
        "{message}"
    );
    client.reply(&dialog, json!({ "action": "accept", "content": { "ask_2": "decline" } }));
    assert_eq!(structured(&client.answer(id))["result"], json!(["yes", "APPROVAL_DECLINED"]));
    assert_eq!(toolbox_calls(&env), ["count"]);
}

#[test]
fn only_clients_with_forms_are_asked() {
    let env = asking_project(pml());
    for capabilities in
        [json!({}), json!({ "elicitation": { "url": {} } }), json!({ "sampling": {} })]
    {
        let asked = client_with(&env, capabilities.clone()).execute(COUNT);
        assert_eq!(asked["status"], "approval_required", "{capabilities}");
    }
    for capabilities in [
        json!({ "elicitation": { "form": {} } }),
        json!({ "elicitation": { "form": {}, "url": {} } }),
    ] {
        assert_eq!(
            said(&mut client_with(&env, capabilities), COUNT, accepted_form())["status"],
            "success"
        );
    }
}

#[test]
fn a_client_of_the_first_revision_with_forms_gets_the_choices_as_it_knows_them() {
    let env = asking_project(pml());
    let mut client = StdioClient::start(&mut toolbox_command(&env, &["stdio"]));
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": { "elicitation": {} },
        "clientInfo": { "name": "old", "version": "1" } });
    assert_eq!(client.request("initialize", hello)["result"]["protocolVersion"], "2025-06-18");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
    let (id, dialog) = begin(&mut client, COUNT);
    let field = &dialog["params"]["requestedSchema"]["properties"]["decision"];
    assert_eq!(field["enum"], json!(["approve", "always", "decline", "replan"]), "{dialog}");
    client.reply(&dialog, json!({ "action": "accept", "content": { "decision": "approve" } }));
    assert_eq!(structured(&client.answer(id))["result"], 1);
}

#[test]
fn while_a_person_thinks_the_client_hears_that_we_are_there() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let id = client.begin(
        "tools/call",
        json!({ "name": "execute", "arguments": { "code": COUNT }, "_meta": { "progressToken": 7 } }),
    );
    let dialog = client.asked("elicitation/create");
    let beats = [client.asked("notifications/progress"), client.asked("notifications/progress")];
    for beat in &beats {
        assert_eq!(beat["params"]["progressToken"], 7);
        assert_eq!(beat["params"]["message"], "waiting for a person: box:count");
    }
    client.reply(&dialog, accepted_form());
    assert_eq!(structured(&client.answer(id))["result"], 1);
    let numbers: Vec<f64> = beats
        .iter()
        .chain(client.aside.iter().filter(|note| note["method"] == "notifications/progress"))
        .map(|note| note["params"]["progress"].as_f64().expect("a number"))
        .collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
}

#[test]
fn a_request_that_is_cancelled_takes_its_dialog_and_its_run_with_it() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let (id, dialog) = begin(&mut client, COUNT);
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    client.send(&cancel.to_string());
    let withdrawn = client.asked("notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], dialog["id"]);
    wait_until("the run is over", || newest_state(&env) == "aborted");
    assert_eq!(toolbox_calls(&env), [""; 0]);
}

#[test]
fn a_question_that_nobody_answers_in_time_takes_its_dialog_back() {
    let env = asking_project_with(pml(), &json!({ "timeout": "3s" }));
    let mut client = dialog_client(&env);
    let (id, dialog) = begin(&mut client, COUNT);
    let withdrawn = client.asked("notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], dialog["id"]);
    let gone = client.answer(id);
    assert_eq!(structured(&gone)["error"]["message"], "Workflow expired or not found");
    assert_eq!((toolbox_calls(&env), newest_state(&env)), (vec![], "expired".into()));
}

#[test]
fn what_the_model_writes_approves_nothing_where_a_person_can_be_asked() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let asked = said(&mut client, COUNT, json!({ "action": "cancel" }));
    let workflow = asked["workflow_id"].clone();
    for answer in [
        json!({ "workflow_id": workflow, "approved": true }),
        json!({ "workflow_id": workflow, "action": "always" }),
        json!({ "workflow_id": workflow, "answers": { "1": "approve" } }),
        json!({ "workflow_id": workflow, "answers": { "1": { "result": { "n": 7 } } } }),
    ] {
        let arguments = json!({ "continue_workflow": answer });
        let id = client.begin("tools/call", json!({ "name": "execute", "arguments": arguments }));
        // The person is asked instead, and says nothing.
        let dialog = client.asked("elicitation/create");
        assert_eq!(toolbox_calls(&env), [""; 0]);
        client.reply(&dialog, json!({ "action": "cancel" }));
        let still = client.answer(id);
        assert_eq!(structured(&still)["status"], "approval_required", "{still}");
        assert_eq!(structured(&still)["workflow_id"], workflow);
        let note = structured(&still)["notes"][0].as_str().expect("a note");
        assert!(note.starts_with("`continue_workflow` approves nothing here"), "{note}");
    }
    let arguments = json!({ "continue_workflow": { "workflow_id": workflow, "approved": true } });
    let id = client.begin("tools/call", json!({ "name": "execute", "arguments": arguments }));
    let dialog = client.asked("elicitation/create");
    client.reply(&dialog, accepted_form());
    assert_eq!(structured(&client.answer(id))["result"], 1);
    assert_eq!(decided_channels(&env), ["elicitation"]);
    // All of it is in the log that the client keeps.
    client.close();
    let (_, log) = client.finish();
    let question = workflow.as_str().expect("an id");
    let refused = format!(
        "question {question}: refused from asker: `continue_workflow` approves nothing where the client can ask a person"
    );
    assert_eq!(log.lines().filter(|line| *line == refused).count(), 5, "{log}");
    let decided = format!("question {question}: ask 1 approve, by asker (elicitation)");
    assert_eq!(log.lines().last(), Some(decided.as_str()), "{log}");
}

#[test]
fn what_the_model_writes_counts_where_the_settings_say_so() {
    let env = asking_project_with(pml(), &json!({ "modelMayApprove": true }));
    let mut client = dialog_client(&env);
    let asked = said(&mut client, COUNT, json!({ "action": "cancel" }));
    let answer = json!({ "workflow_id": asked["workflow_id"], "approved": true });
    let done = client.call("execute", json!({ "continue_workflow": answer }));
    assert_eq!(structured(&done)["result"], 1, "{done}");
    assert_eq!(decided_channels(&env), ["continue_workflow"]);
}

#[test]
fn who_accepts_decides_what_was_shown_and_is_asked_about_the_rest() {
    let env = asking_project(pml());
    let mut client = dialog_client(&env);
    let (id, dialog) = begin(&mut client, ECHO_TWELVE);
    let message = dialog["params"]["message"].as_str().expect("a text");
    assert!(message.starts_with("12 asks: the first 9 are decided below"), "{message}");
    client.reply(&dialog, accepted_form());
    let rest = client.asked("elicitation/create");
    let message = rest["params"]["message"].as_str().expect("a text");
    assert!(message.starts_with("3 asks, decided one by one below\n"), "{message}");
    assert!(message.contains("\nask 10\n") && !message.contains("\nask 9\n"), "{message}");
    assert_eq!(toolbox_calls(&env).len(), 9);
    client.reply(&rest, json!({ "action": "accept", "content": { "ask_11": "decline" } }));
    assert_eq!(structured(&client.answer(id))["result"], all_but_the_eleventh());
    assert_eq!(toolbox_calls(&env).len(), 11);
}

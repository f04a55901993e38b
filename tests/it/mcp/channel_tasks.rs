//! Clients that know the tasks extension: what waits for a person is a task, and the question rides
//! it.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::scripts::{COUNT, COUNT_AND_ECHO, ECHO_TWELVE};
use pml_kit::{
    ModernClient, accepted_form, all_but_the_eleventh, approve_in_another_process, asking_project,
    decided_channels, newest_state, open_question, question_form, question_key, structured,
    toolbox_calls, toolbox_project, wait_until,
};

/// Begins a program; the id of its task.
fn begin(client: &mut ModernClient, tool: &str, arguments: Value) -> String {
    let asked = client.call(tool, arguments);
    let task = &asked["result"];
    assert_eq!(task["resultType"], "task", "{asked}");
    assert_eq!(task["status"], "input_required");
    assert!(task["ttlMs"].is_u64() && task["pollIntervalMs"].is_u64(), "{asked}");
    task["taskId"].as_str().expect("an id").into()
}

fn get(client: &mut ModernClient, task: &str) -> Value {
    client.request("tasks/get", json!({ "taskId": task }))
}

fn update(client: &mut ModernClient, task: &str, key: &str, said: Value) {
    let params = json!({ "taskId": task, "inputResponses": { key: said } });
    let told = client.request("tasks/update", params);
    assert!(told["result"].is_object(), "{told}");
}

/// Asks until the task has come to this.
fn wait(client: &mut ModernClient, task: &str, status: &str) -> Value {
    let mut last = Value::Null;
    wait_until(status, || {
        last = get(client, task)["result"].clone();
        last["status"] == status
    });
    last
}

#[test]
fn what_waits_is_a_task_for_programs_and_single_calls_alike() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_tasks(&env);
    for (tool, arguments, result) in [
        ("execute", json!({ "code": COUNT }), json!(1)),
        ("box:count", json!({}), json!({ "n": 2 })),
    ] {
        let task = begin(&mut client, tool, arguments);
        let asked = get(&mut client, &task)["result"].clone();
        assert_eq!(asked["status"], "input_required", "{asked}");
        let message = question_form(&asked)["message"].as_str().expect("a text");
        assert!(message.starts_with("tool      │ box:count\n"), "{message}");
        update(&mut client, &task, &question_key(&asked), accepted_form());
        let done = wait(&mut client, &task, "completed");
        assert_eq!(done["result"]["structuredContent"]["result"], result, "{done}");
        assert_eq!(done["result"]["isError"], false);
        assert_eq!(decided_channels(&env), ["task"]);
    }
    assert_eq!(toolbox_calls(&env), ["count", "count"]);
}

#[test]
fn what_does_not_ask_is_answered_at_once_and_who_knows_no_tasks_gets_none() {
    let env = toolbox_project(pml(), &json!({ "allow": ["box:echo"], "ask": ["*"] }));
    let mut client = ModernClient::with_tasks(&env);
    let done =
        client.call("execute", json!({ "code": "return await mcp.box.echo({ text: 'x' })" }));
    assert_eq!(structured(&done)["result"], "x");
    let discovered = client.request("server/discover", json!({}));
    let extensions = &discovered["result"]["capabilities"]["extensions"];
    assert!(extensions["io.modelcontextprotocol/tasks"].is_object(), "{discovered}");
    let task = begin(&mut client, "execute", json!({ "code": COUNT }));
    let mut other = ModernClient::with_rounds(&env);
    let refused = get(&mut other, &task);
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    // Tasks without forms leave nobody to ask.
    let extensions = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let asked = ModernClient::with(&env, extensions).call("execute", json!({ "code": COUNT }));
    assert_eq!(structured(&asked)["status"], "approval_required");
}

#[test]
fn an_id_that_is_not_one_of_ours_is_unknown() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_tasks(&env);
    let task = begin(&mut client, "execute", json!({ "code": COUNT }));
    let run = pml_kit::json_of(&env, &["runs", "--json", "-n", "1"])[0]["run_id"].clone();
    let run = run.as_str().unwrap_or("00000000-0000-7000-8000-000000000000").to_owned();
    for id in ["", "nonsense", &task[1..], &format!("{task}A"), &run] {
        for (method, more) in [
            ("tasks/get", json!({})),
            ("tasks/cancel", json!({})),
            ("tasks/update", json!({ "inputResponses": {} })),
        ] {
            let mut params = more;
            params["taskId"] = id.into();
            let refused = client.request(method, params);
            assert_eq!(refused["error"]["code"], -32602, "{method} {id}: {refused}");
        }
    }
    assert_eq!(client.request("tasks/get", json!({}))["error"]["code"], -32602);
    assert_eq!(newest_state(&env), "waiting");
}

#[test]
fn who_declines_ends_the_program_and_who_says_nothing_leaves_it_open() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_tasks(&env);
    let task = begin(&mut client, "execute", json!({ "code": COUNT }));
    let asked = get(&mut client, &task)["result"].clone();
    update(&mut client, &task, &question_key(&asked), json!({ "action": "cancel" }));
    update(
        &mut client,
        &task,
        &question_key(&asked),
        json!({ "action": "accept", "content": { "decision": "ja" } }),
    );
    update(&mut client, &task, "nonsense", accepted_form());
    update(&mut client, &task, "00000000-0000-4000-8000-000000000000", accepted_form());
    let id = open_question(&env);
    for key in [id.clone(), format!("{id}:"), format!("{id}:9"), format!("{id}:1,9")] {
        update(&mut client, &task, &key, accepted_form());
    }
    assert_eq!(get(&mut client, &task)["result"]["inputRequests"], asked["inputRequests"]);
    update(&mut client, &task, &question_key(&asked), json!({ "action": "decline" }));
    let done = wait(&mut client, &task, "completed");
    assert_eq!(done["result"]["structuredContent"]["status"], "aborted", "{done}");
    assert_eq!(toolbox_calls(&env), [""; 0]);
}

#[test]
fn an_answer_to_another_tasks_question_counts_for_nothing() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_tasks(&env);
    let one = begin(&mut client, "execute", json!({ "code": COUNT }));
    let other = begin(&mut client, "execute", json!({ "code": COUNT_AND_ECHO }));
    let asked = get(&mut client, &one)["result"].clone();
    update(&mut client, &other, &question_key(&asked), accepted_form());
    assert_eq!(get(&mut client, &one)["result"]["status"], "input_required");
    assert_eq!(get(&mut client, &other)["result"]["status"], "input_required");
    assert_eq!(toolbox_calls(&env), [""; 0]);
}

#[test]
fn each_question_of_a_task_has_a_key_of_its_own() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_tasks(&env);
    let code = "await mcp.box.count(); return await mcp.box.echo({ text: 'x' })";
    let task = begin(&mut client, "execute", json!({ "code": code }));
    let first = get(&mut client, &task)["result"].clone();
    update(&mut client, &task, &question_key(&first), accepted_form());
    let mut second = Value::Null;
    wait_until("the second question", || {
        second = get(&mut client, &task)["result"].clone();
        second["status"] == "input_required" && question_key(&second) != question_key(&first)
    });
    update(&mut client, &task, &question_key(&first), json!({ "action": "decline" }));
    update(&mut client, &task, &question_key(&second), accepted_form());
    let done = wait(&mut client, &task, "completed");
    assert_eq!(done["result"]["structuredContent"]["result"], "x", "{done}");
}

#[test]
fn a_task_that_is_cancelled_ends_its_run() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_tasks(&env);
    let task = begin(&mut client, "execute", json!({ "code": COUNT }));
    let told = client.request("tasks/cancel", json!({ "taskId": task }));
    assert!(told["result"].is_object(), "{told}");
    assert_eq!(get(&mut client, &task)["result"]["status"], "cancelled");
    assert_eq!(newest_state(&env), "aborted");
    // Also by the journal's word.
    assert_eq!(get(&mut ModernClient::with_tasks(&env), &task)["result"]["status"], "cancelled");
    assert_eq!(toolbox_calls(&env), [""; 0]);
}

#[test]
fn a_task_outlives_its_process() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_tasks(&env);
    let task = begin(&mut client, "execute", json!({ "code": COUNT }));
    drop(client);
    let mut client = ModernClient::with_tasks(&env);
    let asked = wait(&mut client, &task, "input_required");
    update(&mut client, &task, &question_key(&asked), accepted_form());
    let done = wait(&mut client, &task, "completed");
    assert_eq!(done["result"]["structuredContent"]["result"], 1, "{done}");
    let told = get(&mut ModernClient::with_tasks(&env), &task)["result"].clone();
    assert_eq!(told["status"], "completed", "{told}");
    assert_eq!(told["result"]["structuredContent"]["result"], 1, "{told}");
    assert_eq!(toolbox_calls(&env), ["count"]);
}

#[test]
fn a_task_that_is_approved_elsewhere_goes_on() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_tasks(&env);
    let task = begin(&mut client, "execute", json!({ "code": COUNT }));
    // Another process sees it too, while this one has the run.
    let mut other = ModernClient::with_tasks(&env);
    let asked = wait(&mut other, &task, "input_required");
    assert!(question_key(&asked).starts_with(&format!("{}:1=", open_question(&env))), "{asked}");
    approve_in_another_process(&env, &open_question(&env));
    let done = wait(&mut client, &task, "completed");
    assert_eq!(done["result"]["structuredContent"]["result"], 1, "{done}");
}

#[test]
fn what_the_model_writes_becomes_the_task_again() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_tasks(&env);
    let task = begin(&mut client, "execute", json!({ "code": COUNT }));
    let words = json!({ "workflow_id": open_question(&env), "approved": true });
    let again = begin(&mut client, "execute", json!({ "continue_workflow": words }));
    assert_eq!(again, task);
    assert_eq!(toolbox_calls(&env), [""; 0]);
    let stop = json!({ "workflow_id": open_question(&env), "approved": false });
    let ended = client.call("execute", json!({ "continue_workflow": stop }));
    assert_eq!(structured(&ended)["status"], "aborted", "{ended}");
}

#[test]
fn a_task_that_another_process_has_is_cancelled_there() {
    let env = asking_project(pml());
    let mut owner = ModernClient::with_tasks(&env);
    let task = begin(&mut owner, "execute", json!({ "code": COUNT }));
    let told = ModernClient::with_tasks(&env).request("tasks/cancel", json!({ "taskId": task }));
    assert!(told["result"].is_object(), "{told}");
    let done = wait(&mut owner, &task, "completed");
    assert_eq!(done["result"]["structuredContent"]["status"], "aborted", "{done}");
    assert_eq!(toolbox_calls(&env), [""; 0]);
}

#[test]
fn what_was_said_is_about_what_was_shown_if_a_part_is_decided_elsewhere() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_tasks(&env);
    let task = begin(&mut client, "execute", json!({ "code": COUNT_AND_ECHO }));
    let asked = get(&mut client, &task)["result"].clone();
    let first = env.run(&["approve", &open_question(&env), "--only", "1", "--yes"]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let said = json!({ "action": "accept", "content": { "ask_1": "decline", "ask_2": "decline" } });
    update(&mut client, &task, &question_key(&asked), said);
    let done = wait(&mut client, &task, "completed");
    let result = &done["result"]["structuredContent"]["result"];
    assert_eq!(*result, json!(["yes", "APPROVAL_DECLINED"]), "{done}");
    assert_eq!(toolbox_calls(&env), ["count"]);
}

#[test]
fn who_accepts_decides_what_was_shown_and_is_asked_about_the_rest() {
    let env = asking_project(pml());
    let mut client = ModernClient::with_tasks(&env);
    let task = begin(&mut client, "execute", json!({ "code": ECHO_TWELVE }));
    let first = get(&mut client, &task)["result"].clone();
    update(&mut client, &task, &question_key(&first), accepted_form());
    wait_until("the shown ones are called", || toolbox_calls(&env).len() == 9);
    // Said again, it is still about those.
    update(&mut client, &task, &question_key(&first), accepted_form());
    let rest = wait(&mut client, &task, "input_required");
    let message = question_form(&rest)["message"].as_str().expect("a text");
    assert!(message.starts_with("3 asks, decided one by one below\n"), "{message}");
    let said = json!({ "action": "accept", "content": { "ask_11": "decline" } });
    update(&mut client, &task, &question_key(&rest), said);
    let done = wait(&mut client, &task, "completed");
    assert_eq!(done["result"]["structuredContent"]["result"], all_but_the_eleventh(), "{done}");
    assert_eq!(toolbox_calls(&env).len(), 11);
}

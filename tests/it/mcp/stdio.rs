//! `pml stdio` as a client sees it, line by line.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::{
    StdioClient, TestEnv, toolbox_calls, toolbox_client, toolbox_command, toolbox_project,
    wait_until,
};

fn allowing() -> TestEnv {
    toolbox_project(pml(), &json!({ "allow": ["box:*"] }))
}

#[test]
fn there_are_exactly_five_tools_and_both_eras_see_the_same() {
    let env = allowing();
    let mut legacy = toolbox_client(&env);
    let listed = legacy.request("tools/list", json!({}));
    let names: Vec<_> = listed["result"]["tools"].as_array().expect("a list").iter().collect();
    assert_eq!(names.len(), 5, "{listed}");
    assert_eq!(names[0]["name"], "execute");
    assert_eq!(names[0]["_meta"]["anthropic/alwaysLoad"], true);

    let mut modern = StdioClient::start(&mut toolbox_command(&env, &["stdio"]));
    let meta = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    } });
    let discovered = modern.request("server/discover", meta.clone());
    let versions = discovered["result"]["supportedVersions"].as_array().expect("a list");
    assert!(versions.contains(&json!("2026-07-28")), "{discovered}");
    let again = modern.request("tools/list", meta.clone());
    assert_eq!(again["result"]["tools"], listed["result"]["tools"]);
    assert!(again["result"]["ttlMs"].is_u64(), "{again}");
    let mut call = meta;
    call["name"] = json!("execute");
    call["arguments"] = json!({ "code": "return (await mcp.box.echo({ text: 'hi' })).length" });
    let done = modern.request("tools/call", call);
    assert_eq!(done["result"]["structuredContent"]["result"], 2, "{done}");
    assert_eq!(done["result"]["resultType"], "complete");
}

#[test]
fn a_program_calls_servers_and_its_answer_is_told_twice() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let code = "console.log('on my way'); const all = await Promise.all([1, 2, 3].map(n => mcp.box.count()));
        return { last: Math.max(...all.map(one => one.n)), inputs }";
    let answer = client.call("execute", json!({ "code": code, "inputs": { "a": 1 } }));
    let body = &answer["result"]["structuredContent"];
    assert_eq!(body["status"], "success");
    assert_eq!(body["result"], json!({ "last": 3, "inputs": { "a": 1 } }));
    assert_eq!(body["console"], json!(["on my way"]));
    assert_eq!(body["calls"], 3);
    let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
    assert_eq!(&json::from_str::<Value>(text).expect("JSON"), body);
    assert_eq!(answer["result"]["content"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer["result"]["isError"], false);
}

#[test]
fn names_are_understood_in_every_spelling_and_wrong_ones_are_answered_with_the_nearest() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let code =
        "return [typeof (await mcp.box.getEnv()).PATH, typeof (await mcp.box['get-env']()).PATH,
        typeof (await mcp.call('box:get_env', {})).PATH]";
    assert_eq!(client.execute(code)["result"], json!(["string", "string", "string"]));
    let unknown = client.execute("await mcp.box.ecko({ text: 'x' })");
    assert_eq!(unknown["error"]["code"], "TOOL_UNKNOWN");
    assert_eq!(unknown["error"]["message"], "server `box` has no tool `ecko`");
    assert_eq!(unknown["error"]["hint"], "did you mean `echo`?");
    assert_eq!(unknown["error"]["node"], "box:ecko");
    assert_eq!(unknown["error"]["position"]["line"], 1);
    assert_eq!(unknown["tool_failures"][0]["tool"], "box:ecko");
}

#[test]
fn arguments_are_checked_before_the_server_sees_them() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let code = "try { await mcp.box.echo({ text: 7 }) } catch (e) { return [e.code, e.message] }";
    let answer = client.execute(code);
    assert_eq!(answer["result"][0], "ARGUMENTS");
    let message = answer["result"][1].as_str().expect("a text");
    assert!(message.contains("`text` must be a string"), "{message}");
    assert_eq!(answer["tool_failures"][0]["tool"], "box:echo");
    assert_eq!(toolbox_calls(&env), [""; 0]);
}

#[test]
fn a_tool_that_fails_throws_what_it_said() {
    let env = allowing();
    let code =
        "try { await mcp.box.sorry() } catch (e) { return [e.name, e.tool, e.message, e.content] }";
    let answer = toolbox_client(&env).execute(code);
    let content = json!([{ "type": "text", "text": "the disk is full" }]);
    assert_eq!(answer["result"], json!(["ToolError", "box:sorry", "the disk is full", content]));
    assert_eq!(answer["status"], "success");
    assert_eq!(answer["tool_failures"][0]["error"], "the disk is full");
}

#[test]
fn an_error_that_nobody_handles_is_an_error_of_the_run() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let told = client.execute(
        "console.log('seen')\nPromise.reject(new Error('one'))\nPromise.reject(new Error('two'))\nreturn 1",
    );
    assert_eq!((&told["status"], &told["result"]), (&json!("error"), &json!(null)), "{told}");
    let error = &told["error"];
    assert_eq!(error["code"], "UNHANDLED_REJECTION", "{told}");
    assert_eq!((&error["message"], &error["position"]["line"]), (&json!("one"), &json!(2)));
    assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("`await` it")), "{told}");
    assert!(told.to_string().contains("another unhandled rejection: Error: two"), "{told}");
    assert!(told.to_string().contains("seen"), "{told}");
}

#[test]
fn pictures_reach_the_program_and_the_client_as_blocks() {
    let env = allowing();
    let mut plain = toolbox_client(&env);
    let code = "const blocks = await mcp.box.picture(); return { kinds: blocks.map(b => b.type), shot: blocks[1] }";
    let call = |client: &mut StdioClient| {
        client.call("execute", json!({ "code": code }))["result"].clone()
    };
    let result = call(&mut plain);
    assert_eq!(result["structuredContent"]["result"]["kinds"], json!(["text", "image"]));
    assert_eq!(result["structuredContent"]["result"]["shot"]["block"], 1);
    assert_eq!(result["content"][1]["type"], "image");
    assert_eq!(result["content"][1]["data"], "iVBORw0KGgo=");
    // This client shows its model the structure or the blocks, never both.
    let mut claude = StdioClient::start(&mut toolbox_command(&env, &["stdio"]));
    claude.initialize_as("claude-code");
    let result = call(&mut claude);
    assert!(result.get("structuredContent").is_none(), "{result}");
    assert_eq!(result["content"][1]["type"], "image");
}

#[test]
fn what_asks_is_answered_with_approval_required_and_continued() {
    let env = toolbox_project(pml(), &json!({ "allow": ["box:echo"], "ask": ["box:*"] }));
    let mut client = toolbox_client(&env);
    let code = "await mcp.box.echo({ text: 'before' }); return (await mcp.box.count()).n";
    let asked = client.execute(code);
    assert_eq!(asked["status"], "approval_required");
    assert_eq!(asked["approval_required"], true);
    assert_eq!(asked["approval_type"], "tool_permission");
    assert_eq!(asked["context"], json!({ "tool": "box:count", "arguments": {} }));
    assert_eq!(asked["options"], json!(["continue", "always", "abort", "replan"]));
    assert_eq!(toolbox_calls(&env), ["echo"]);
    let answer = json!({ "workflow_id": asked["workflow_id"], "approved": true, "always": false });
    let done = client.call("execute", json!({ "continue_workflow": answer }));
    assert_eq!(done["result"]["structuredContent"]["result"], 1, "{done}");
    assert_eq!(done["result"]["structuredContent"]["run_id"], asked["run_id"]);
    // What was done before the question is not done again.
    assert_eq!(toolbox_calls(&env), ["echo", "count"]);
    // An answer counts once; who repeats it is told what became of the run.
    let again = client.call("execute", json!({ "continue_workflow": answer }));
    let body = &again["result"]["structuredContent"];
    assert_eq!(body["result"], 1, "{again}");
    assert!(body["notes"][0].as_str().expect("a note").contains("answered before"), "{again}");
    assert_eq!(toolbox_calls(&env), ["echo", "count"]);
}

#[test]
fn a_no_ends_the_program_and_an_unknown_workflow_is_said_to_be_gone() {
    let env = toolbox_project(pml(), &json!({ "ask": ["*"] }));
    let mut client = toolbox_client(&env);
    let asked = client.execute("return await mcp.box.count()");
    let answer = json!({ "workflow_id": asked["workflow_id"], "approved": false });
    let ended = client.call("execute", json!({ "continue_workflow": answer }));
    let body = &ended["result"]["structuredContent"];
    assert_eq!(body["status"], "aborted");
    assert_eq!(body["error"]["message"], "Workflow aborted by user");
    assert_eq!(toolbox_calls(&env), [""; 0]);
    for id in ["nonsense", "00000000-0000-4000-8000-000000000000"] {
        let answer = json!({ "workflow_id": id, "approved": true });
        let gone = client.call("execute", json!({ "continue_workflow": answer }));
        let error = &gone["result"]["structuredContent"]["error"];
        assert_eq!(error["message"], "Workflow expired or not found");
    }
}

#[test]
fn a_question_of_one_process_is_answered_in_another() {
    let env = toolbox_project(pml(), &json!({ "ask": ["box:*"] }));
    let asked = toolbox_client(&env).execute("return (await mcp.box.count()).n");
    let answer = json!({ "workflow_id": asked["workflow_id"], "approved": true });
    let done = toolbox_client(&env).call("execute", json!({ "continue_workflow": answer }));
    assert_eq!(done["result"]["structuredContent"]["result"], 1, "{done}");
}

#[test]
fn what_is_denied_is_refused_and_its_server_never_starts() {
    let env = toolbox_project(pml(), &json!({ "allow": ["*"], "deny": ["box:*"] }));
    let answer = toolbox_client(&env).execute("await mcp.box.count()");
    assert_eq!(answer["status"], "error");
    assert_eq!(answer["error"]["code"], "TOOL_DENIED");
    assert_eq!(answer["error"]["message"], "Tool box:count is denied by user config");
    assert!(!env.path().join(".pml/servers.json").exists(), "the server was started");
}

#[test]
fn tools_are_called_by_their_names_under_the_same_policy() {
    let env = toolbox_project(pml(), &json!({ "allow": ["box:echo"], "deny": ["box:sorry"] }));
    let mut client = toolbox_client(&env);
    let done = client.call("box:echo", json!({ "text": "direct" }));
    assert_eq!(done["result"]["structuredContent"]["result"], "direct");
    let denied = client.call("box:sorry", json!({}));
    assert_eq!(denied["result"]["structuredContent"]["error"]["code"], "TOOL_DENIED");
    let asked = client.call("box:count", json!({}));
    let workflow = asked["result"]["structuredContent"]["workflow_id"].clone();
    let answer = json!({ "continue_workflow": { "workflow_id": workflow, "approved": true } });
    let done = client.call("box:count", answer);
    assert_eq!(done["result"]["structuredContent"]["result"], json!({ "n": 1 }), "{done}");
    for name in ["pml:execute", "pml_execute"] {
        let done = client.call(name, json!({ "code": "1 + 1" }));
        assert_eq!(done["result"]["structuredContent"]["result"], 2);
    }
}

#[test]
fn wrong_parameters_and_unknown_names_have_their_codes() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let mut code =
        |method: &str, params: Value| client.request(method, params)["error"]["code"].clone();
    assert_eq!(code("tools/call", json!({ "arguments": {} })), -32602);
    assert_eq!(code("tools/call", json!({ "name": 7 })), -32602);
    assert_eq!(code("tools/call", json!({ "name": "nope" })), -32602);
    assert_eq!(
        code("tools/call", json!({ "name": "execute", "arguments": { "kode": "1" } })),
        -32602
    );
    assert_eq!(code("tools/call", json!({ "name": "execute", "arguments": {} })), -32602);
    assert_eq!(code("tools/call", json!({ "name": "describe_workflow", "arguments": {} })), -32602);
    assert_eq!(code("prompts/list", json!({})), -32601);
    assert_eq!(code("no/such", json!({})), -32601);
    // It goes on after all of that.
    assert_eq!(client.execute("return 1")["result"], 1);
}

#[test]
fn a_hundred_programs_run_at_once_on_one_connection() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let code = "const [a] = await Promise.all([mcp.box.echo({ text: 'n' + inputs.n }), mcp.box.later({ ms: 50 })]); return a";
    let ids: Vec<(u64, u64)> = (0..100)
        .map(|n| {
            let arguments = json!({ "code": code, "inputs": { "n": n } });
            (n, client.begin("tools/call", json!({ "name": "execute", "arguments": arguments })))
        })
        .collect();
    for (n, id) in ids.into_iter().rev() {
        let answer = client.answer(id);
        assert_eq!(answer["result"]["structuredContent"]["result"], format!("n{n}"), "{answer}");
    }
}

#[test]
fn a_result_that_is_too_big_is_read_by_its_handle() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let code = "return Array.from({ length: 20000 }, (_, n) => 'zürich ' + n)";
    let first = client.execute(code);
    assert_eq!(first["status"], "success");
    assert!(first.get("result").is_none(), "it came whole");
    let (handle, size) = (first["handle"].clone(), first["size"].as_u64().expect("a size"));
    let mut text = first["text"].as_str().expect("a text").to_owned();
    let mut next = first["next_offset"].clone();
    // Another process reads on.
    let mut other = self::toolbox_client(&env);
    while next.is_u64() {
        let part = other.call("execute", json!({ "handle": handle, "offset": next }));
        let part = &part["result"]["structuredContent"];
        text += part["text"].as_str().expect("a text");
        next = part["next_offset"].clone();
    }
    assert_eq!(text.len() as u64, size);
    let whole: Vec<String> = json::from_str(&text).expect("JSON");
    assert_eq!((whole.len(), whole[19_999].as_str()), (20_000, "zürich 19999"));
    let unknown = other.call("execute", json!({ "handle": "nonsense" }));
    assert_eq!(unknown["result"]["structuredContent"]["error"]["code"], "HANDLE_UNKNOWN");
}

#[test]
fn a_mended_program_takes_up_what_the_failed_one_has_done() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let failed = client.execute("await mcp.box.count(); await mcp.box.sorry(); return 1");
    assert_eq!(failed["status"], "error");
    let checkpoint = json!({ "run_id": failed["run_id"], "completed": 1, "completed_nodes": ["box:count"],
        "failed_node": "box:sorry" });
    assert_eq!(failed["checkpoint"], checkpoint);
    let mended =
        json!({ "code": "return (await mcp.box.count()).n", "resume_from": failed["run_id"] });
    let done = client.call("execute", mended);
    assert_eq!(done["result"]["structuredContent"]["result"], 1, "{done}");
    assert_eq!(toolbox_calls(&env), ["count", "sorry"]);
}

#[test]
fn the_library_answers_in_its_form_and_refuses_paths() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let body = |answer: Value| answer["result"]["structuredContent"].clone();
    assert_eq!(body(client.call("list_library", json!({}))), json!({ "workflows": [] }));
    assert_eq!(
        body(client.call("list_library", json!({ "pattern": null }))),
        json!({ "workflows": [] })
    );
    for name in ["../etc", "/etc/passwd", "a\\b"] {
        let refused = body(client.call("describe_workflow", json!({ "name": name })));
        assert_eq!(refused["error"]["type"], "SecurityError", "{name}");
        let refused = body(client.call("execute", json!({ "name": name })));
        assert_eq!(refused["error"]["type"], "SecurityError", "{name}");
    }
    let missing = body(client.call("execute", json!({ "name": "report" })));
    assert_eq!(missing["error"]["code"], "WORKFLOW_UNKNOWN");
    assert_eq!(missing["error"]["available"], json!([]));
    let save = json!({ "draft_name": "a", "final_name": "b", "description": "c" });
    let refused = body(client.call("save_to_library", save));
    assert_eq!(
        (refused["success"].clone(), refused["error"]["type"].clone()),
        (json!(false), json!("FileNotFoundError"))
    );
}

#[test]
fn nothing_of_the_clients_environment_reaches_a_server() {
    let env = allowing();
    let seen = toolbox_client(&env).execute("return Object.keys(await mcp.box.getEnv())");
    let names: Vec<&str> =
        seen["result"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(names.contains(&"PATH") && names.contains(&"HOME"), "{names:?}");
    for secret in ["ANTHROPIC_API_KEY", "PML_TEST_SECRET"] {
        assert!(!names.contains(&secret), "{names:?}");
    }
}

#[test]
fn an_untrusted_folder_starts_nothing_and_says_what_to_do() {
    let env = allowing();
    let mut settings = std::fs::read_to_string(env.path().join(".pml.json")).expect("settings");
    settings.push('\n');
    env.write(".pml.json", settings);
    let mut client = toolbox_client(&env);
    let refused = client.execute("await mcp.box.echo({ text: 'x' })");
    assert_eq!(
        (&refused["status"], &refused["approval_type"]),
        (&json!("approval_required"), &json!("trust"))
    );
    let reason = refused["asks"][0]["reason"].as_str().expect("a text");
    assert!(reason.contains("`.pml.json`"), "{reason}");
    let browsed =
        client.call("browse_components", json!({}))["result"]["structuredContent"].clone();
    assert_eq!(browsed["unavailable"][0]["code"], "UNTRUSTED", "{browsed}");
    assert_eq!(toolbox_calls(&env), [""; 0]);
}

#[test]
fn a_project_remembers_its_client_and_the_servers_it_used() {
    let env = allowing();
    let mut first = toolbox_client(&env);
    assert_eq!(first.execute("return (await mcp.box.count()).n")["result"], 1);
    assert_eq!(first.execute("return (await mcp.box.echo({ text: 'x' }))")["result"], "x");
    let read = |name: &str| {
        std::fs::read_to_string(env.path().join(".pml").join(name)).unwrap_or_default()
    };
    let id = read("client-id");
    assert_eq!(id.trim().len(), 36, "{id}");
    wait_until("its use is noted", || read("deps.json").contains("toolbox.py"));
    let remembered: Value = json::from_str(&read("servers.json")).expect("JSON");
    assert!(remembered.to_string().contains("\"legacy\""), "{remembered}");
    first.close();
    assert_eq!(first.finish().0, 0);
    // The shape of a result whose server says nothing about it is told to whoever browses next,
    // also without the server.
    let mut second = toolbox_client(&env);
    let found = second.call("browse_components", json!({ "query": "echo" }));
    let found = &found["result"]["structuredContent"]["nodes"][0];
    let signature = found["signature"].as_str().expect("a signature");
    assert!(signature.contains("Promise<string>") && signature.contains("inferred"), "{signature}");
    assert_eq!(read("client-id"), id);
    assert_eq!(toolbox_calls(&env), ["count", "echo"]);
}

#[test]
fn a_server_that_is_to_run_in_the_background_does_if_something_of_it_is_allowed() {
    for (permissions, started) in [
        (json!({ "allow": ["box:echo"] }), true),
        (json!({ "ask": ["box:*"] }), false),
        (json!({ "allow": ["box:echo"], "deny": ["box:*"] }), false),
    ] {
        let env = toolbox_project(pml(), &permissions);
        let settings = std::fs::read_to_string(env.path().join(".pml.json")).expect("settings");
        let mut settings: Value = json::from_str(&settings).expect("JSON");
        settings["servers"]["box"]["background"] = json!(true);
        env.write(".pml.json", settings.to_string());
        let trusted = toolbox_command(&env, &["trust", "--yes"]).output().expect("it runs");
        assert!(trusted.status.success());
        let mut client = toolbox_client(&env);
        let remembered = env.path().join(".pml/servers.json");
        match started {
            true => wait_until("it runs", || remembered.exists()),
            false => {
                // Long enough for one that is started: a program was run meanwhile.
                assert_eq!(client.execute("return 1")["result"], 1);
                assert!(!remembered.exists(), "{permissions}");
            }
        }
    }
}

#[test]
fn a_project_that_changes_while_it_is_served_is_read_again() {
    let env = toolbox_project(pml(), &json!({ "deny": ["box:echo"] }));
    let mut client = toolbox_client(&env);
    let code = "return await mcp.box.echo({ text: 'x' })";
    assert_eq!(client.execute(code)["error"]["code"], "TOOL_DENIED");
    let settings = std::fs::read_to_string(env.path().join(".pml.json")).expect("settings");
    let allowed = settings.replace("\"deny\"", "\"allow\"");
    env.write(".pml.json", &allowed);
    // Changed, and nobody has seen it.
    assert_eq!(client.execute(code)["approval_type"], "trust");
    let trusted = toolbox_command(&env, &["trust", "--yes"]).output().expect("it runs");
    assert!(trusted.status.success());
    assert_eq!(client.execute(code)["result"], "x");
    // What cannot be understood refuses everything.
    env.write(".pml.json", "{ \"permissions\": { \"alow\": [] } }");
    let refused = client.execute("return 1");
    assert_eq!(refused["error"]["code"], "CONFIG", "{refused}");
    env.write(".pml.json", &allowed);
    assert_eq!(client.execute(code)["result"], "x");
}

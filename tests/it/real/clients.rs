//! MCP clients as their authors publish them, which talk to `pml stdio`.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::real::{self, Permissions, RealProject, execute_call, left_out};

const TOOLS: [&str; 5] =
    ["execute", "browse_components", "list_library", "describe_workflow", "save_to_library"];

fn project() -> RealProject {
    RealProject::new(pml(), &Permissions::AllowAll, |_| [("everything", real::everything())])
}

fn names(tools: &Value) -> Vec<&str> {
    tools.as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn the_python_client_agrees_on_the_newest_revision_that_it_is_let() {
    if left_out() {
        return;
    }
    let project = project();
    for (mode, revision) in [("auto", "2026-07-28"), ("legacy", "2025-11-25")] {
        let told = project.drive(
            mode,
            json!([
                execute_call("return (await mcp.everything.getSum({ a: 2, b: 3 })).length"),
                execute_call("return mcp.everything.getSum({ a: 'two', b: 3 })"),
                { "tool": "execute", "arguments": {} },
                { "tool": "nothing", "arguments": {} },
                { "tool": "everything:echo", "arguments": { "message": "hello" } },
            ]),
        );
        assert_eq!((&told["revision"], &told["server"]), (&revision.into(), &"pml".into()));
        assert_eq!(names(&told["tools"]), TOOLS);
        let answers = &told["answers"];
        assert_eq!(answers[0]["structuredContent"]["result"], "The sum of 2 and 3 is 5.".len());
        assert_eq!(answers[0]["isError"], false);
        assert_eq!(answers[1]["isError"], true, "{answers}");
        assert_eq!(answers[1]["structuredContent"]["status"], "error");
        assert_eq!(answers[2]["error"]["code"], -32602, "{answers}");
        assert_eq!(answers[3]["error"]["code"], -32602, "{answers}");
        assert_eq!(answers[4]["structuredContent"]["result"], "Echo: hello", "{answers}");
    }
}

#[test]
fn what_a_client_is_told_of_the_tools_is_short() {
    if left_out() {
        return;
    }
    let told = project().drive("auto", json!([]));
    for tool in told["tools"].as_array().expect("tools") {
        assert!(tool["description"].as_str().expect("a description").len() < 2048, "{tool}");
    }
    assert!(told["instructions"].as_str().expect("instructions").len() < 2048);
}

#[test]
fn the_inspector_calls_tools_in_every_era() {
    if left_out() {
        return;
    }
    let project = project();
    for era in ["legacy", "auto", "modern"] {
        let code = json!({ "code": "return mcp.everything.echo({ message: 'hello' })" });
        let call = ["--method", "tools/call", "--tool-name", "execute", "--tool-args-json"];
        let (exit, told) = project.inspect(era, &[&call[..], &[&code.to_string()]].concat());
        assert_eq!(exit, 0, "{era}: {told}");
        assert_eq!(told["result"]["structuredContent"]["result"], "Echo: hello", "{era}: {told}");
    }
}

#[test]
fn the_inspector_finds_no_error_in_the_schemas_of_the_tools() {
    if left_out() {
        return;
    }
    let (exit, told) = project().inspect("modern", &["--method", "tools/list", "--strict"]);
    assert_eq!(exit, 0, "{told}");
    assert_eq!(names(&told["result"]["tools"]), TOOLS);
}

#[test]
fn a_hundred_programs_at_the_same_time_share_one_connection_and_one_server() {
    if left_out() {
        return;
    }
    let calls: Value = (0..100)
        .map(|each| execute_call(&format!("return mcp.everything.getSum({{ a: {each}, b: 1 }})")))
        .collect();
    let told = project().drive("auto", json!([calls]));
    let answers = told["answers"][0].as_array().expect("answers");
    assert_eq!(answers.len(), 100);
    for (each, answer) in answers.iter().enumerate() {
        let sum = format!("The sum of {each} and 1 is {}.", each + 1);
        assert_eq!(answer["structuredContent"]["result"], sum, "{answer}");
    }
}

#[test]
fn a_client_hears_how_far_a_program_is() {
    if left_out() {
        return;
    }
    let code = "for (const message of ['a', 'b']) await mcp.everything.echo({ message })";
    let told = project().drive("auto", json!([execute_call(code)]));
    let progress = told["answers"][0]["progress"].as_array().expect("messages");
    assert!(!progress.is_empty(), "{told}");
    let shown = progress.iter().filter_map(Value::as_str).collect::<String>();
    assert!(shown.contains("everything:echo"), "{shown}");
}

#[test]
fn a_client_hears_what_a_server_reports_of_a_long_call() {
    if left_out() {
        return;
    }
    let project = project();
    let code = "return mcp.everything.triggerLongRunningOperation({ duration: 2, steps: 4 })";
    for mode in ["auto", "legacy"] {
        let told = project.drive(mode, json!([execute_call(code)]));
        let progress = told["answers"][0]["progress"].as_array().expect("messages");
        let shown = progress.iter().filter_map(Value::as_str);
        let reported = |text: &&str| {
            text.starts_with("everything:trigger-long-running-operation ") && text.contains("/4")
        };
        assert!(shown.clone().filter(reported).count() >= 2, "{mode}: {progress:?}");
    }
}

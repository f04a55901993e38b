//! Published clients that ask a person: the Python SDK in both eras, and the Inspector, which asks
//! nobody.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::real::{self, Permissions, RealProject, execute_call, left_out};

const ECHO: &str = "return await mcp.everything.echo({ message: 'hello' })";

fn project() -> RealProject {
    RealProject::new(pml(), &Permissions::AskAll, |_| [("everything", real::everything())])
}

/// Drives a program and a single call; what was answered, and the dialogs that were shown.
fn drive(mode: &str, said: Value) -> (Value, Value) {
    let project = project();
    let single = json!({ "tool": "everything:echo", "arguments": { "message": "hello" } });
    let mut told = project.drive_asking(mode, json!([execute_call(ECHO), single]), said);
    (told["answers"].take(), told["asked"].take())
}

#[test]
fn the_python_client_asks_in_both_eras_and_a_yes_lets_it_go_on() {
    if left_out() {
        return;
    }
    for mode in ["auto", "legacy"] {
        let (answers, asked) =
            drive(mode, json!([{ "action": "accept", "content": { "decision": "approve" } }]));
        for answer in [&answers[0], &answers[1]] {
            assert_eq!(answer["structuredContent"]["result"], "Echo: hello", "{mode}: {answers}");
        }
        assert_eq!(asked.as_array().map(Vec::len), Some(2), "{mode}: {asked}");
        let message = asked[0]["message"].as_str().expect("a text");
        assert!(message.starts_with("tool      │ everything:echo\n"), "{mode}: {message}");
        assert_eq!(message.lines().count(), 4, "{mode}: {message}");
    }
}

#[test]
fn the_python_client_declines_in_both_eras() {
    if left_out() {
        return;
    }
    for mode in ["auto", "legacy"] {
        let (answers, _) = drive(mode, json!([{ "action": "decline" }]));
        for answer in [&answers[0], &answers[1]] {
            assert_eq!(answer["structuredContent"]["status"], "aborted", "{mode}: {answers}");
        }
    }
}

#[test]
fn the_python_client_cancels_in_both_eras_and_is_told_how_else() {
    if left_out() {
        return;
    }
    for mode in ["auto", "legacy"] {
        let (answers, _) = drive(mode, json!([{ "action": "cancel" }]));
        for answer in [&answers[0], &answers[1]] {
            let body = &answer["structuredContent"];
            assert_eq!(body["status"], "approval_required", "{mode}: {answers}");
            let answer_with = body["answer_with"].as_str().expect("a command");
            assert!(answer_with.starts_with("pml approve "), "{mode}: {answer_with}");
        }
    }
}

#[test]
fn the_inspector_is_told_that_approval_is_required_in_every_era() {
    if left_out() {
        return;
    }
    let project = project();
    for era in ["legacy", "modern"] {
        let call = ["--method", "tools/call", "--tool-name", "execute", "--tool-args-json"];
        let arguments = json!({ "code": ECHO }).to_string();
        let (_, told) = project.inspect(era, &[&call[..], &[&arguments]].concat());
        let result = &told["result"];
        let asks = result["structuredContent"]["status"] == "approval_required"
            || result["resultType"] == "input_required";
        assert!(asks, "{era}: {told}");
    }
}

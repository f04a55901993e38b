//! `pml call`: one call from a shell, under the same policy and journal as any program.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::{
    Terminal, TestEnv, json_with_path, lines_of, newest_state, open_question, run_with_path,
    toolbox_server, trusted_project, untrusted_project,
};

fn with(permissions: Value) -> TestEnv {
    trusted_project(
        pml(),
        &json!({ "permissions": permissions, "servers": { "box": toolbox_server() } }),
    )
}

#[test]
fn an_allowed_call_is_made_and_journalled() {
    let env = with(json!({ "allow": ["box:*"] }));
    let output = run_with_path(&env, &["call", "box:echo", r#"{"text": "hello"}"#]);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("\"hello\"\n", ""));
    assert_eq!(output.code, 0);
    let shown = json_with_path(&env, &["runs", "show", "last", "--json"], 0);
    assert_eq!(shown["calls"][0]["tool"], "box:echo");
    assert_eq!(
        (newest_state(&env).as_str(), lines_of(&env, "calls.log")),
        ("finished", vec!["echo".into()])
    );
    // Another spelling of the name means the same tool.
    assert_eq!(run_with_path(&env, &["call", "box:getEnv"]).code, 0);
    // Into a pipe, everything goes as it is.
    let picture = json_with_path(&env, &["call", "box:picture"], 0);
    assert_eq!(picture[1]["data"], "iVBORw0KGgo=");
}

#[test]
fn a_denied_call_is_not_made() {
    let env = with(json!({ "allow": ["*"], "deny": ["box:count"] }));
    let output = run_with_path(&env, &["call", "box:count"]);
    assert_eq!((output.stdout.as_str(), output.code), ("", 1));
    assert_eq!(output.stderr, "error: Tool box:count is denied by user config [TOOL_DENIED]\n");
    assert_eq!(lines_of(&env, "calls.log").len(), 0);
}

#[test]
fn a_call_that_nobody_can_be_asked_about_waits_and_is_made_when_approved() {
    let env = with(json!({ "ask": ["*"] }));
    let output = run_with_path(&env, &["call", "box:count"]);
    assert_eq!((output.stdout.as_str(), output.code), ("", 4));
    assert!(output.stderr.contains("tool      │ box:count"), "{}", output.stderr);
    assert!(output.stderr.contains("hint: `pml approve "), "{}", output.stderr);
    assert_eq!(lines_of(&env, "calls.log").len(), 0);
    let approved = run_with_path(&env, &["approve", "--yes", &open_question(&env)]);
    assert_eq!(
        (approved.stdout.as_str(), approved.code),
        ("{\"n\":1}\n", 0),
        "{}",
        approved.stderr
    );
    assert_eq!(lines_of(&env, "calls.log"), ["count"]);
}

#[test]
fn arguments_come_from_the_line_a_file_or_stdin() {
    let env = with(json!({ "allow": ["box:*"] }));
    env.write("arguments.json", r#"{ "text": "from a file" }"#);
    assert_eq!(json_with_path(&env, &["call", "box:echo", "@arguments.json"], 0), "from a file");
    let mut command = env.command(&["call", "box:echo", "-"]);
    let stdin =
        std::fs::File::open(env.write("in", r#"{ "text": "from stdin" }"#)).expect("a file");
    let child = command.env("PATH", pml_kit::search_path()).stdin(stdin).spawn();
    assert_eq!(env.finish(child.expect("it starts")).stdout, "\"from stdin\"\n");
}

#[test]
fn wrong_arguments_reach_nobody() {
    let env = with(json!({ "allow": ["box:*"] }));
    for (arguments, code, part) in [
        (&["box:echo", "[1]"][..], 2, "the arguments are a list, not an object"),
        (&["box:echo", "text=x"], 2, "the arguments are not JSON"),
        (&["box:echo", "@nowhere.json"], 1, "cannot read the arguments: nowhere.json"),
        (&["box"], 2, "`box` is not a tool name: it must be `server:tool`"),
        (&["box:echo"], 1, "`text`"),
        (&["box:echo", r#"{"text": 1}"#], 1, "must be a string"),
        (&["box:ecoh"], 1, "has no tool `ecoh` [TOOL_UNKNOWN]\nhint: did you mean `echo`?"),
        (&["bax:echo"], 1, "there is no server `bax` [TOOL_UNKNOWN]\nhint: did you mean `box`?"),
    ] {
        let output = run_with_path(&env, &[&["call"], arguments].concat());
        assert_eq!(
            (output.stdout.as_str(), output.code),
            ("", code),
            "{arguments:?}: {}",
            output.stderr
        );
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
    assert_eq!(lines_of(&env, "calls.log").len(), 0);
}

#[test]
fn a_tool_that_fails_says_so_without_a_program_around_it() {
    let env = with(json!({ "allow": ["box:*"] }));
    let output = run_with_path(&env, &["call", "box:sorry"]);
    assert_eq!((output.stdout.as_str(), output.code), ("", 1));
    assert_eq!(output.stderr, "error: the disk is full [TOOL_FAILED]\n");
    let error = &json_with_path(&env, &["call", "box:sorry", "--json"], 1)["error"];
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("TOOL_FAILED"), &json!("the disk is full"))
    );
    assert_eq!((error.get("stack"), error.get("code_frame")), (None, None));
}

#[test]
fn a_clone_calls_nothing_until_it_is_trusted() {
    let env = untrusted_project(
        pml(),
        &json!({ "permissions": { "allow": ["*"] }, "servers": { "box": toolbox_server() } }),
    );
    let output = run_with_path(&env, &["call", "box:count"]);
    // Nobody is there to be asked: the question waits.
    assert_eq!(output.code, 4);
    assert!(output.stderr.contains("trust folder  │ $TEST_ENV"), "{}", output.stderr);
    assert_eq!(lines_of(&env, "starts").len(), 0);
    let trusted = run_with_path(&env, &["call", "--trust", "--yes", "--no-journal", "box:count"]);
    assert_eq!((trusted.stdout.as_str(), trusted.code), ("{\"n\":1}\n", 0), "{}", trusted.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_a_person_is_asked_and_pictures_are_named() {
    let env = with(json!({ "allow": ["box:picture"] }));
    let mut terminal = Terminal::start(&env, &["call", "box:count"]);
    let shown = terminal.sees("> ");
    assert!(shown.contains("tool      │ box:count"), "{shown}");
    terminal.types("y\n");
    assert_eq!(terminal.ends(), ("y\n{\n  \"n\": 1\n}\n".into(), 0));
    let (shown, code) = Terminal::start(&env, &["call", "box:picture"]).ends();
    assert!(shown.contains("\"data\": \"[image/png, 8 B]\""), "{shown}");
    assert!(!shown.contains("iVBOR") && code == 0, "{shown}");
}

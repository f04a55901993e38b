//! The example programs run and print what they promise.

use pml_kit::example;
use std::process::Command;

fn output(name: &str) -> String {
    let output =
        Command::new(example(name)).output().unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn own_tools_answers_the_program() {
    assert!(!output("own_tools").is_empty());
}

#[test]
fn a_project_gives_an_engine_its_rules_once_it_is_trusted() {
    let shown = output("project");
    assert!(shown.contains("not trusted: waits for a person"), "{shown}");
    assert!(shown.contains("\ntrusted: {\"price\":8"), "{shown}");
}

#[test]
fn parallel_runs_share_one_engine() {
    assert!(!output("parallel_runs").is_empty());
}

#[test]
fn limits_are_shown_with_their_codes() {
    let shown = output("limits");
    for code in ["CPU_TIME", "MEMORY", "TOOL_DENIED"] {
        assert!(shown.contains(code), "{shown}");
    }
}

#[test]
fn approvals_are_given_across_engines_and_nothing_is_sent_twice() {
    let shown = output("approvals");
    for line in [
        "declined: a person declined this call of `mail:send`",
        "recorded: true",
        "finished: {\"sent\":1}",
        "late: true",
        "mails sent: 1",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
}

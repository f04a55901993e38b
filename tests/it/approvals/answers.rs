//! Answers to what waits, given from another process: `pml approve`.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::scripts::{CONFIRM, CONFIRM_TWO};
use pml_kit::{TestEnv, json_of, newest_state, open_question, short_digest, wait_until};

const LOOP: &str = "\
let steps = 0
for (const step of [1, 2, 3]) { await mcp.pml.confirm({ message: 'one more step?' }); steps++ }
return steps
";

/// A folder in which a program waits for a person.
fn waiting(program: &str) -> TestEnv {
    let env = pml();
    env.write("main.ts", program);
    let output = env.run(&["run", "main.ts"]);
    assert_eq!(output.code, 4, "{}", output.stderr);
    env
}

#[test]
fn without_a_terminal_and_without_yes_nothing_is_recorded() {
    let env = waiting(CONFIRM);
    let id = open_question(&env);
    let refused = env.run(&["approve", &id]);
    assert_eq!((refused.stdout.as_str(), refused.code), ("", 1));
    assert!(
        refused.stderr.ends_with(
            "error: there is no terminal to ask on\nhint: add `--yes` to answer without being asked\n"
        ),
        "{}",
        refused.stderr
    );
    assert_eq!(open_question(&env), id);
    assert_eq!(json_of(&env, &["approvals", "--json"])[0]["asks"][0]["decided"], Value::Null);
}

#[test]
fn an_approved_run_goes_on_and_prints_its_result() {
    let env = waiting(CONFIRM);
    let digest = short_digest(&env);
    let approved = env.run(&["approve", &open_question(&env), "--yes"]);
    assert_eq!((approved.stdout.as_str(), approved.code), ("after\n{\"approved\":true}\n", 0));
    assert_eq!(
        approved.stderr,
        format!(
            "tool      │ pml:confirm\n\
             call with │ {{\"message\":\"go on?\",\"token\":\"[hidden: 6 characters]\"}}\n\
             why       │ the program asks you before it goes on\n\
             digest    │ {digest}\n"
        )
    );
    assert_eq!(newest_state(&env), "finished");
    assert_eq!(json_of(&env, &["approvals", "--json"]), json!([]));
}

#[test]
fn the_end_of_an_id_and_the_id_of_the_run_name_a_question_too() {
    let env = waiting(CONFIRM);
    let id = open_question(&env);
    let by_end = env.run(&["approve", &id[id.len() - 6..], "--yes"]);
    assert_eq!((by_end.stdout.lines().last(), by_end.code), (Some("{\"approved\":true}"), 0));
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let run = json_of(&env, &["runs", "--json", "-n", "1"])[0]["run_id"].clone();
    let by_run = env.run(&["approve", run.as_str().expect("an id"), "--yes", "--json"]);
    assert_eq!((by_run.stdout.as_str(), by_run.code), ("{\"approved\":true}\n", 0));
    assert!(by_run.stderr.ends_with("after\n"), "{}", by_run.stderr);
}

#[test]
fn an_answer_that_comes_again_changes_nothing() {
    let env = waiting(CONFIRM);
    let id = open_question(&env);
    assert_eq!(env.run(&["approve", &id, "--yes"]).code, 0);
    let same = env.run(&["approve", &id, "--yes"]);
    assert_eq!((same.stdout.as_str(), same.code), ("", 0));
    let told = "it was already decided, and nothing was changed:\n  ask 1: approved by ";
    assert!(same.stderr.starts_with(told), "{}", same.stderr);
    let other = env.run(&["approve", &id, "--yes", "--decline"]);
    assert_eq!((other.stdout.as_str(), other.code), ("", 1));
    assert!(other.stderr.starts_with(told), "{}", other.stderr);
}

#[test]
fn with_json_every_answer_is_one_line_on_stdout() {
    let env = waiting(CONFIRM_TWO);
    let question = open_question(&env);
    let run = json_of(&env, &["runs", "--json"])[0]["run_id"].clone();
    let answer = |arguments: &[&str]| {
        let output = env.run(&[&["approve", &question, "--yes", "--json"], arguments].concat());
        let told: Value = json::from_str(&output.stdout).expect("one JSON text");
        (told, output.code)
    };
    let asks = json_of(&env, &["approvals", "--json"])[0]["asks"].clone();
    let recorded = |open: u32, ask: usize| {
        let asks = json!([{ "id": asks[ask]["id"], "digest": asks[ask]["digest"] }]);
        json!({ "recorded": { "run_id": run, "open": open, "asks": asks } })
    };
    assert_eq!(answer(&["--only", "1"]), (recorded(1, 0), 0));
    assert_eq!(answer(&["--only", "1"]), (json!({}), 0));
    let (late, code) = answer(&["--only", "1", "--decline"]);
    assert_eq!((late.get("recorded"), code), (None, 1));
    assert_eq!(late["error"]["message"], "nothing was recorded");
    assert_eq!(answer(&["--no-run"]), (recorded(0, 1), 0));
    let resumed = env.run(&["run", "--resume", "last", "--json"]);
    assert_eq!((resumed.stdout.as_str(), resumed.code), ("[\"yes\",\"yes\"]\n", 0));
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let aborted = env.run(&["approve", &open_question(&env), "--yes", "--json", "--abort"]);
    assert_eq!((aborted.stdout.lines().count(), aborted.code), (1, 1));
    let aborted: Value = json::from_str(&aborted.stdout).expect("JSON");
    assert_eq!(
        (&aborted["status"], &aborted["error"]["code"]),
        (&json!("aborted"), &json!("ABORTED"))
    );
    assert_eq!(aborted["error"]["message"], "Workflow aborted by user");
}

#[test]
fn an_id_that_nothing_has_is_expired_or_not_found() {
    let env = waiting(CONFIRM);
    for id in ["nonsense", "", "0", "6f1c7d4e-0000-4000-8000-000000000000"] {
        let output = env.run(&["approve", id, "--yes"]);
        assert_eq!((output.stdout.as_str(), output.code), ("", 1), "{id}");
        assert_eq!(
            output.stderr,
            "error: Workflow expired or not found\n\
             hint: `pml approvals` lists the open questions\n"
        );
    }
}

#[test]
fn a_declined_call_throws_into_the_program() {
    let program = "try { await mcp.pml.confirm({ message: 'go?' }) } catch (error) { return [error.name, error.code] }";
    let env = waiting(program);
    let declined = env.run(&["approve", &open_question(&env), "--decline", "--yes"]);
    assert_eq!(
        (declined.stdout.as_str(), declined.code),
        ("[\"ToolError\",\"APPROVAL_DECLINED\"]\n", 0)
    );
    assert!(declined.stderr.starts_with("tool      │ pml:confirm\n"), "{}", declined.stderr);
}

#[test]
fn an_aborted_run_is_over() {
    let env = waiting(CONFIRM);
    let aborted = env.run(&["approve", &open_question(&env), "--abort", "--yes"]);
    assert_eq!((aborted.stdout.as_str(), aborted.code), ("", 1));
    assert!(
        aborted.stderr.contains("\nerror: Workflow aborted by user [ABORTED]\n  by: "),
        "{}",
        aborted.stderr
    );
    let next = "\n  completed: no call\nhint: `pml run --resume ";
    assert!(aborted.stderr.contains(next), "{}", aborted.stderr);
    assert_eq!(newest_state(&env), "aborted");
    let shown = env.run(&["runs", "show", "last"]);
    assert!(
        shown.stdout.contains("\naborted by ")
            && shown.stdout.ends_with(" │ \"Workflow aborted by user\"\n"),
        "{}",
        shown.stdout
    );
    let resumed = env.run(&["run", "--resume", "last"]);
    assert_eq!((resumed.stdout.as_str(), resumed.code), ("", 1));
    assert!(resumed.stderr.contains("has ended: it is aborted\nhint: "), "{}", resumed.stderr);
}

#[test]
fn one_ask_of_two_can_be_answered_alone() {
    let env = waiting(CONFIRM_TWO);
    let id = open_question(&env);
    let wrong = env.run(&["approve", &id, "--only", "3", "--yes"]);
    assert_eq!((wrong.stdout.as_str(), wrong.code), ("", 2));
    assert_eq!(wrong.stderr, "error: there is no ask 3: the question has 2\n");
    let first = env.run(&["approve", &id, "--only", "2", "--yes"]);
    assert_eq!((first.stdout.as_str(), first.code), ("", 0));
    assert!(
        first.stderr.starts_with("ask 2 of 2\n") && !first.stderr.contains("ask 1"),
        "{}",
        first.stderr
    );
    assert!(first.stderr.contains("\nrecorded; run "), "{}", first.stderr);
    let asks = json_of(&env, &["approvals", "--json"])[0]["asks"].clone();
    assert_eq!(
        (&asks[0]["decided"], &asks[1]["decided"]["decision"]),
        (&Value::Null, &json!("approve"))
    );
    let rest = env.run(&["approve", &id, "--decline", "--yes"]);
    assert_eq!((rest.stdout.as_str(), rest.code), ("[\"APPROVAL_DECLINED\",\"yes\"]\n", 0));
    assert!(
        rest.stderr.starts_with("ask 1 of 2\n") && !rest.stderr.contains("ask 2"),
        "{}",
        rest.stderr
    );
}

#[test]
fn an_answer_that_is_only_recorded_waits_for_resume() {
    let env = waiting(CONFIRM);
    let recorded = env.run(&["approve", &open_question(&env), "--no-run", "--yes"]);
    assert_eq!((recorded.stdout.as_str(), recorded.code), ("", 0));
    assert!(recorded.stderr.contains("\nrecorded; `pml run --resume "), "{}", recorded.stderr);
    assert!(recorded.stderr.contains(" goes on with the run"), "{}", recorded.stderr);
    assert_eq!(json_of(&env, &["approvals", "--json"]), json!([]));
    assert_ne!(newest_state(&env), "finished");
    let resumed = env.run(&["run", "--resume", "last"]);
    assert_eq!(resumed.stdout, "after\n{\"approved\":true}\n");
    assert_eq!((resumed.stderr.as_str(), resumed.code), ("", 0));
}

#[test]
fn always_asks_no_more_for_that_tool_in_that_run() {
    let env = waiting(LOOP);
    let once = env.run(&["approve", &open_question(&env), "--yes"]);
    assert_eq!((once.stdout.as_str(), once.code), ("", 4));
    assert!(once.stderr.contains("{\"message\":\"one more step?\"}"), "{}", once.stderr);
    let always = env.run(&["approve", &open_question(&env), "--always", "--yes"]);
    assert_eq!((always.stdout.as_str(), always.code), ("3\n", 0));
    assert!(!always.stderr.contains("waiting"), "{}", always.stderr);
    let next = env.run(&["run", "main.ts"]);
    assert_eq!((next.stdout.as_str(), next.code), ("", 4), "another run asks anew");
}

#[test]
fn a_question_that_nobody_answered_in_time_is_gone() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    let output = env.run(&["run", "main.ts", "--json", "--approval-timeout", "3s"]);
    assert_eq!(output.code, 4, "{}", output.stderr);
    let waiting: Value = json::from_str(&output.stdout).expect("JSON");
    let id = waiting["waiting"][0]["workflow_id"].as_str().expect("an id");
    wait_until("it has expired", || json_of(&env, &["approvals", "--json"]) == json!([]));
    let late = env.run(&["approve", id, "--yes"]);
    assert_eq!((late.stdout.as_str(), late.code), ("", 1));
    assert!(late.stderr.starts_with("error: the question expired at "), "{}", late.stderr);
    assert!(
        late.stderr.ends_with(" main.ts` runs it again, and reuses what it has done\n"),
        "{}",
        late.stderr
    );
    assert_eq!(newest_state(&env), "expired");
    let resumed = env.run(&["run", "--resume", "last"]);
    assert_eq!((resumed.stdout.as_str(), resumed.code), ("", 1));
    assert!(resumed.stderr.starts_with("error: nobody answered in time"), "{}", resumed.stderr);
    let shown = env.run(&["runs", "show", "last"]);
    assert!(shown.stdout.ends_with("\nexpired: nobody answered in time\n"), "{}", shown.stdout);
}

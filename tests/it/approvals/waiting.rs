//! Programs that wait for a person, as they are told of where nobody can be asked.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::insta::assert_snapshot;
use pml_kit::scripts::{CONFIRM, CONFIRM_TWO};
use pml_kit::{json_of, newest_state, open_question, short_digest};

#[test]
fn a_program_that_asks_where_nobody_is_says_how_to_go_on_and_exits_with_4() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    let output = env.run(&["run", "main.ts"]);
    assert!(output.stderr.contains(&short_digest(&env)), "{}", output.stderr);
    let hint = format!("hint: `pml approve {}` goes on\n", open_question(&env));
    assert!(output.stderr.ends_with(&hint), "{}", output.stderr);
    assert_snapshot!(output.snapshot(), @r#"
    exit code: 4
    --- stdout ---
    before
    --- stderr ---
    waiting: the program asks you a question
      tool      │ pml:confirm
      call with │ {"message":"go on?","token":"[hidden: 6 characters]"}
      why       │ the program asks you before it goes on
      digest    │ [digest]
    hint: `pml approve [id]` goes on
    "#);
}

#[test]
fn a_question_that_is_kept_nowhere_is_not_offered_to_be_answered() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    let output = env.run(&["run", "main.ts", "--no-journal"]);
    assert_eq!((output.stdout.as_str(), output.code), ("before\n", 4));
    assert!(
        output.stderr.ends_with(
            "\nhint: the run is forgotten: to answer later, run it without `--no-journal`\n"
        ) && !output.stderr.contains("pml approve"),
        "{}",
        output.stderr
    );
}

#[test]
fn with_json_the_open_question_is_the_one_line_on_stdout() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    let output = env.run(&["run", "main.ts", "--json"]);
    assert_eq!((output.stdout.lines().count(), output.code), (1, 4));
    let told: Value = json::from_str(&output.stdout).expect("JSON");
    assert_eq!(told["waiting"], self::json_of(&env, &["approvals", "--json"]));
    assert_eq!(told["waiting"][0]["asks"][0]["arguments"]["token"], "[hidden: 6 characters]");
    assert!(output.stderr.starts_with("before\nwaiting: "), "{}", output.stderr);
    assert!(output.stderr.contains("\nhint: `pml approve "), "{}", output.stderr);
}

#[test]
fn approvals_lists_what_waits_and_says_when_nothing_does() {
    let env = pml();
    let none = env.run(&["approvals"]);
    assert_eq!((none.stdout.as_str(), none.code), ("", 0));
    assert_eq!(none.stderr, "no question is open\n");
    let none = env.run(&["approvals", "--json"]);
    assert_eq!((none.stdout.as_str(), none.stderr.as_str(), none.code), ("[]\n", "", 0));
    env.write("main.ts", CONFIRM);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let id = open_question(&env);
    let listed = env.run(&["approvals"]);
    assert_eq!(listed.code, 0);
    for part in [
        id.as_str(),
        "expires in ",
        "script │ main.ts",
        "tool      │ pml:confirm",
        "call with │ {\"message\":\"go on?\",\"token\":\"[hidden: 6 characters]\"}",
        &format!("digest    │ {}", short_digest(&env)),
    ] {
        assert!(listed.stdout.contains(part), "{part}: {}", listed.stdout);
    }
    let hint = format!(
        "hint: `pml approve {}` answers; the last digits of an id are enough\n",
        &id[id.len() - 8..]
    );
    assert_eq!(listed.stderr, hint);
    let listed = json_of(&env, &["approvals", "--json"]);
    let ask = &listed[0]["asks"][0];
    assert_eq!(ask["arguments"], json!({ "message": "go on?", "token": "[hidden: 6 characters]" }));
    assert_eq!((&ask["type"], &ask["decided"]), (&json!("tool_permission"), &Value::Null));
}

#[test]
fn asks_are_numbered_where_there_are_several() {
    let env = pml();
    env.write("main.ts", CONFIRM_TWO);
    let output = env.run(&["run", "main.ts"]);
    assert_snapshot!(output.snapshot(), @r#"
    exit code: 4
    --- stderr ---
    waiting: the program asks you 2 questions
      ask 1
      tool      │ pml:confirm
      call with │ {"message":"one"}
      why       │ the program asks you before it goes on
      digest    │ [digest]
      ask 2
      tool      │ pml:confirm
      call with │ {"message":"two"}
      why       │ the program asks you before it goes on
      digest    │ [digest]
    hint: `pml approve [id]` goes on
    "#);
}

#[test]
fn a_secret_argument_is_in_no_output() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    let mut outputs = vec![env.run(&["run", "main.ts", "--json"])];
    let id = open_question(&env);
    for arguments in [
        &["approvals"][..],
        &["approvals", "--verbose"],
        &["audit"],
        &["audit", "--json"],
        &["approvals", "--json"],
        &["runs", "show", "last"],
        &["runs", "show", "last", "--json"],
        &["approve", &id],
        &["approve", &id, "--yes", "--only", "1"],
        &["runs", "show", "last"],
        &["runs", "show", "last", "--json"],
        &["replay", "last"],
    ] {
        outputs.push(env.run(arguments));
    }
    for output in outputs {
        let text = output.stdout + &output.stderr;
        assert!(!text.is_empty() && !text.contains("s3cret"), "{text}");
    }
}

#[test]
fn verbose_shows_all_there_is_to_know() {
    let env = pml();
    let program =
        "await mcp.pml.confirm({ message: 'x'.repeat(3000) + ' the end', token: 's3cret' })";
    env.write("main.ts", program);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let brief = env.run(&["approvals"]).stdout;
    assert!(brief.contains("[… 2,") && brief.contains(" the end"), "{brief}");
    let all = env.run(&["approvals", "--verbose"]).stdout;
    for part in [
        "    all arguments; secrets are replaced by their length:\n",
        " the end",
        "\"token\": \"[hidden: 6 characters]\"",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    assert_eq!(env.run(&["approvals", "-v", "--json"]).code, 2);
}

#[test]
fn a_yes_on_stdin_is_nobodys() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let id = open_question(&env);
    let refused = env.run_with_stdin(&["approve", &id], "y\ny\n");
    assert_eq!((refused.stdout.as_str(), refused.code), ("", 1));
    assert!(
        refused.stderr.contains("error: there is no terminal to ask on\n"),
        "{}",
        refused.stderr
    );
    assert_eq!(open_question(&env), id);
}

#[test]
fn a_late_answer_by_the_end_of_an_id_says_who_was_first() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let id = open_question(&env);
    let end = &id[id.len() - 8..];
    assert_eq!(env.run(&["approve", end, "--yes"]).code, 0);
    let late = env.run(&["approve", end, "--yes", "--decline"]);
    assert_eq!((late.stdout.as_str(), late.code), ("", 1));
    let told = "it was already decided, and nothing was changed:\n  ask 1: approved by ";
    assert!(late.stderr.starts_with(told), "{}", late.stderr);
}

#[test]
fn what_was_answered_and_left_is_listed_and_goes_on_with_the_same_answer() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let id = open_question(&env);
    assert_eq!(env.run(&["approve", &id, "--yes", "--no-run"]).code, 0);
    let run = json_of(&env, &["runs", "--json"])[0]["run_id"].as_str().expect("an id").to_owned();
    let resume = format!("`pml run --resume {}`", &run[run.len() - 8..]);
    let listed = env.run(&["approvals"]);
    assert_eq!(
        (listed.stdout.as_str(), listed.stderr),
        (
            "",
            format!(
                "answered: run {} can go on │ main.ts\nhint: {resume} goes on\n\
                 no question is open\n",
                &run[run.len() - 8..]
            )
        )
    );
    let other = env.run(&["approve", &id, "--decline"]);
    assert_eq!((other.stdout.as_str(), other.code), ("", 1));
    assert!(other.stderr.ends_with(&format!("{resume} goes on\n")), "{}", other.stderr);
    let again = env.run(&["approve", &id, "--no-run"]);
    assert_eq!((again.stdout.as_str(), again.code), ("", 0));
    assert!(
        again.stderr.ends_with(&format!("{resume} goes on with the run\n")),
        "{}",
        again.stderr
    );
    assert_eq!(newest_state(&env), "waiting");
    let same = env.run(&["approve", &id]);
    assert_eq!((same.stdout.as_str(), same.code), ("after\n{\"approved\":true}\n", 0));
    assert_eq!(same.stderr, "it was answered before: the run goes on\n");
    assert_eq!(newest_state(&env), "finished");
    // What is over does not go on once more.
    let over = env.run(&["approve", &id]);
    assert_eq!((over.stdout.as_str(), over.code), ("", 0));
    assert!(
        over.stderr.starts_with("it was already decided, and nothing was changed"),
        "{}",
        over.stderr
    );
    assert!(!over.stderr.contains("hint"), "{}", over.stderr);
}

#[test]
fn a_project_that_cannot_be_opened_is_noticed_before_the_answer_is_recorded() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let id = open_question(&env);
    env.write(".pml.json", "{ broken");
    let refused = env.run(&["approve", &id, "--yes", "--json"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let told: Value = json::from_str(&refused.stdout).expect("one line of JSON");
    assert!(told["error"]["message"].is_string(), "{told}");
    assert_eq!(open_question(&env), id);
    std::fs::remove_file(env.path().join(".pml.json")).expect("removed");
    assert_eq!(env.run(&["approve", "last", "--yes"]).code, 0);
}

#[test]
fn with_json_an_error_is_the_one_line_on_stdout_too() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let id = open_question(&env);
    let unknown = env.run(&["approve", "ffffffff", "--yes", "--json"]);
    let agent = env.command(&["approve", &id, "--yes", "--json"]).env("CLAUDECODE", "1").spawn();
    let agent = env.finish(agent.expect("the binary starts"));
    let alone = env.run(&["approve", &id, "--json"]);
    for (output, message) in [
        (unknown, "Workflow expired or not found"),
        (agent, "an agent runs this command (`CLAUDECODE` is set), and only a person may approve"),
        (alone, "there is no terminal to ask on"),
    ] {
        assert_eq!((output.stdout.lines().count(), output.code), (1, 1), "{}", output.stdout);
        let told: Value = json::from_str(&output.stdout).expect("JSON");
        assert_eq!(told["error"]["message"], message);
        assert!(output.stderr.contains(&format!("error: {message}\n")), "{}", output.stderr);
    }
    assert_eq!(open_question(&env), id);
}

#[test]
fn a_no_needs_no_yes_where_there_is_no_terminal() {
    for flag in ["--decline", "--abort", "--replan"] {
        let env = pml();
        env.write("main.ts", CONFIRM);
        assert_eq!(env.run(&["run", "main.ts"]).code, 4);
        let said = env.run(&["approve", "last", flag]);
        assert_eq!(said.code, 1, "{}", said.stderr);
        assert!(!said.stderr.contains("no terminal"), "{}", said.stderr);
        assert!(!said.stdout.contains("approved"), "{}", said.stdout);
        assert_eq!(json_of(&env, &["approvals", "--json"]), json!([]));
    }
}

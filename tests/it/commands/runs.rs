//! The commands about runs that were made before: list, show, resume, replay, forget.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::insta::assert_snapshot;
use pml_kit::{Output, TestEnv, json_of, newest_state, open_question, wait_until};
use std::io::{BufRead, BufReader, Read};
use std::process::Child;

const NAP: &str = "console.log('up')\nawait mcp.pml.sleep({ ms: 6000 })\nreturn 'rested'\n";

fn id(runs: &Value, index: usize) -> String {
    runs[index]["run_id"].as_str().expect("an id").into()
}

/// Waits until the newest run has said a line and sleeps, and kills its process as no process can
/// prevent.
fn killed_asleep(env: &TestEnv, mut child: Child) -> Output {
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let mut stdout = String::new();
    output.read_line(&mut stdout).expect("a line");
    wait_until("it sleeps", || {
        assert!(child.try_wait().expect("asked").is_none(), "it ended");
        let shown = json_of(env, &["runs", "show", "last", "--json"]);
        let calls = shown["calls"].as_array().cloned().unwrap_or_default();
        calls.last().is_some_and(|call| call["standing"] == "sleeping")
    });
    child.kill().expect("killed");
    output.read_to_string(&mut stdout).expect("UTF-8");
    Output { stdout, ..env.finish(child) }
}

#[test]
fn a_run_killed_asleep_is_interrupted_and_goes_on_when_it_is_due() {
    let env = pml();
    env.write("nap.ts", NAP);
    let child = env.command(&["run", "nap.ts"]).spawn().expect("it starts");
    let killed = killed_asleep(&env, child);
    assert_eq!((killed.stdout.as_str(), killed.code), ("up\n", -1));
    assert_eq!(newest_state(&env), "interrupted");
    let listed = env.run(&["runs", "--state", "interrupted"]);
    assert!(listed.stdout.contains("  interrupted  nap.ts "), "{}", listed.stdout);
    let resumed = env.run(&["run", "--resume", "last"]);
    assert_eq!(resumed.stdout, "\"rested\"\n", "nothing is printed twice");
    assert_eq!((resumed.stderr.as_str(), resumed.code), ("", 0));
    assert_eq!(newest_state(&env), "finished");
    let shown = json_of(&env, &["runs", "show", "last", "--json"]);
    assert_eq!(shown["calls"].as_array().map(Vec::len), Some(1), "{shown}");
}

#[test]
fn a_run_killed_after_its_approval_is_not_approved_twice() {
    let env = pml();
    env.write("nap.ts", format!("await mcp.pml.confirm({{ message: 'sleep?' }})\n{NAP}"));
    assert_eq!(env.run(&["run", "nap.ts"]).code, 4);
    let approve = ["approve", &open_question(&env), "--yes"];
    let child = env.command(&approve).spawn().expect("it starts");
    assert_eq!(killed_asleep(&env, child).stdout, "up\n");
    assert_eq!(newest_state(&env), "interrupted");
    let resumed = env.run(&["run", "--resume", "last"]);
    assert_eq!(resumed.stdout, "\"rested\"\n");
    assert_eq!((resumed.stderr.as_str(), resumed.code), ("", 0));
    let shown = json_of(&env, &["runs", "show", "last", "--json"]);
    assert_eq!(shown["questions"].as_array().map(Vec::len), Some(1), "{shown}");
}

#[test]
fn a_mended_program_is_not_asked_again_for_what_was_approved() {
    let env = pml();
    let program = |rest: &str| format!("await mcp.pml.confirm({{ message: 'pay?' }})\n{rest}\n");
    env.write("main.ts", program("return inputs.order.total"));
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let failed = env.run(&["approve", &open_question(&env), "--yes"]);
    assert_eq!((failed.stdout.as_str(), failed.code), ("", 1));
    assert!(failed.stderr.contains("error: uncaught TypeError: "), "{}", failed.stderr);
    let first = id(&json_of(&env, &["runs", "--json"]), 0);
    env.write("main.ts", program("return inputs.order?.total ?? 'none'"));
    let mended = env.run(&["run", "--resume", &first, "main.ts"]);
    assert_eq!(mended.stdout, "\"none\"\n");
    assert_eq!((mended.stderr.as_str(), mended.code), ("", 0));
    let shown = json_of(&env, &["runs", "show", "last", "--json"]);
    assert_eq!(shown["resumed_from"], first.as_str());
    assert_eq!((&shown["calls"][0]["recalled"], &shown["questions"]), (&json!(true), &json!([])));
}

#[test]
fn resume_says_what_is_wrong_with_it() {
    let env = pml();
    env.write("main.ts", "return 1");
    let none = env.run(&["run", "--resume", "last"]);
    assert_eq!((none.stdout.as_str(), none.code), ("", 1));
    assert_eq!(
        none.stderr,
        "error: this project has no run yet\nhint: `pml run FILE` runs a program\n"
    );
    assert_eq!(env.run(&["run", "main.ts"]).code, 0);
    let unknown = env.run(&["run", "--resume", "nonsense", "main.ts"]);
    assert_eq!((unknown.stdout.as_str(), unknown.code), ("", 1));
    assert_eq!(
        unknown.stderr,
        "error: there is no run `nonsense`\nhint: `pml runs` lists the runs\n"
    );
    let over = env.run(&["run", "--resume", "last"]);
    assert_eq!((over.stdout.as_str(), over.code), ("", 1));
    assert!(over.stderr.contains("has ended: it is finished\nhint: "), "{}", over.stderr);
    for (arguments, part) in [
        (&["run", "--resume", "last", "--no-journal", "main.ts"][..], "--no-journal"),
        (&["run", "--resume", "last", "--watch", "main.ts"], "--watch"),
        (&["run", "--resume", "last", "--inputs", "{}"], "`--inputs` only with a FILE"),
        (&["run", "--resume", "last", "--seed", "1"], "`--seed` only with a FILE"),
        (&["run", "--resume", "last", "--timeout", "1h"], "`--timeout` only with a FILE"),
        (&["run", "--resume", "last", "--memory", "32M"], "`--memory` only with a FILE"),
        (&["run", "--resume", "last", "--cpu-time", "1m"], "`--cpu-time` only with a FILE"),
    ] {
        let wrong = env.run(arguments);
        assert_eq!((wrong.stdout.as_str(), wrong.code), ("", 2), "{arguments:?}");
        assert!(wrong.stderr.contains(part), "{arguments:?}: {}", wrong.stderr);
    }
}

#[test]
fn runs_are_listed_newest_first_and_filtered() {
    let env = pml();
    env.write("good.ts", "return 1");
    env.write("bad.ts", "throw new Error('no')");
    assert_eq!(env.run(&["run", "good.ts"]).code, 0);
    assert_eq!(env.run(&["run", "bad.ts"]).code, 1);
    let scripts = |arguments: &[&str]| -> Vec<Value> {
        let runs = json_of(&env, &[&["runs", "--json"], arguments].concat());
        runs.as_array().expect("an array").iter().map(|run| run["script"].clone()).collect()
    };
    assert_eq!(scripts(&[]), ["bad.ts", "good.ts"]);
    assert_eq!(scripts(&["-n", "1"]), ["bad.ts"]);
    assert_eq!(scripts(&["--state", "finished"]), ["good.ts"]);
    assert_eq!(scripts(&["--state", "finished", "--state", "failed"]).len(), 2);
    assert_eq!(scripts(&["--script", "goo"]), ["good.ts"]);
    let listed = env.run(&["runs"]);
    let lines: Vec<_> = listed.stdout.lines().collect();
    assert_eq!((lines.len(), listed.stderr.as_str(), listed.code), (3, "", 0));
    assert!(lines[0].starts_with("RUN       STATE     SCRIPT   STARTED"), "{}", lines[0]);
    assert!(lines[1].contains("  failed    bad.ts   "), "{}", lines[1]);
    assert_eq!(env.run(&["runs", "list"]).stdout.lines().count(), 3);
    let none = env.run(&["runs", "--state", "aborted"]);
    assert_eq!(
        (none.stdout.as_str(), none.stderr.as_str(), none.code),
        ("", "there are no runs\n", 0)
    );
    let wrong = env.run(&["runs", "--state", "gone"]);
    assert_eq!((wrong.stdout.as_str(), wrong.code), ("", 2));
    assert!(wrong.stderr.contains("`running`, `waiting`, `interrupted`"), "{}", wrong.stderr);
}

#[test]
fn show_tells_what_a_run_did() {
    let env = pml();
    env.write("main.ts", "await mcp.pml.sleep({ ms: 500 })\nreturn { password: 'p4ss', n: 1 }");
    assert_eq!(env.run(&["run", "main.ts"]).code, 0);
    let run = id(&json_of(&env, &["runs", "--json"]), 0);
    for typed in ["last", &run, &run[run.len() - 8..]] {
        let shown = env.run(&["runs", "show", typed]);
        assert_eq!((shown.stderr.as_str(), shown.code), ("", 0), "{typed}");
        assert!(shown.stdout.starts_with(&format!("run      {run}\n")), "{}", shown.stdout);
    }
    assert_snapshot!(env.run(&["runs", "show", "last"]).snapshot(), @r#"
    exit code: 0
    --- stdout ---
    run      [id]
    state    finished
    script   main.ts
    started  [time] ([span] ago)
    took     [span]; [span] of CPU; 1 call
    made by  pml [version], guest [digest]
    trace    [id]

      1  pml:sleep  [bar]  ok  [span]  {"ms":500}
      whole width [span]   ─ timer [span]

    result │ {"password":"[hidden: 4 characters]","n":1}
    "#);
    let shown = json_of(&env, &["runs", "show", "last", "--json"]);
    assert_eq!((&shown["run_id"], &shown["state"]), (&json!(run), &json!("finished")));
    assert_eq!(shown["calls"][0]["arguments"], json!({ "ms": 500 }));
    assert_eq!(
        shown["ending"],
        json!({ "finished": { "password": "[hidden: 4 characters]", "n": 1 } })
    );
}

#[test]
fn an_id_must_name_one_run() {
    let env = pml();
    for _ in 0..2 {
        assert_eq!(env.run(&["eval", "1"]).code, 0);
    }
    // Ids begin with the time: these two were made in the same weeks.
    let begin = id(&json_of(&env, &["runs", "--json"]), 0)[..4].to_owned();
    for command in [&["runs", "show"][..], &["replay"], &["run", "--resume"]] {
        for (typed, first, hint) in [
            (begin.as_str(), format!("error: `{begin}` fits 2 runs"), "write more of the end"),
            ("beef-beef", "error: there is no run `beef-beef`".into(), "`pml runs` lists"),
            ("a1", "error: `a1` is too short to find a run by".into(), "at least four characters"),
        ] {
            let output = env.run(&[command, &[typed]].concat());
            assert_eq!((output.stdout.as_str(), output.code), ("", 1), "{command:?} {typed}");
            assert_eq!(output.stderr.lines().next(), Some(first.as_str()), "{command:?}");
            let last = output.stderr.lines().last().unwrap_or_default();
            assert!(last.starts_with("hint: ") && last.contains(hint), "{}", output.stderr);
        }
    }
}

#[test]
fn a_replay_does_the_same_again() {
    let env = pml();
    let program = "console.log('x'); await mcp.pml.sleep({ ms: 1 }); await mcp.pml.sleep({ ms: 1 }); return Math.random()";
    assert_eq!(env.run(&["eval", program]).code, 0);
    let same = env.run(&["replay", "last"]);
    assert_eq!((same.stderr.as_str(), same.code), ("", 0));
    assert!(
        same.stdout.starts_with("same: ") && same.stdout.contains(" and 2 calls"),
        "{}",
        same.stdout
    );
    let told = json_of(&env, &["replay", "last", "--json"]);
    assert_eq!((&told["calls"], &told["diverged"]), (&json!(2), &Value::Null));
}

#[test]
fn prune_forgets_what_is_over_and_keeps_what_waits() {
    let env = pml();
    let nothing = env.run(&["runs", "prune", "--all"]);
    assert_eq!((nothing.stdout.as_str(), nothing.code), ("there is nothing to delete\n", 0));
    assert_eq!(env.run(&["eval", "await mcp.pml.confirm({ message: 'go?' })"]).code, 4);
    for _ in 0..3 {
        assert_eq!(env.run(&["eval", "1"]).code, 0);
    }
    let bare = env.run(&["runs", "prune"]);
    assert_eq!((bare.stdout.as_str(), bare.code), ("there is nothing to delete\n", 0));
    assert_eq!(
        bare.stderr,
        "without flags, the last 1000 runs are kept, for 30 days\n\
         hint: `--older-than 7d`, `--keep 10` or `--all` deletes more\n"
    );
    let some = env.run(&["runs", "prune", "--keep", "1", "--json"]);
    assert_eq!(
        (some.stdout.as_str(), some.stderr.as_str(), some.code),
        ("{\"forgotten\":2}\n", "", 0)
    );
    let all = env.run(&["runs", "prune", "--all"]);
    assert_eq!((all.stdout.as_str(), all.stderr.as_str(), all.code), ("1 run deleted\n", "", 0));
    let left = json_of(&env, &["runs", "--json"]);
    assert_eq!((left.as_array().map(Vec::len), &left[0]["state"]), (Some(1), &json!("waiting")));
    assert_eq!(env.run(&["approve", &open_question(&env), "--yes"]).code, 0);
    let both = env.run(&["runs", "prune", "--all", "--keep", "1"]);
    assert_eq!((both.stdout.as_str(), both.code), ("", 2));
}

#[test]
fn looking_makes_no_journal_and_no_journal_leaves_none() {
    let env = pml();
    for (arguments, code) in [
        (&["runs"][..], 0),
        (&["approvals"], 0),
        (&["runs", "show", "last"], 1),
        (&["runs", "prune", "--all"], 0),
        (&["replay", "last"], 1),
        (&["approve", "12345678", "--yes"], 1),
        (&["eval", "1", "--no-journal"], 0),
        (&["eval", "await mcp.pml.confirm({ message: 'go?' })", "--no-journal"], 4),
    ] {
        let output = env.run(arguments);
        assert_eq!(output.code, code, "{arguments:?}: {}", output.stderr);
        assert!(!env.path().join(".pml").exists(), "{arguments:?}");
        assert!(!env.state().exists(), "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn the_journal_is_for_its_owner_alone_and_nothing_of_it_is_in_the_project() {
    use std::os::unix::fs::PermissionsExt;
    let env = pml();
    assert_eq!(env.run(&["eval", "1"]).code, 0);
    let journal = env.journal().join("state.db");
    let mode = journal.metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let mode = env.journal().metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(env.path().read_dir().expect("a folder").count(), 0);
}

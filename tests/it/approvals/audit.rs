//! The audit trail as a person reads it, and as somebody finds it who was not meant to write it.

use crate::pml;
use pml::json::Value;
use pml_kit::insta::assert_snapshot;
use pml_kit::scripts::CONFIRM;
use pml_kit::{Output, Terminal, TestEnv, audit_entries, newest_state, open_question, wait_until};
use sha2::{Digest, Sha256};

/// A project in which one question was asked and answered: two entries.
fn answered() -> TestEnv {
    let env = pml();
    ask(&env);
    env
}

fn ask(env: &TestEnv) {
    env.write("main.ts", CONFIRM);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let approved = env.run(&["approve", &open_question(env), "--yes"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
}

fn entries(env: &TestEnv, arguments: &[&str]) -> Vec<Value> {
    let output = env.run(&[&["audit", "--json"], arguments].concat());
    audit_entries(&output.stdout)
}

fn kinds(env: &TestEnv) -> Vec<String> {
    let kind = |entry: Value| entry["what"].as_str().expect("a kind").to_owned();
    entries(env, &[]).into_iter().map(kind).collect()
}

/// Runs a command as an agent would.
fn by_agent(env: &TestEnv, arguments: &[&str]) -> Output {
    let child = env.command(arguments).env("CLAUDECODE", "1").spawn().expect("the binary starts");
    env.finish(child)
}

/// Whoever has the file can do this.
fn tamper(env: &TestEnv, sql: &str) {
    let connection = rusqlite::Connection::open(env.journal().join("state.db")).expect("it opens");
    // They put back what they took away: a journal without it is not opened.
    let triggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'";
    let mut statement = connection.prepare(triggers).expect("a schema");
    let triggers = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    let triggers: Vec<(String, String)> = triggers.map(|row| row.expect("a row")).collect();
    for (name, _) in &triggers {
        connection.execute_batch(&format!("DROP TRIGGER {name}")).expect("nothing stops them");
    }
    connection.execute_batch(sql).expect("nothing stops them");
    for (_, made) in &triggers {
        connection.execute_batch(made).expect("nothing stops them");
    }
}

fn broken(env: &TestEnv, how: &str) {
    let output = env.run(&["audit"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let expected = format!("error: the audit trail was changed: {how}\nhint: ");
    assert!(output.stderr.starts_with(&expected), "{}", output.stderr);
}

#[test]
fn what_was_asked_and_said_is_told_and_verified() {
    let env = answered();
    let output = env.run(&["audit"]);
    assert_snapshot!(output.snapshot(), @r#"
    exit code: 0
    --- stdout ---
    [day] [time]  [id]  asked            │ pml:confirm {"message":"go on?","token":"[hidden: 6 characters]"}
    [day] [time]  [id]  approved         │ pml:confirm by [user] (command line), digest [digest]
    --- stderr ---
    verified: 2 entries, head [digest]
    "#);
    let hash = entries(&env, &[])[1]["hash"].as_str().expect("a hash").to_owned();
    assert!(output.stderr.contains(&hash[..12]), "{}", output.stderr);
    assert_eq!(env.state().join("audit").read_dir().expect("a folder").count(), 2);
}

#[test]
fn a_project_without_a_trail_has_an_empty_one() {
    let env = pml();
    let output = env.run(&["audit"]);
    assert_eq!(
        (output.stdout.as_str(), output.stderr.as_str(), output.code),
        ("", "verified: 0 entries\n", 0)
    );
    assert!(!env.path().join(".pml").exists() && !env.state().exists());
}

#[test]
fn anybody_can_check_the_hashes() {
    let env = answered();
    let mut previous = String::new();
    for mut entry in entries(&env, &[]) {
        let hash = entry.as_object_mut().and_then(|entry| entry.remove("hash")).expect("a hash");
        let hashed = Sha256::digest(format!("{previous}\n{entry}"));
        previous = hashed.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, previous.as_str());
    }
    assert_eq!(previous.len(), 64);
}

#[test]
fn no_secret_is_in_the_trail() {
    let env = answered();
    let connection = rusqlite::Connection::open(env.journal().join("state.db")).expect("it opens");
    let mut statement = connection.prepare("SELECT body FROM audit").expect("a table");
    let bodies = statement.query_map([], |row| row.get::<_, String>(0)).expect("rows");
    let bodies: Vec<_> = bodies.map(|body| body.expect("a body")).collect();
    assert_eq!(bodies.len(), 2);
    assert!(bodies[0].contains("\"token\":\"[hidden: 6 characters]\""), "{}", bodies[0]);
    assert!(bodies.iter().all(|body| !body.contains("s3cret")), "{bodies:?}");
}

#[test]
fn one_changed_byte_is_noticed() {
    let env = answered();
    tamper(&env, "UPDATE audit SET body = replace(body, 'approve', 'decline') WHERE number = 2");
    broken(&env, "entry 2 was changed");
}

#[test]
fn a_removed_entry_is_noticed() {
    let env = answered();
    tamper(&env, "DELETE FROM audit WHERE number = 1");
    broken(&env, "entry 1 is missing");
}

#[test]
fn an_end_that_was_cut_off_is_noticed() {
    let env = answered();
    tamper(&env, "DELETE FROM audit WHERE number = 2");
    broken(&env, "entries are missing at its end: it had 2, and has 1");
}

#[test]
fn a_trail_written_anew_is_noticed_until_a_person_accepts_it() {
    let env = answered();
    std::fs::remove_dir_all(env.journal()).expect("removed");
    broken(&env, "entries are missing at its end: it had 2, and has 0");
    ask(&env);
    broken(&env, "it was rewritten: entry 2 was another one");
    let refused = by_agent(&env, &["audit", "--accept", "--yes"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.starts_with("error: an agent runs this command (`CLAUDECODE` is set), "),
        "{}",
        refused.stderr
    );
    let alone = env.run(&["audit", "--accept"]);
    assert_eq!(alone.code, 1);
    assert!(alone.stderr.contains("error: there is no terminal to ask on\n"), "{}", alone.stderr);
    broken(&env, "it was rewritten: entry 2 was another one");
    let accepted = env.run(&["audit", "--accept", "--yes"]);
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
    let last = entries(&env, &["-n", "1"]).remove(0);
    assert_eq!(
        (&last["what"], &last["reason"]),
        (&"accepted".into(), &"it was rewritten: entry 2 was another one".into())
    );
    assert_eq!(env.run(&["audit"]).code, 0);
    let again = env.run(&["audit", "--accept"]);
    assert_eq!(
        (again.stderr.as_str(), again.code),
        ("there is nothing to accept: the trail is unchanged\n", 0)
    );
}

#[test]
fn a_changed_or_removed_entry_can_be_accepted_and_what_changes_later_is_noticed_again() {
    for (sql, how) in [
        (
            "UPDATE audit SET body = replace(body, 'approve', 'decline') WHERE number = 2",
            "entry 2 was changed",
        ),
        ("DELETE FROM audit WHERE number = 1", "entry 1 is missing"),
    ] {
        let env = answered();
        tamper(&env, sql);
        broken(&env, how);
        assert_eq!(env.run(&["doctor"]).code, 1);
        assert_eq!(env.run(&["audit", "--accept", "--yes"]).code, 0);
        let output = env.run(&["audit"]);
        assert_eq!(output.code, 0, "{}", output.stderr);
        assert!(
            output.stderr.contains("\nthe entries up to 3 were accepted as they are"),
            "{}",
            output.stderr
        );
        assert_eq!(entries(&env, &["-n", "1"])[0]["reason"], how);
        assert_eq!(env.run(&["doctor"]).code, 0);
        // It goes on from there, and is held against it.
        ask(&env);
        assert_eq!(env.run(&["audit"]).code, 0);
        tamper(
            &env,
            "UPDATE audit SET body = replace(body, 'approve', 'decline') WHERE number = 5",
        );
        broken(&env, "entry 5 was changed");
    }
}

#[test]
fn what_was_accepted_cannot_be_changed_once_more() {
    let env = answered();
    let change = "UPDATE audit SET body = replace(body, 'approve', 'decline') WHERE number = 2";
    tamper(&env, change);
    assert_eq!(env.run(&["audit", "--accept", "--yes"]).code, 0);
    tamper(&env, "UPDATE audit SET body = replace(body, 'decline', 'always') WHERE number = 2");
    broken(&env, "its first 3 entries were changed after they were accepted");
}

#[test]
fn an_entry_that_says_accepted_is_nobodys_word() {
    let env = answered();
    tamper(&env, "UPDATE audit SET body = replace(body, 'approve', 'decline') WHERE number = 2");
    let last = entries(&env, &["-n", "1"]).remove(0)["hash"].as_str().expect("a hash").to_owned();
    let text = r#"{"at":"2026-11-16T04:27:10.000Z","channel":"x","number":3,"reason":"x","what":"accepted","who":"ann"}"#;
    let hash: String = Sha256::digest(format!("{last}\n{text}"))
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    tamper(&env, &format!("INSERT INTO audit (number, body, hash) VALUES (3, '{text}', '{hash}')"));
    broken(&env, "entry 2 was changed");
}

#[test]
fn accepting_wants_a_yes_on_the_terminal() {
    let env = answered();
    tamper(&env, "DELETE FROM audit WHERE number = 2");
    let mut terminal = Terminal::start(&env, &["audit", "--accept"]);
    let shown = terminal.sees("[y/n] ");
    assert!(shown.starts_with("the problem: entries are missing at its end: "), "{shown}");
    terminal.types("n\n");
    assert_eq!(terminal.ends(), ("n\nnothing was accepted\n".into(), 1));
    broken(&env, "entries are missing at its end: it had 2, and has 1");
    let mut terminal = Terminal::start(&env, &["audit", "--accept"]);
    terminal.sees("[y/n] ");
    terminal.types("y\n");
    assert_eq!(terminal.ends().1, 0);
    assert_eq!(env.run(&["audit"]).code, 0);
}

#[test]
fn a_head_that_is_gone_is_said_and_can_be_begun_again() {
    let env = answered();
    std::fs::remove_dir_all(env.state().join("audit")).expect("removed");
    let output = env.run(&["audit"]);
    assert!(
        output.stderr.contains("\nwarning: its last hash is not in your state folder"),
        "{}",
        output.stderr
    );
    assert_eq!(env.run(&["audit", "--accept", "--yes"]).code, 0);
    let after = env.run(&["audit"]).stderr;
    assert!(after.contains("\nthe entries up to 3 were accepted as they are"), "{after}");
    assert!(!after.contains("warning"), "{after}");
}

#[test]
fn entries_are_chosen_by_run_time_and_count() {
    let env = answered();
    ask(&env);
    let runs: Vec<_> = entries(&env, &[]).iter().map(|entry| entry["run_id"].clone()).collect();
    assert_eq!(runs.len(), 4);
    let first = runs[0].as_str().expect("a run");
    let numbers = |arguments: &[&str]| -> Vec<u64> {
        entries(&env, arguments).iter().filter_map(|entry| entry["number"].as_u64()).collect()
    };
    assert_eq!(numbers(&["--run", first]), [1, 2]);
    assert_eq!(numbers(&["--run", &first[first.len() - 8..]]), [1, 2]);
    assert_eq!(numbers(&["--run", "last", "-n", "1"]), [4]);
    assert_eq!(numbers(&["--since", "1h"]), [1, 2, 3, 4]);
    assert_eq!(numbers(&["--since", "2999-01-01"]), [0; 0]);
    assert_eq!(env.run(&["audit", "--since", "soon"]).code, 2);
}

#[test]
fn an_agent_does_not_approve_and_its_attempt_stands_in_the_trail() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let id = open_question(&env);
    for arguments in [
        &["approve", id.as_str()][..],
        &["approve", &id, "--yes"],
        &["approve", &id, "--yes", "--always"],
    ] {
        let refused = by_agent(&env, arguments);
        assert_eq!((refused.stdout.as_str(), refused.code), ("", 1));
        assert!(
            refused.stderr.starts_with("error: an agent runs this command (`CLAUDECODE` is set), and only a person may approve\nhint: run it yourself, in a terminal of your own\n"),
            "{}",
            refused.stderr
        );
    }
    assert_eq!(open_question(&env), id);
    assert_eq!(kinds(&env), ["asked", "refused", "refused", "refused"]);
    let shown = env.run(&["audit"]);
    assert!(shown.stdout.contains("REFUSED          │ by "), "{}", shown.stdout);
}

#[test]
fn an_agent_approves_only_where_the_users_own_settings_say_that_it_may() {
    let env = pml();
    env.write("project/.git/HEAD", "");
    env.write("project/main.ts", CONFIRM);
    // What a project says of it counts for nothing, trusted or not.
    let settings = r#"{ "version": "0.1.0", "approvals": { "modelMayApprove": true } }"#;
    env.write("project/.pml.json", settings);
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = env.command(arguments);
        command.envs(variables.iter().copied()).current_dir(env.path().join("project"));
        env.finish(command.spawn().expect("it starts"))
    };
    let agent = [("CLAUDECODE", "1")];
    assert_eq!(run(&["run", "main.ts"], &[]).code, 4);
    assert_eq!(run(&["trust", "--yes"], &[]).code, 0);
    assert_eq!(run(&["approve", "last", "--yes"], &agent).code, 1);
    assert_eq!(run(&["approve", "last", "--yes", "--allow-agent"], &agent).code, 2);
    env.write(".config/pml/config.json", r#"{ "agents": { "mayWiden": true } }"#);
    let allowed = run(&["approve", "last", "--yes"], &agent);
    assert_eq!((allowed.stdout.lines().last(), allowed.code), (Some("{\"approved\":true}"), 0));
    let last = run(&["audit", "--json", "-n", "1"], &[]).stdout;
    assert!(last.contains("command line, run by an agent (CLAUDECODE)"), "{last}");
}

#[test]
fn an_agent_may_always_decline_and_end() {
    for (flag, decision) in [("--decline", "decline"), ("--abort", "abort"), ("--replan", "replan")]
    {
        let env = pml();
        env.write("main.ts", CONFIRM);
        assert_eq!(env.run(&["run", "main.ts"]).code, 4);
        let _ended = by_agent(&env, &["approve", &open_question(&env), "--yes", flag]);
        let last = entries(&env, &["-n", "1"]).remove(0);
        assert_eq!((&last["what"], &last["decision"]), (&"decided".into(), &decision.into()));
    }
}

#[test]
fn trust_and_its_end_stand_in_the_trail() {
    let env = pml();
    env.write(".mcp.json", r#"{ "mcpServers": { "a": { "command": "a-server" } } }"#);
    assert_eq!(env.run(&["eval", "1"]).code, 0);
    assert_eq!(env.run(&["trust", "--yes"]).code, 0);
    // What is trusted already is not trusted again.
    assert_eq!(env.run(&["trust", "--yes"]).code, 0);
    assert_eq!(env.run(&["trust", "--revoke"]).code, 0);
    assert_eq!(kinds(&env), ["trusted", "distrusted"]);
    let trusted = entries(&env, &[]).remove(0);
    assert_eq!(trusted["files"][0][0], ".mcp.json");
    assert_eq!(trusted["files"][0][1].as_str().map(str::len), Some(64));
}

#[test]
fn a_question_that_expires_stands_in_the_trail() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    // The run may notice it itself, or leave it to whoever takes the run up.
    let left = env.run(&["run", "main.ts", "--approval-timeout", "1ms"]);
    assert!([1, 4].contains(&left.code), "{}", left.stderr);
    wait_until("it expires", || newest_state(&env) == "expired");
    let expired = env.run(&["run", "--resume", "last"]);
    assert_eq!(expired.code, 1, "{}", expired.stderr);
    assert_eq!(kinds(&env), ["asked", "expired"]);
}

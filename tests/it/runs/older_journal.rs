//! The journal that an older pml left in `.pml/state.db`: history, if it is this user's.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::{TestEnv, audit_entries, audit_kinds, files_under, json_of, leave_older_journal};
use std::fs;
use std::path::PathBuf;

fn old(env: &TestEnv) -> PathBuf {
    env.path().join(".pml/state.db")
}

fn listed(env: &TestEnv) -> Vec<(Value, Value)> {
    let runs = json_of(env, &["runs", "--json"]);
    let runs = runs.as_array().expect("a list").iter();
    runs.map(|run| (run["script"].clone(), run["state"].clone())).collect()
}

#[test]
fn runs_that_are_over_are_imported_once_and_nothing_else_is() {
    let env = pml();
    leave_older_journal(&env, 2);
    let before: Vec<_> = files_under(&env.path().join(".pml"))
        .into_iter()
        .map(|file| (fs::read(&file).expect("a file"), file))
        .collect();
    let first = env.run(&["runs"]);
    let said = "note: journals are now in your state folder: 2 runs imported from `.pml/state.db`, 2 runs that had not ended stay there; you can delete that file\n";
    assert_eq!(first.stderr, said);
    let expected = [("failed.ts", "failed"), ("answered.ts", "finished")];
    let expected = expected.map(|(script, state)| (json!(script), json!(state)));
    assert_eq!(listed(&env), expected);
    assert_eq!(env.run(&["runs"]).stderr, "");
    assert_eq!(json_of(&env, &["approvals", "--json"]), json!([]));
    let over = env.run(&["run", "--resume", "last"]);
    assert!(over.stderr.contains("has ended: it is failed"), "{}", over.stderr);
    // What a run did is there, also after the question that it asked.
    let id = json_of(&env, &["runs", "--json"])[1]["run_id"].as_str().expect("an id").to_owned();
    let shown = json_of(&env, &["runs", "show", &id, "--json"]);
    assert_eq!(shown["ending"], json!({ "finished": 4 }), "{shown}");
    assert!(env.run(&["replay", &id]).stdout.starts_with("same"), "it replays");
    let entries = audit_entries(&env.run(&["audit", "--json"]).stdout);
    let [entry] = entries.as_slice() else { panic!("one entry: {entries:?}") };
    assert_eq!(
        (&entry["what"], &entry["runs"], &entry["left"]),
        (&json!("imported"), &json!(2), &json!(2))
    );
    assert_eq!(entry["entries"], json!(4), "asked, decided, and two that ask");
    assert_eq!(env.run(&["audit"]).code, 0);
    let after: Vec<_> = files_under(&env.path().join(".pml"))
        .into_iter()
        .map(|file| (fs::read(&file).expect("a file"), file))
        .collect();
    assert!(before == after, "the old one is left as it is");
    let report = env.run(&["doctor"]).stdout;
    assert!(report.contains("2 runs imported from `.pml/state.db`"), "{report}");
    assert!(
        report.contains("ok    the journal can be opened: $TEST_STATE/pml/projects/"),
        "{report}"
    );
}

#[test]
fn without_its_mark_in_the_state_folder_it_is_left_alone() {
    let env = pml();
    leave_older_journal(&env, 0);
    fs::remove_dir_all(env.state().join("audit")).expect("removed");
    let output = env.run(&["runs"]);
    assert!(
        output.stderr.contains("nothing in your state folder says that it is yours"),
        "{}",
        output.stderr
    );
    assert_eq!(listed(&env), []);
}

#[test]
fn a_copy_elsewhere_is_left_alone() {
    let env = pml();
    leave_older_journal(&env, 0);
    env.write("copy/.pml/state.db", fs::read(old(&env)).expect("a file"));
    let mut command = env.command(&["runs"]);
    command.current_dir(env.path().join("copy"));
    let output = env.finish(command.spawn().expect("the binary starts"));
    assert!(output.stderr.contains("`.pml/state.db` is not used"), "{}", output.stderr);
    assert!(output.stderr.ends_with("there are no runs\n"), "{}", output.stderr);
}

#[test]
fn a_trail_that_was_changed_or_goes_on_unknown_is_left_alone() {
    for change in [
        "DROP TRIGGER audit_is_not_changed; UPDATE audit SET body = replace(body, 'ann', 'eve');",
        "DROP TRIGGER audit_is_not_forgotten; DELETE FROM audit WHERE number = 2;",
        "INSERT INTO audit (number, body, hash) VALUES (3, '{}', 'h');",
    ] {
        let env = pml();
        leave_older_journal(&env, 0);
        let connection = rusqlite::Connection::open(old(&env)).expect("it opens");
        let triggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'";
        let mut statement = connection.prepare(triggers).expect("a schema");
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
        let triggers: Vec<(String, String)> = rows.map(|row| row.expect("a row")).collect();
        connection.execute_batch(change).expect("nothing stops them");
        for (name, made) in triggers {
            connection
                .execute_batch(&format!("DROP TRIGGER IF EXISTS {name}; {made};"))
                .expect("put back");
        }
        drop(statement);
        drop(connection);
        let output = env.run(&["runs"]);
        let why = "its audit trail is not the one that your state folder knows";
        assert!(output.stderr.contains(why), "{change}: {}", output.stderr);
        assert_eq!(listed(&env), []);
    }
}

#[test]
fn one_that_a_process_still_works_with_is_imported_when_that_has_ended() {
    let env = pml();
    leave_older_journal(&env, 0);
    let owner = env.write(".pml/owners/0a1b2c3d", "1");
    let lock = fs::File::options().write(true).open(owner).expect("a file");
    lock.lock().expect("locked");
    assert_eq!(env.run(&["runs"]).stderr, "there are no runs\n");
    drop(lock);
    assert_eq!(env.run(&["runs"]).stderr.lines().count(), 1);
    assert_eq!(listed(&env).len(), 2);
}

#[cfg(unix)]
#[test]
fn one_that_is_a_link_is_left_alone() {
    use std::os::unix::fs::symlink;
    let env = pml();
    leave_older_journal(&env, 0);
    let moved = env.path().join("elsewhere.db");
    fs::rename(old(&env), &moved).expect("moved");
    symlink(&moved, old(&env)).expect("a link");
    let output = env.run(&["runs"]);
    assert!(output.stderr.contains("`.pml/state.db` is not used"), "{}", output.stderr);
    assert_eq!(listed(&env), []);
}

#[test]
fn processes_that_find_it_at_once_import_it_once() {
    let env = pml();
    leave_older_journal(&env, 1);
    let started: Vec<_> =
        (0..4).map(|_| env.command(&["runs", "--json"]).spawn().expect("it starts")).collect();
    let said = started.into_iter().map(|child| env.finish(child).stderr.lines().count());
    assert_eq!(said.sum::<usize>(), 1, "it is said once");
    assert_eq!(listed(&env).len(), 2);
    assert_eq!(audit_kinds(&env.run(&["audit", "--json"]).stdout), ["imported"]);
}

//! Clones that bring a journal along, or name a state folder of their own: nothing in them decides
//! anything.

use crate::pml;
use pml::json::{Value, json};
use pml::{Store, journal::Durability};
use pml_kit::{Output, StdioClient, TestEnv, files_under, json_of, open_question, project_root};
use std::fs;
use std::path::{Path, PathBuf};

/// The names by which a state folder can be given, and what stands behind each.
const NAMES: [(&str, &str); 4] = [
    ("--state-dir", "state"),
    ("PML_STATE_DIR", "state"),
    ("XDG_STATE_HOME", "state/pml"),
    ("HOME", "state/.local/state/pml"),
];

fn case() -> PathBuf {
    project_root().join("tests/cases/hostile/journal")
}

fn sql(name: &str) -> String {
    fs::read_to_string(case().join(name)).expect("a case")
}

/// A fresh clone of the hostile repository, whose server leaves a file `started` behind.
fn clone() -> TestEnv {
    let env = pml();
    for file in files_under(&case()) {
        let name = file.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        env.write(&name, fs::read(&file).expect("a file"));
    }
    env.write(".git/HEAD", "");
    env
}

/// Writes a journal as pml makes it, and changes it.
fn journal(folder: &Path, change: &str) {
    drop(Store::open(folder, Durability::Process).expect("it opens"));
    let connection = rusqlite::Connection::open(folder.join("state.db")).expect("it opens");
    connection.execute_batch(change).expect("nothing stops them");
}

fn harmless(env: &TestEnv) {
    assert!(!env.path().join("started").exists(), "the server was started");
    assert!(!env.state().join("trust.json").exists(), "somebody trusts it");
}

/// Runs the binary with the state folder named so.
fn named(env: &TestEnv, name: &str, folder: &Path, arguments: &[&str]) -> Output {
    let mut command = match name {
        "--state-dir" => {
            let folder = folder.to_str().expect("Unicode");
            env.command(&[&["--state-dir", folder], arguments].concat())
        }
        _ => env.command(arguments),
    };
    command.env_remove("XDG_STATE_HOME");
    if name != "--state-dir" {
        command.env(name, folder);
    }
    env.finish(command.spawn().expect("the binary starts"))
}

#[test]
fn a_trigger_in_a_committed_journal_answers_no_question() {
    for change in ["decide.sql", "both"] {
        let env = clone();
        let change = match change {
            "both" => sql("runs.sql") + &sql("decide.sql"),
            name => sql(name),
        };
        journal(&env.path().join(".pml"), &change);
        let before = fs::read(env.path().join(".pml/state.db")).expect("a file");
        for arguments in [&["run", "evil.ts"][..], &["call", "evil:go"]] {
            let output = env.run(arguments);
            assert_eq!(output.code, 4, "{arguments:?}: {}", output.stderr);
            harmless(&env);
        }
        let mut client = StdioClient::start(&mut env.command(&["stdio"]));
        client.initialize();
        let asked = client.execute("await mcp.evil.go({})");
        assert_eq!(asked["status"], "approval_required", "{asked}");
        client.close();
        harmless(&env);
        let audit = env.run(&["audit", "--json"]);
        assert!(!audit.stdout.contains("decided"), "{}", audit.stdout);
        let after = fs::read(env.path().join(".pml/state.db")).expect("a file");
        assert!(before == after, "it is left as it is");
    }
}

#[test]
fn a_committed_journal_is_named_once_and_explained_by_the_doctor() {
    let env = clone();
    journal(&env.path().join(".pml"), &sql("runs.sql"));
    let first = env.run(&["runs"]);
    let said = "note: `.pml/state.db` is not used: nothing in your state folder says that it is yours; you can delete that file\n";
    assert_eq!(first.stderr, format!("{said}there are no runs\n"));
    assert_eq!(env.run(&["runs"]).stderr, "there are no runs\n");
    let report = env.run(&["doctor"]).stdout;
    assert!(report.contains("note  `.pml/state.db` is not used"), "{report}");
    assert!(report.contains("you can delete that file"), "{report}");
}

#[test]
fn planted_runs_and_decisions_are_neither_offered_nor_taken_up() {
    let env = clone();
    journal(&env.path().join(".pml"), &sql("runs.sql"));
    assert_eq!(json_of(&env, &["approvals", "--json"]), json!([]));
    assert!(!env.run(&["approvals"]).stderr.contains("answered"));
    for arguments in [
        &["run", "--resume", "last"][..],
        &["run", "--resume", "last", "evil.ts"],
        &["replay", "last"],
        &["approve", "00000003", "--yes"],
    ] {
        let output = env.run(arguments);
        assert_eq!(output.code, 1, "{arguments:?}: {}", output.stderr);
        harmless(&env);
    }
}

#[test]
fn a_journal_of_the_attackers_own_making_is_worth_nothing_elsewhere() {
    // They answer their own question, and commit what they have.
    let theirs = clone();
    assert_eq!(theirs.run(&["run", "evil.ts", "--approval-timeout", "never"]).code, 4);
    let id = open_question(&theirs);
    let approved = theirs.run(&["approve", &id, "--yes", "--no-run"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
    for name in [".pml", ".local/state/pml/projects"] {
        let env = clone();
        fs::create_dir_all(env.path().join(name)).expect("a folder");
        let committed = env.path().join(name).join("state.db");
        fs::copy(theirs.journal().join("state.db"), committed).expect("a copy");
        assert_eq!(json_of(&env, &["runs", "--json"]), json!([]));
        assert_eq!(env.run(&["run", "--resume", "last"]).code, 1);
        harmless(&env);
    }
}

/// Where the clone keeps trust in itself, for each name of a state folder.
fn with_trust(env: &TestEnv, folder: &Path) {
    let own = env
        .command(&["trust", "--yes"])
        .env("XDG_STATE_HOME", env.state_home().join("theirs"))
        .spawn();
    assert_eq!(env.finish(own.expect("the binary starts")).code, 0);
    fs::create_dir_all(folder).expect("a folder");
    private(folder);
    let trust = env.state_home().join("theirs/pml/trust.json");
    fs::copy(trust, folder.join("trust.json")).expect("a copy");
}

#[cfg(unix)]
fn private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, PermissionsExt::from_mode(0o700)).expect("a mode");
}

#[cfg(not(unix))]
fn private(_: &Path) {}

#[test]
fn a_state_folder_in_the_project_is_refused_however_it_is_named() {
    for (name, place) in NAMES {
        let env = clone();
        let folder = env.path().join(place);
        with_trust(&env, &folder);
        for arguments in [
            &["run", "evil.ts"][..],
            &["call", "evil:go"],
            &["runs"],
            &["approvals"],
            &["audit"],
            &["trust", "--yes"],
            &["eval", "1"],
            &["stdio"],
        ] {
            let output = named(&env, name, &env.path().join("state"), arguments);
            assert_eq!(output.code, 1, "{name} {arguments:?}: {}", output.stderr);
            let refused = format!(
                "error: the state folder that `{name}` names lies in the project: $TEST_ENV/{place}\nhint: "
            );
            assert!(output.stderr.starts_with(&refused), "{arguments:?}: {}", output.stderr);
            assert!(output.stderr.contains("--state-dir"), "{}", output.stderr);
            harmless(&env);
        }
        let files: Vec<_> = files_under(&folder);
        assert_eq!(files, [folder.join("trust.json")], "nothing is written");
        // Twin: the same folder elsewhere is fine.
        let elsewhere = env.state_home().join("mine");
        assert_eq!(named(&env, name, &elsewhere, &["eval", "1"]).code, 0, "{name}");
        assert!(files_under(&elsewhere).iter().any(|file| file.ends_with("state.db")));
    }
}

#[test]
fn the_doctor_names_a_state_folder_that_is_refused() {
    let env = clone();
    let output = named(&env, "PML_STATE_DIR", &env.path().join("state"), &["doctor"]);
    assert_eq!(output.code, 1);
    assert!(
        output
            .stdout
            .contains("fail  the state folder that `PML_STATE_DIR` names lies in the project"),
        "{}",
        output.stdout
    );
}

#[cfg(unix)]
#[test]
fn a_state_folder_in_a_repository_around_the_project_or_behind_a_link_is_refused() {
    use std::os::unix::fs::symlink;
    let env = pml();
    env.write(".git/HEAD", "");
    env.write("part/.git", "gitdir: ../.git/modules/part");
    env.write("part/.pml.json", "{}");
    symlink(env.path().join("bait"), env.state_home().join("link")).expect("a link");
    fs::create_dir(env.path().join("bait")).expect("a folder");
    private(&env.path().join("bait"));
    for folder in
        [env.path().join("bait"), env.state_home().join("link"), env.path().join("part/../new")]
    {
        let mut command = env.command(&["eval", "1"]);
        command.current_dir(env.path().join("part")).env("PML_STATE_DIR", &folder);
        let output = env.finish(command.spawn().expect("the binary starts"));
        assert_eq!(output.code, 1, "{folder:?}: {}", output.stderr);
        let why = "lies in the repository around the project, $TEST_ENV: $TEST_ENV/";
        assert!(output.stderr.contains(why), "{folder:?}: {}", output.stderr);
    }
    assert_eq!(fs::read_dir(env.path().join("bait")).expect("a folder").count(), 0);
}

#[cfg(unix)]
#[test]
fn a_state_folder_that_others_can_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let env = pml();
    assert_eq!(env.run(&["eval", "1"]).code, 0);
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("a mode");
    };
    for open in [0o750, 0o705, 0o701, 0o777] {
        mode(&env.state(), open);
        let output = env.run(&["runs"]);
        assert_eq!(output.code, 1, "{}", output.stderr);
        let refused = format!(
            "error: the state folder that `XDG_STATE_HOME` names is open to others (mode {open:o}): $TEST_STATE/pml\nhint: `chmod 700 $TEST_STATE/pml` closes it"
        );
        assert!(output.stderr.starts_with(&refused), "{}", output.stderr);
    }
    mode(&env.state(), 0o700);
    assert_eq!(env.run(&["runs"]).code, 0);
    mode(env.state_home(), 0o777);
    let output = env.run(&["runs"]);
    assert!(
        output.stderr.contains("lies in a folder that everybody may write to"),
        "{}",
        output.stderr
    );
    // As in `/tmp`, nobody can take away what is another's.
    mode(env.state_home(), 0o1777);
    assert_eq!(env.run(&["runs"]).code, 0);
    mode(env.state_home(), 0o700);
    mode(&env.journal(), 0o755);
    let output = env.run(&["runs"]);
    assert!(
        output.stderr.starts_with("error: the folder can be read or written by other users: "),
        "{}",
        output.stderr
    );
}

#[test]
fn a_journal_that_was_changed_in_the_right_place_is_refused_and_left_as_it_is() {
    for (change, named) in [
        (sql("decide.sql"), "the trigger `decide` is not pml's"),
        ("CREATE VIEW all_runs AS SELECT * FROM runs".into(), "the view `all_runs` is not pml's"),
        ("CREATE INDEX quick ON runs (state)".into(), "the index `quick` is not pml's"),
        ("CREATE TABLE more (x)".into(), "the table `more` is not pml's"),
        (
            "DROP TRIGGER audit_is_not_forgotten".into(),
            "the trigger `audit_is_not_forgotten` is missing",
        ),
        (
            "ALTER TABLE decisions ADD COLUMN x TEXT DEFAULT '\"approve\"'".into(),
            "the table `decisions` is not as pml made it",
        ),
    ] {
        let env = clone();
        assert_eq!(env.run(&["eval", "1"]).code, 0);
        journal(&env.journal(), &change);
        let file = env.journal().join("state.db");
        let before = fs::read(&file).expect("a file");
        for arguments in [&["run", "evil.ts"][..], &["approvals"], &["runs"], &["audit"]] {
            let output = env.run(arguments);
            assert_eq!(output.code, 1, "{arguments:?}: {}", output.stderr);
            let refused = format!(
                "error: the journal was changed by something other than pml ({named}) and was left as it is: $TEST_STATE/pml/projects/"
            );
            assert!(output.stderr.starts_with(&refused), "{}", output.stderr);
            assert!(output.stderr.contains("\nhint: to begin a new journal, move the file away"));
            harmless(&env);
        }
        assert!(before == fs::read(&file).expect("a file"), "it is left as it is");
        let report: Value =
            pml::json::from_str(&env.run(&["doctor", "--json"]).stdout).expect("JSON");
        assert!(report.to_string().contains(named), "{report}");
    }
}

#[test]
fn a_committed_journal_is_not_taken_for_one_that_the_same_path_had() {
    // The user had a project here, whose trail an older pml kept in it; a clone has taken its
    // place.
    let env = clone();
    let folder = env.path().join(".pml");
    pml_kit::leave_older_journal(&env, 1);
    fs::remove_dir_all(&folder).expect("removed");
    journal(&folder, &sql("runs.sql"));
    let output = env.run(&["runs"]);
    let why = "its audit trail is not the one that your state folder knows";
    assert!(output.stderr.contains(why), "{}", output.stderr);
    assert_eq!(json_of(&env, &["runs", "--json"]), json!([]));
    // With a trigger of its own it is not even read.
    let env = clone();
    pml_kit::leave_older_journal(&env, 1);
    journal(&env.path().join(".pml"), &sql("decide.sql"));
    let output = env.run(&["runs"]);
    assert!(output.stderr.contains("the trigger `decide` is not pml's"), "{}", output.stderr);
    assert_eq!(json_of(&env, &["runs", "--json"]), json!([]));
}

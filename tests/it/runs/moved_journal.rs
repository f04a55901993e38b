//! One project at two paths, a project that was moved, and two users on one machine.

use crate::pml;
use pml::json::{self, Value};
use pml_kit::scripts::CONFIRM;
use pml_kit::{Output, Terminal, TestEnv, audit_kinds};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Runs the binary in a folder of the test's.
fn within(env: &TestEnv, folder: &str, arguments: &[&str]) -> Output {
    let mut command = env.command(arguments);
    command.current_dir(env.path().join(folder));
    env.finish(command.spawn().expect("the binary starts"))
}

fn runs(env: &TestEnv, folder: &str) -> usize {
    let output = within(env, folder, &["runs", "--json"]);
    let runs: Value = json::from_str(&output.stdout).expect("JSON");
    runs.as_array().map_or(0, Vec::len)
}

fn kinds(env: &TestEnv, folder: &str) -> Vec<String> {
    audit_kinds(&within(env, folder, &["audit", "--json"]).stdout)
}

/// A project in `old` with one run that is over and one that waits.
fn project() -> TestEnv {
    let env = pml();
    env.write("old/package.json", "{}");
    env.write("old/main.ts", CONFIRM);
    assert_eq!(within(&env, "old", &["eval", "1"]).code, 0);
    assert_eq!(within(&env, "old", &["run", "main.ts", "--approval-timeout", "never"]).code, 4);
    env
}

fn moved() -> TestEnv {
    let env = project();
    fs::rename(env.path().join("old"), env.path().join("new")).expect("moved");
    env
}

fn old(env: &TestEnv) -> String {
    env.path().join("old").to_str().expect("Unicode").to_owned()
}

fn refused(output: &Output, how: &str) {
    assert_eq!((output.stdout.as_str(), output.code), ("", 1), "{}", output.stderr);
    assert!(output.stderr.starts_with(&format!("error: {how}")), "{}", output.stderr);
    assert!(output.stderr.contains("\nhint: "), "{}", output.stderr);
}

#[test]
fn two_clones_have_two_journals_and_a_link_has_the_same() {
    let env = project();
    env.write("other/package.json", "{}");
    symlink(env.path().join("old"), env.path().join("link")).expect("a link");
    assert_eq!((runs(&env, "old"), runs(&env, "other"), runs(&env, "link")), (2, 0, 2));
    assert_eq!(within(&env, "link", &["eval", "1"]).code, 0);
    assert_eq!((runs(&env, "old"), runs(&env, "other"), runs(&env, "link")), (3, 0, 3));
    // A copy brings no runs, nor questions.
    env.write("copy/package.json", "{}");
    assert_eq!(within(&env, "copy", &["approvals", "--json"]).stdout, "[]\n");
}

#[test]
fn a_moved_project_finds_its_journal_when_it_is_told_where_it_was() {
    let env = moved();
    let none = within(&env, "new", &["runs"]);
    assert_eq!(none.stderr.lines().next(), Some("there are no runs"));
    assert!(none.stderr.contains("`pml runs adopt` finds its runs"), "{}", none.stderr);
    let listed = within(&env, "new", &["runs", "adopt"]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    assert!(listed.stdout.contains("$TEST_ENV/old  2     "), "{}", listed.stdout);
    let alone = within(&env, "new", &["runs", "adopt", &old(&env)]);
    assert_eq!((alone.stdout.as_str(), alone.code), ("", 2), "{}", alone.stderr);
    let why = "error: `pml runs adopt` needs a terminal, or `--yes`\nhint: ";
    assert!(alone.stderr.starts_with(why), "{}", alone.stderr);
    let adopted = within(&env, "new", &["runs", "adopt", &old(&env), "--yes"]);
    assert_eq!(adopted.code, 0, "{}", adopted.stderr);
    assert_eq!(adopted.stderr, "taken over from $TEST_ENV/old: 2 runs\n");
    assert_eq!(runs(&env, "new"), 2);
    assert_eq!(kinds(&env, "new"), ["asked", "adopted"]);
    assert_eq!(within(&env, "new", &["audit"]).code, 0, "the head came along");
    assert!(within(&env, "new", &["audit"]).stderr.starts_with("verified: 2 entries"));
    // What waited goes on.
    let open: Value =
        json::from_str(&within(&env, "new", &["approvals", "--json"]).stdout).expect("JSON");
    let id = open[0]["workflow_id"].as_str().expect("an id");
    let done = within(&env, "new", &["approve", id, "--yes"]);
    assert_eq!((done.stdout.lines().last(), done.code), (Some("{\"approved\":true}"), 0));
    // Whoever begins anew in the old place has nothing of it.
    env.write("old/package.json", "{}");
    assert_eq!(runs(&env, "old"), 0);
    assert_eq!(within(&env, "old", &["audit"]).stderr, "verified: 0 entries\n");
    let again = within(&env, "new", &["runs", "adopt"]);
    assert_eq!(again.stderr, "every journal belongs to a project that still exists\n");
}

#[test]
fn an_agent_does_not_adopt_and_nothing_is_written() {
    let env = moved();
    for arguments in [&["runs", "adopt", &old(&env)][..], &["runs", "adopt", &old(&env), "--yes"]] {
        let mut command = env.command(arguments);
        command.current_dir(env.path().join("new")).env("CLAUDECODE", "1");
        let output = env.finish(command.spawn().expect("the binary starts"));
        refused(&output, "an agent runs this command (`CLAUDECODE` is set)");
        assert!(env.journal_of(&env.path().join("old")).exists());
        assert!(!env.journal_of(&env.path().join("new")).exists());
    }
}

#[test]
fn a_copy_does_not_take_the_journal_of_what_it_was_copied_from() {
    let env = project();
    env.write("copy/package.json", "{}");
    let output = within(&env, "copy", &["runs", "adopt", &old(&env), "--yes"]);
    refused(&output, "the project still exists: $TEST_ENV/old\n");
    assert_eq!((runs(&env, "old"), runs(&env, "copy")), (2, 0));
    let output = within(&env, "copy", &["runs", "adopt", "/nowhere/at/all", "--yes"]);
    refused(&output, "no journal belongs to a project at this path: /nowhere/at/all\n");
}

#[test]
fn what_was_done_in_the_new_place_meanwhile_is_kept_if_it_is_over() {
    let env = moved();
    assert_eq!(within(&env, "new", &["eval", "2"]).code, 0);
    assert_eq!(within(&env, "new", &["run", "main.ts"]).code, 4);
    let adopt = ["runs", "adopt", &old(&env), "--yes"];
    refused(
        &within(&env, "new", &adopt),
        "this project has runs of its own that have not ended: 1 run\n",
    );
    let open: Value =
        json::from_str(&within(&env, "new", &["approvals", "--json"]).stdout).expect("JSON");
    let id = open[0]["workflow_id"].as_str().expect("an id");
    assert_eq!(within(&env, "new", &["approve", id, "--yes"]).code, 0);
    let adopted = within(&env, "new", &adopt);
    assert_eq!(adopted.code, 0, "{}", adopted.stderr);
    assert_eq!(
        adopted.stderr,
        "taken over from $TEST_ENV/old: 2 runs\n2 runs of this project are kept too\n"
    );
    assert_eq!(runs(&env, "new"), 4);
    assert_eq!(kinds(&env, "new"), ["asked", "adopted", "imported"]);
    assert_eq!(within(&env, "new", &["audit"]).code, 0);
    let replaced = env.state().join("replaced");
    assert_eq!(fs::read_dir(replaced).expect("a folder").count(), 1, "its trail is kept");
}

#[test]
fn one_that_a_process_works_with_is_not_taken() {
    let env = moved();
    let owners = env.journal_of(&env.path().join("old")).join("owners");
    fs::create_dir_all(&owners).expect("a folder");
    let lock = fs::File::create(owners.join("0a1b2c3d")).expect("a file");
    lock.lock().expect("locked");
    let output = within(&env, "new", &["runs", "adopt", &old(&env), "--yes"]);
    refused(&output, "a process still uses that journal: $TEST_STATE/pml/projects/old-");
    drop(lock);
    assert_eq!(within(&env, "new", &["runs", "adopt", &old(&env), "--yes"]).code, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_it_is_offered() {
    let env = moved();
    let mut terminal = Terminal::start(&env, &["runs", "adopt"]);
    terminal.sees("take over the journal of ");
    terminal.sees("/old? [y/n] ");
    terminal.types("n\n");
    assert_eq!(terminal.ends().1, 1);
    assert_eq!(runs(&env, "."), 0);
    let mut terminal = Terminal::start(&env, &["runs", "adopt"]);
    terminal.sees("/old? [y/n] ");
    terminal.types("y\n");
    assert_eq!(terminal.ends().1, 0);
    assert_eq!(runs(&env, "."), 2);
}

/// Another user of this machine. Only root can become one; elsewhere these tests have nothing to
/// try, and the unit tests of the state folder look at one that is root's.
const OTHER: u32 = 65_534;

/// Runs a copy of the binary as another user, with a state folder of this name.
fn as_other(
    env: &TestEnv,
    binary: &Path,
    state: &Path,
    folder: &str,
    arguments: &[&str],
) -> Output {
    use std::os::unix::process::CommandExt;
    let mut command = std::process::Command::new(binary);
    command.args(arguments).current_dir(env.path().join(folder)).env_clear();
    command.env("HOME", "/nonexistent").env("PML_STATE_DIR", state).uid(OTHER).gid(OTHER);
    command.stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    env.finish(command.spawn().expect("the binary starts"))
}

#[test]
fn two_users_of_one_folder_have_a_journal_each_and_none_uses_the_others_state() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let env = pml();
    if chown(env.path(), Some(OTHER), Some(OTHER)).is_err() {
        return;
    }
    chown(env.path(), Some(0), Some(0)).expect("root");
    let open =
        |path: &Path| fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("a mode");
    open(env.path());
    open(env.state_home());
    env.write("shared/package.json", "{}");
    env.write("shared/main.ts", "return 1");
    let binary = env.path().join("pml");
    fs::copy(env.binary(), &binary).expect("a copy");
    open(&binary);
    let theirs = env.state_home().join("theirs");
    fs::create_dir(&theirs).expect("a folder");
    fs::set_permissions(&theirs, PermissionsExt::from_mode(0o700)).expect("a mode");
    chown(&theirs, Some(OTHER), Some(OTHER)).expect("root");

    assert_eq!(within(&env, "shared", &["run", "main.ts"]).code, 0);
    let run = as_other(&env, &binary, &theirs, "shared", &["run", "main.ts"]);
    assert_eq!((run.stdout.as_str(), run.code), ("1\n", 0), "{}", run.stderr);
    let listed = as_other(&env, &binary, &theirs, "shared", &["runs", "--json"]);
    let listed: Value = json::from_str(&listed.stdout).expect("JSON");
    assert_eq!((listed.as_array().map(Vec::len), runs(&env, "shared")), (Some(1), 1));

    // Root's is refused to them, and theirs to root, who could read it.
    open(env.path());
    let refused_to_them = as_other(&env, &binary, &env.state(), "shared", &["runs"]);
    assert_eq!(refused_to_them.code, 1);
    assert!(
        refused_to_them.stderr.contains("`PML_STATE_DIR` names belongs to another user (uid 0, not 65534): $TEST_STATE/pml\nhint: "),
        "{}",
        refused_to_them.stderr
    );
    let mut command = env.command(&["runs"]);
    command.env("PML_STATE_DIR", &theirs).current_dir(env.path().join("shared"));
    let refused_to_root = env.finish(command.spawn().expect("the binary starts"));
    assert_eq!(refused_to_root.code, 1);
    assert!(
        refused_to_root
            .stderr
            .contains("belongs to another user (uid 65534, not 0): $TEST_STATE/theirs"),
        "{}",
        refused_to_root.stderr
    );
    // Nor is one made in a folder of theirs.
    let mut command = env.command(&["eval", "1"]);
    command.env("PML_STATE_DIR", theirs.join("new")).current_dir(env.path().join("shared"));
    let refused = env.finish(command.spawn().expect("the binary starts"));
    assert!(refused.stderr.contains("would lie in a folder of another user"), "{}", refused.stderr);
    assert!(!theirs.join("new").exists());
}

//! What many tests ask of the binary.

use crate::{Output, TestEnv};
use pml::json::{self, Value};
use pml::{Environment, Project};
use std::ffi::OsString;
use std::path::PathBuf;

/// The `PATH` of this machine, on which python is found.
#[expect(clippy::disallowed_methods, reason = "of the machine, not a setting of pml")]
pub fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Runs the binary with the `PATH` of this machine.
pub fn run_with_path(env: &TestEnv, arguments: &[&str]) -> Output {
    let mut command = env.command(arguments);
    env.finish(command.env("PATH", search_path()).spawn().expect("the binary starts"))
}

/// Runs the binary, which must print one line of JSON and exit with 0. Returns that JSON.
pub fn json_of(env: &TestEnv, arguments: &[&str]) -> Value {
    one_line(&env.run(arguments), arguments, 0)
}

/// Runs the binary with the `PATH` of this machine. It must print one line of JSON and exit with
/// `code`. Returns that JSON.
pub fn json_with_path(env: &TestEnv, arguments: &[&str], code: i32) -> Value {
    one_line(&run_with_path(env, arguments), arguments, code)
}

fn one_line(output: &Output, arguments: &[&str], code: i32) -> Value {
    assert_eq!(output.code, code, "{arguments:?}: {}{}", output.stdout, output.stderr);
    assert_eq!(output.stdout.lines().count(), 1, "{arguments:?}: {}", output.stdout);
    json::from_str(&output.stdout).expect("JSON")
}

/// Returns the entries of the audit trail that `pml audit --json` printed.
pub fn audit_entries(printed: &str) -> Vec<Value> {
    let trail: Value = json::from_str(printed).expect("one JSON document");
    trail["entries"].as_array().expect("entries").clone()
}

/// Returns the kind of each entry of the audit trail that `pml audit --json` printed.
pub fn audit_kinds(printed: &str) -> Vec<String> {
    let kind = |entry: Value| entry["what"].as_str().expect("a kind").to_owned();
    audit_entries(printed).into_iter().map(kind).collect()
}

/// Trusts the project in the folder, as its owner would, and makes no journal for it.
pub fn trust(env: &TestEnv) {
    let state = env.state_home().to_string_lossy();
    let environment: Environment = [("XDG_STATE_HOME", state)].into_iter().collect();
    let project = Project::load_with_environment(env.path(), &environment).expect("it can be read");
    project.grant_trust(&environment).expect("it is recorded");
}

/// Returns the id of the only open question.
pub fn open_question(env: &TestEnv) -> String {
    let open = json_of(env, &["approvals", "--json"]);
    assert_eq!(open.as_array().map(Vec::len), Some(1), "{open}");
    open[0]["workflow_id"].as_str().expect("an id").into()
}

/// Returns the short digest of the only ask that waits.
pub fn short_digest(env: &TestEnv) -> String {
    let open = json_of(env, &["approvals", "--json"]);
    open[0]["asks"][0]["digest"].as_str().expect("a digest")[..12].into()
}

/// Returns the state of the newest run.
pub fn newest_state(env: &TestEnv) -> String {
    let runs = json_of(env, &["runs", "--json", "-n", "1"]);
    runs[0]["state"].as_str().expect("a state").into()
}

/// Returns the lines of a file in the folder; none if it is not there.
pub fn lines_of(env: &TestEnv, file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(env.path().join(file)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Returns the path of an example program. Cargo builds examples beside the tests, before it runs
/// these.
pub fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().expect("this test");
    tests.ancestors().nth(2).expect("target/release").join("examples").join(name)
}

/// Returns how many programs to make: `count`, or as many times more as `PML_SOAK` says
/// (`just soak`).
#[expect(clippy::disallowed_methods, reason = "a switch for developers, not a setting of pml")]
pub fn soak(count: u64) -> u64 {
    let times = std::env::var("PML_SOAK").ok().and_then(|times| times.parse::<u64>().ok());
    count * times.unwrap_or(1)
}

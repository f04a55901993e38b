//! The example programs run and print what they promise.

use std::path::PathBuf;
use std::process::Command;

/// Cargo builds examples beside the tests, before it runs these.
fn example(name: &str) -> String {
    let deps = std::env::current_exe().expect("this test");
    let folder: PathBuf = deps.ancestors().nth(2).expect("target/release").join("examples");
    let output =
        Command::new(folder.join(name)).output().unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn own_tools_answers_the_program() {
    assert!(!example("own_tools").is_empty());
}

#[test]
fn parallel_runs_share_one_engine() {
    assert!(!example("parallel_runs").is_empty());
}

#[test]
fn limits_are_shown_with_their_codes() {
    let shown = example("limits");
    for code in ["CPU_TIME", "MEMORY", "TOOL_DENIED"] {
        assert!(shown.contains(code), "{shown}");
    }
}

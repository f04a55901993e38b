//! Projects with a server that is a fake: `tests/kit/fakes/toolbox.py`, whose tools are simple, or
//! `fake_server.py`, which fails.

use crate::commands::{lines_of, search_path, trust};
use crate::tree::project_root;
use crate::{StdioClient, TestEnv};
use pml::json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

/// The script of the toolbox, which python runs. Its argument is a file, to which each call adds a
/// line.
pub fn toolbox_script() -> PathBuf {
    project_root().join("tests/kit/fakes/toolbox.py")
}

/// The toolbox as a server. Each start of it adds a line to `starts`, each call one to `calls.log`.
pub fn toolbox_server() -> Value {
    let script = toolbox_script();
    let line = format!("echo start >> starts; exec python3 {} calls.log", script.display());
    json!({ "command": "sh", "args": ["-c", line] })
}

/// A server that fails, with a key that it prints.
pub fn failing_server() -> Value {
    let script = project_root().join("tests/kit/fakes/fake_server.py");
    json!({ "command": "python3", "args": [script, "fails"], "env": { "FAKE_KEY": "hunter2-hunter2" } })
}

/// Makes a project with these settings, which nobody has trusted.
pub fn untrusted_project(env: TestEnv, settings: &Value) -> TestEnv {
    env.write(".pml.json", settings.to_string());
    env
}

/// Makes a trusted project with these settings, and no journal.
pub fn trusted_project(env: TestEnv, settings: &Value) -> TestEnv {
    let env = untrusted_project(env, settings);
    trust(&env);
    env
}

/// Makes a project whose server `box` is the toolbox, trusted by `pml trust`.
pub fn toolbox_project(env: TestEnv, permissions: &Value) -> TestEnv {
    let log = env.path().join("calls.log");
    let settings = json!({
        "version": "0.1.0",
        "permissions": permissions,
        "servers": { "box": { "command": "python3", "args": [toolbox_script(), log] } },
    });
    env.write(".pml.json", settings.to_string());
    let trusted = toolbox_command(&env, &["trust", "--yes"]).output().expect("it runs");
    assert!(trusted.status.success(), "{}", String::from_utf8_lossy(&trusted.stderr));
    env
}

/// Returns the binary as a client starts it: with a way to find python, and with secrets that no
/// server may see.
pub fn toolbox_command(env: &TestEnv, arguments: &[&str]) -> Command {
    let mut command = env.command(arguments);
    command.env("PATH", search_path());
    command.env("ANTHROPIC_API_KEY", "sk-of-the-client").env("PML_TEST_SECRET", "hunter2");
    command
}

/// Starts `pml stdio`, with a client that cannot ask a person.
pub fn toolbox_client(env: &TestEnv) -> StdioClient {
    let mut client = StdioClient::start(&mut toolbox_command(env, &["stdio"]));
    client.initialize();
    client
}

/// Returns the calls that reached the toolbox, in order.
pub fn toolbox_calls(env: &TestEnv) -> Vec<String> {
    lines_of(env, "calls.log")
}

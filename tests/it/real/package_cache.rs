//! One package cache for all projects of a user, through the binary and with a real registry.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::TestEnv;
use pml_kit::real::{SMALL, hello_project, left_out, registry_client, registry_command};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

const GREET: &str = "return await mcp.hello.echo({ message: 'Ann' })";

/// What a command printed, and how it ended.
fn run(mut command: Command) -> (String, String, Option<i32>) {
    let output = command.stdin(Stdio::null()).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

/// A second project of the same user: it has the state and the cache of the first one.
struct SecondProject<'a> {
    own: TestEnv,
    first: &'a TestEnv,
}

impl SecondProject<'_> {
    fn of(first: &TestEnv) -> SecondProject<'_> {
        let own = pml();
        fs::copy(first.path().join(".pml.json"), own.path().join(".pml.json")).expect("settings");
        let project = SecondProject { own, first };
        let (_, stderr, code) = run(project.command(&["trust", "--yes"]));
        assert_eq!(code, Some(0), "{stderr}");
        project
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = registry_command(&self.own, arguments);
        command.env("XDG_STATE_HOME", self.first.state_home());
        command.env("XDG_CACHE_HOME", self.first.cache_home());
        command
    }

    /// The command, on a machine that reaches no registry and whose npm has no cache.
    fn without_network(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(arguments);
        command.env("npm_config_registry", "http://127.0.0.1:9/");
        command.env("npm_config_cache", self.own.path().join("empty"));
        command.env("npm_config_fetch_retries", "0");
        command
    }
}

fn installed_hello() -> TestEnv {
    installed_with(&json!({ "allow": ["hello:*"] }))
}

fn installed_with(permissions: &Value) -> TestEnv {
    let env = hello_project(pml(), permissions);
    let (_, stderr, code) = run(registry_command(&env, &["install", "--yes"]));
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(env.installed().len(), 1);
    env
}

fn document(command: Command) -> Value {
    let (stdout, stderr, _) = run(command);
    json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"))
}

#[test]
fn a_second_project_is_asked_and_then_installs_without_the_network() {
    if left_out() {
        return;
    }
    let env = installed_with(&json!({ "ask": ["*"] }));
    let second = SecondProject::of(&env);
    let waits = document(second.command(&["call", "hello:add", "{\"a\":1,\"b\":1}", "--json"]));
    assert_eq!(waits["waiting"][0]["asks"][0]["type"], "dependency", "{waits}");
    // The twin: the first project is asked about the call alone.
    let call = ["call", "hello:add", "{\"a\":1,\"b\":1}", "--json"];
    let waits = document(registry_command(&env, &call));
    assert_eq!(waits["waiting"][0]["asks"][0]["type"], "tool_permission", "{waits}");
    let planned = ["install", "--offline", "--dry-run", "--json"];
    let planned = document(second.without_network(&planned));
    assert_eq!(planned["would_install"][0]["name"], "mcp-hello-world", "{planned}");
    let (stdout, stderr, code) = run(second.without_network(&["install", "--offline", "--yes"]));
    assert_eq!((stdout, code), (format!("installed {SMALL}\n"), Some(0)), "{stderr}");
    assert_eq!(env.installed().len(), 1);
    let (stdout, stderr, code) =
        run(second.without_network(&["eval", GREET, "--allow", "hello:*"]));
    assert_eq!((stdout.as_str(), code), ("\"You said: Ann\"\n", Some(0)), "{stderr}");
}

#[test]
fn offline_without_a_cached_package_is_an_error_that_says_so() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "allow": ["hello:*"] }));
    let mut command = registry_command(&env, &["install", "--offline", "--yes"]);
    command.env("npm_config_cache", env.cache_home().join("empty"));
    let (_, stderr, code) = run(command);
    assert_eq!(code, Some(1), "{stderr}");
    let expected = "`mcp-hello-world@1.1.2`, or a package that it needs, is not on this machine";
    assert!(stderr.contains(expected) && stderr.contains("without `--offline`"), "{stderr}");
    assert!(env.installed().is_empty());
}

#[test]
fn a_file_that_was_added_or_changed_is_noticed_by_every_project() {
    if left_out() {
        return;
    }
    let env = installed_hello();
    let second = SecondProject::of(&env);
    assert_eq!(run(second.command(&["install", "--yes"])).2, Some(0));
    let tree = env.installed().remove(0).join("tree");
    open(&tree);
    fs::write(tree.join("evil.js"), "steal()").expect("it is added");
    for command in [registry_command(&env, &["doctor"]), second.command(&["doctor"])] {
        let (stdout, ..) = run(command);
        assert!(stdout.contains("the package of `hello` has changed"), "{stdout}");
    }
    let (_, stderr, code) = run(second.command(&["install", "--yes"]));
    assert!(code == Some(0) && stderr.contains("(what is there has changed)"), "{stderr}");
    assert!(!tree.join("evil.js").exists());
    let (stdout, ..) = run(registry_command(&env, &["doctor"]));
    assert!(stdout.contains("`hello` is installed and unchanged: "), "{stdout}");
}

#[test]
fn what_a_running_server_is_started_from_is_not_removed() {
    if left_out() {
        return;
    }
    let env = installed_hello();
    let mut client = registry_client(&env);
    assert_eq!(client.execute(GREET)["result"], "You said: Ann");
    let listed = document(registry_command(&env, &["cache", "size", "--json"]));
    let one = &listed["packages"][0];
    assert_eq!((&one["in_use"], &one["projects"]), (&json!(true), &json!(1)), "{listed}");
    assert_eq!(one["name"], "mcp-hello-world");
    assert!(one["packages"].as_u64().is_some_and(|count| count > 10), "{listed}");
    let kept = document(registry_command(&env, &["cache", "prune", "--all", "--json"]));
    assert_eq!(kept["removed"], json!([]), "{kept}");
    assert_eq!(kept["in_use"][0]["name"], "mcp-hello-world", "{kept}");
    assert_eq!(client.execute(GREET)["result"], "You said: Ann");
    drop(client);
    // Without the client, its lock is gone. The plain command keeps what a project agreed to.
    let (stdout, stderr, _) = run(registry_command(&env, &["cache", "prune"]));
    assert_eq!(stdout, "there is nothing to remove\n");
    assert!(stderr.contains("`--all`"), "{stderr}");
    let (stdout, ..) = run(registry_command(&env, &["cache", "prune", "--all", "--dry-run"]));
    assert!(stdout.starts_with(&format!("would remove {SMALL} (")), "{stdout}");
    assert_eq!(env.installed().len(), 1);
    let (stdout, ..) = run(registry_command(&env, &["cache", "prune", "--all"]));
    assert!(stdout.starts_with(&format!("removed {SMALL} (")), "{stdout}");
    assert!(stdout.ends_with(" freed\n"), "{stdout}");
    assert!(env.installed().is_empty());
}

#[test]
fn no_agent_removes_packages() {
    if left_out() {
        return;
    }
    let env = installed_hello();
    let by_agent = |arguments: &[&str]| {
        let mut command = registry_command(&env, arguments);
        command.env("CLAUDECODE", "1");
        run(command)
    };
    let (_, stderr, code) = by_agent(&["cache", "prune", "--all"]);
    assert!(code == Some(1) && stderr.contains("only a person may run"), "{stderr}");
    assert_eq!(env.installed().len(), 1);
    // To look is allowed.
    assert_eq!(by_agent(&["cache", "prune", "--all", "--dry-run"]).2, Some(0));
    assert_eq!(by_agent(&["cache", "size"]).2, Some(0));
}

#[test]
fn the_question_and_the_listings_say_how_many_packages_come_along() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "allow": ["hello:*"] }));
    let (_, stderr, _) = run(registry_command(&env, &["install", "--yes"]));
    let line = stderr.lines().find(|line| line.starts_with("hello │ ")).expect("what is installed");
    assert!(line.contains(") and ") && line.contains(" more packages from "), "{line}");
    let (stdout, ..) = run(registry_command(&env, &["servers"]));
    let line = stdout.lines().find(|line| line.starts_with("hello: installed │ "));
    assert!(line.is_some_and(|line| line.ends_with(" together")), "{stdout}");
    let shown = document(registry_command(&env, &["servers", "--json"]));
    assert!(shown["servers"][0]["installed"]["packages"].as_u64() > Some(10), "{shown}");
}

/// Lets the owner write into a folder and those in it.
fn open(folder: &Path) {
    fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).expect("it is ours");
}

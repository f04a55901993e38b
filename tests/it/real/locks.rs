//! The lock and packages of real registries: clones, pulls, updates and what was tampered with.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::real::{hello_project, left_out, package_project, registry_client, registry_command};
use pml_kit::{Output, TestEnv, approve_in_terminal};
use std::fs;

const GREET: &str = "return await mcp.hello.echo({ message: 'Ann' })";

const CALCULATE: &str = "return (await mcp.calc.calculate({ expression: '6 * 7' })).result";

fn run(env: &TestEnv, arguments: &[&str]) -> Output {
    env.finish(registry_command(env, arguments).spawn().expect("it starts"))
}

fn run_in_ci(env: &TestEnv, arguments: &[&str]) -> Output {
    env.finish(registry_command(env, arguments).env("CI", "true").spawn().expect("it starts"))
}

fn lock_text(env: &TestEnv) -> String {
    fs::read_to_string(env.path().join(".pml/mcp.lock")).expect("a lock")
}

/// The same project on another machine: other folders, another home, no approvals, no packages.
fn on_another_machine(env: &TestEnv) -> TestEnv {
    let other = pml();
    let settings = fs::read(env.path().join(".pml.json")).expect("settings");
    other.write(".pml.json", settings);
    other.write(".pml/mcp.lock", lock_text(env));
    other
}

fn calculator(version: &str) -> Value {
    json!({ "calc": { "command": "uvx", "args": [format!("mcp-server-calculator{version}")] } })
}

/// A server whose versions all work, and that has nothing to write.
fn thinker(version: &str) -> Value {
    let package = format!("@modelcontextprotocol/server-sequential-thinking@{version}");
    json!({ "think": { "command": "npx", "args": ["-y", package] } })
}

const THINK: &str = "\
await mcp.think.sequentialthinking({ thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 })
return 'thought'";

#[test]
fn a_lock_of_npm_and_pypi_needs_no_change_on_another_machine() {
    if left_out() {
        return;
    }
    let mut servers = calculator("==0.2.1");
    servers["hello"] = json!({ "command": "npx", "args": ["-y", pml_kit::real::SMALL] });
    let env = package_project(pml(), &json!({ "allow": ["*"] }), &servers);
    let locked = run(&env, &["lock", "--yes"]);
    assert_eq!(locked.code, 0, "{}", locked.stderr);
    let text = lock_text(&env);
    for part in
        ["npm:mcp-hello-world@1.1.2", "pypi:mcp-server-calculator@0.2.1", "hash = \"sha512-"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    for machine in [&env.path().to_string_lossy()[..], "node_modules/.package-lock", "https://"] {
        assert!(!text.contains(machine), "{machine}: {text}");
    }
    let other = on_another_machine(&env);
    for (code, result) in [(GREET, "\"You said: Ann\"\n"), (CALCULATE, "\"42\"\n")] {
        let done = run_in_ci(&other, &["eval", code, "--trust", "--yes"]);
        assert_eq!((done.code, done.stdout.as_str()), (0, result), "{}", done.stderr);
    }
    assert_eq!(lock_text(&other), text);
    let why = run(&other, &["lock", "why", "zod"]);
    assert!(why.stdout.contains("mcp-hello-world → "), "{}{}", why.stdout, why.stderr);
}

#[test]
fn a_package_that_is_not_as_locked_is_not_installed() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "allow": ["*"] }));
    assert_eq!(run(&env, &["lock", "--yes"]).code, 0);
    let text = lock_text(&env);
    let other = on_another_machine(&env);
    // A dependency that was replaced under the same version: the registry has another file.
    let line = text.lines().find(|line| line.starts_with("zod = ")).expect("a dependency");
    let start = line.find("sha512-").expect("a hash") + "sha512-".len();
    let mut replaced = line.to_owned();
    replaced.replace_range(start..start + 4, "AAAA");
    other.write(".pml/mcp.lock", text.replace(line, &replaced));
    let refused = run_in_ci(&other, &["eval", GREET, "--trust", "--yes"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.to_lowercase().contains("integrity"), "{}", refused.stderr);
    // A version that the package itself does not have.
    let version = text.replace("npm:mcp-hello-world@1.1.2", "npm:mcp-hello-world@1.1.1");
    other.write(".pml/mcp.lock", version);
    let refused = run_in_ci(&other, &["eval", GREET, "--trust", "--yes"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
}

#[test]
fn a_lock_of_somebody_else_brings_no_package_that_nobody_needs() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "allow": ["*"] }));
    assert_eq!(run(&env, &["lock", "--yes"]).code, 0);
    let text = lock_text(&env);
    // A real package with its real hash, which `mcp-hello-world` is said to need.
    const FOREIGN: &str = "is-number = { version = \"7.0.0\", hash = \"sha512-41Cifkg6e8TylSpdtTpeLVMqvSBEVzTttHvERD741+pnZ8ANv0004MRL43QKPDlK9cGvNp6NZWZUBlbGXYxxng==\" }";
    let key =
        |line: &str| line.trim_start_matches('"').split(['"', ' ']).next().unwrap_or("").to_owned();
    let mut lines: Vec<String> = text.lines().map(Into::into).collect();
    let begin =
        lines.iter().position(|line| line == "[servers.hello.packages.any]").expect("a closure");
    let after = lines[begin + 1..]
        .iter()
        .position(|line| line.is_empty() || key(line).as_str() > "is-number");
    lines.insert(begin + 1 + after.expect("an end"), FOREIGN.into());
    let main = lines.iter_mut().find(|line| line.starts_with("mcp-hello-world = ")).expect("it");
    *main = main.replace("needs = [", "needs = [\"is-number\", ");
    let other = on_another_machine(&env);
    other.write(".pml/mcp.lock", lines.join("\n") + "\n");
    let refused = run_in_ci(&other, &["eval", GREET, "--trust", "--yes"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("no package needs `is-number@7.0.0`"), "{}", refused.stderr);
}

#[test]
fn another_version_in_a_pulled_lock_is_one_question_with_both_versions() {
    if left_out() {
        return;
    }
    // Somebody else locked an older version for the same launch line.
    let older = package_project(pml(), &json!({ "allow": ["*"] }), &thinker("2026.7.4"));
    assert_eq!(run(&older, &["lock", "--yes"]).code, 0);
    let env = package_project(pml(), &json!({ "allow": ["*"] }), &thinker(">=2026.7.4"));
    let done = run(&env, &["eval", THINK]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let own = lock_text(&env);
    assert!(!own.contains("sequential-thinking@2026.7.4"), "{own}");
    // The request is that of this launch line, all else is theirs.
    let request = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("request = ")).expect("a request");
        line.to_owned()
    };
    let launch = |text: &str| {
        text.lines().find(|line| line.starts_with("launch = ")).expect("a line").to_owned()
    };
    let older = lock_text(&older);
    let theirs =
        older.replace(&request(&older), &request(&own)).replace(&launch(&older), &launch(&own));
    env.write(".pml/mcp.lock", &theirs);
    let mut client = registry_client(&env);
    let asked = client.execute(THINK);
    assert_eq!(asked["approval_type"], "integrity", "{asked}");
    let shown = json::to_string(&asked).expect("JSON");
    assert!(shown.contains("2026.7.4"), "{shown}");
    let done = approve_in_terminal(&env, &mut client, &asked, &[]);
    assert_eq!(done["status"], "success", "{done}");
    assert_eq!(lock_text(&env), theirs);
    drop(client);
    // Back on the own branch nothing is asked.
    env.write(".pml/mcp.lock", &own);
    let back = run(&env, &["eval", THINK]);
    assert_eq!(back.code, 0, "{}", back.stderr);
}

#[test]
fn an_update_shows_the_old_and_the_new_version_and_writes_after_a_yes() {
    if left_out() {
        return;
    }
    let env = package_project(pml(), &json!({ "allow": ["*"] }), &thinker("2026.7.4"));
    assert_eq!(run(&env, &["lock", "--yes"]).code, 0);
    let newest = run(&env, &["lock", "update", "--yes"]);
    assert_eq!(newest.stdout, "the lock has the newest packages already\n", "{}", newest.stderr);
    let settings = fs::read_to_string(env.path().join(".pml.json")).expect("settings");
    env.write(".pml.json", settings.replace("@2026.7.4", "@2026.8.31"));
    assert_eq!(run(&env, &["trust", "--yes"]).code, 0);
    let refused = run(&env, &["upgrade", "think"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    let before = lock_text(&env);
    let mut agent = registry_command(&env, &["upgrade", "--yes"]);
    let refused = env.finish(agent.env("CLAUDECODE", "1").spawn().expect("it starts"));
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert_eq!(lock_text(&env), before);
    let updated = run(&env, &["upgrade", "think", "--yes"]);
    assert_eq!(updated.code, 0, "{}", updated.stderr);
    for part in ["server-sequential-thinking@2026.8.31", "2026.[-7-]{+8+}.[-4-]{+31+}"] {
        assert!(updated.stderr.contains(part), "{part}: {}", updated.stderr);
    }
    assert!(lock_text(&env).contains("server-sequential-thinking@2026.8.31"));
    let done = run(&env, &["eval", THINK, "--frozen"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
}

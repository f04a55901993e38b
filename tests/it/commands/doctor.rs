//! `pml doctor`

use crate::pml;
use pml::json::{Value, json};
use pml_kit::insta::assert_snapshot;
use pml_kit::{
    failing_server, json_with_path, lines_of, run_with_path, toolbox_server, trusted_project,
    untrusted_project,
};

/// The marks of the checks whose text contains `part`.
fn marks(report: &Value, part: &str) -> Vec<String> {
    let checks = report["checks"].as_array().expect("checks").iter();
    let found =
        checks.filter(|check| check["message"].as_str().is_some_and(|what| what.contains(part)));
    found.map(|check| check["status"].as_str().expect("a status").to_owned()).collect()
}

#[test]
fn a_healthy_project_is_fine_and_nothing_is_started_or_made() {
    let env = trusted_project(
        pml(),
        &json!({ "permissions": { "allow": ["box:echo"] }, "servers": { "box": toolbox_server() } }),
    );
    let shell = env.path().join("bin/sh");
    std::fs::create_dir(env.path().join("bin")).expect("a folder");
    std::os::unix::fs::symlink("/bin/sh", shell).expect("a link");
    let mut command = env.command(&["doctor"]);
    let output =
        env.finish(command.env("PATH", env.path().join("bin")).spawn().expect("it starts"));
    assert_snapshot!(output.snapshot(), @r#"
    exit code: 0
    --- stdout ---
    machine
    ok    pml [version], guest sha256:[digest]
    ok    programs can run in the sandbox
    ok    there is no journal yet, the first run makes it: $TEST_STATE/pml/projects/[journal]
    project
    note  the audit trail is empty
    ok    `.pml.json` can be read: $TEST_ENV
    ok    you trust these files
    note  there is no `.pml/mcp.lock` yet: the first call writes it
          hint: `pml lock` writes it for all servers; commit it
    servers
    ok    `box` can be started: $TEST_ENV/bin/sh
    policy
    ok    1 pattern, no contradictions
    clients
    note  no client uses pml in this folder
          hint: for Claude Code, run `claude mcp add pml -- pml stdio`
    no problems found, and 2 hints say what to do next
    "#);
    assert_eq!(lines_of(&env, "starts").len(), 0);
    assert!(!env.path().join(".pml").exists() && !env.state().join("projects").exists());
}

#[test]
fn what_does_not_work_is_named_with_what_to_do() {
    let env = trusted_project(
        pml(),
        &json!({
            "permissions": { "allow": ["*", "box:echo", "bux:*"], "deny": ["box:echo"] },
            "servers": {
                "box": toolbox_server(),
                "lost": { "command": "no-such-program" },
                "nokey": { "command": "sh", "env": { "KEY": "${NO_SUCH_KEY}" } },
                "newest": { "command": "npx", "args": ["-y", "some-server"] },
                "plain": { "url": "http://host.example/mcp?key=hunter2" },
                "keyed": { "url": "http://host.example", "headers": { "Authorization": "Bearer hunter2" } },
                "old": { "type": "sse", "url": "https://host.example/sse" },
                "script": { "command": "python3", "args": ["missing.py"] },
                "off": { "command": "sh", "disabled": true },
            },
        }),
    );
    env.write(".git/HEAD", "");
    env.write(".env", "KEY=1\n");
    env.write(
        ".mcp.json",
        r#"{ "mcpServers": { "pml": { "command": "pml", "args": ["stdio"] } } }"#,
    );
    pml_kit::trust(&env);
    let report = json_with_path(&env, &["doctor", "--json"], 1);
    for (part, mark) in [
        ("`lost` cannot be started: there is no program `no-such-program`", "fail"),
        ("`nokey` needs `NO_SUCH_KEY`, which is not set", "fail"),
        ("`newest` is not installed: some-server, the newest version that fits", "note"),
        ("`plain` is not encrypted: host.example", "warn"),
        ("`keyed` cannot be used: its keys would go to host.example without encryption", "fail"),
        ("`old` cannot be used: its type `sse` is not supported", "fail"),
        ("`script` names `missing.py`, which does not exist", "fail"),
        ("`off` cannot be used: it is disabled", "warn"),
        ("`allow` has `*`", "warn"),
        ("`box:echo` is in `allow` and in `deny`", "warn"),
        ("`allow` has `bux:*`: there is no server `bux`", "warn"),
        ("git does not ignore `.pml/`", "warn"),
        ("git does not ignore `.env`", "warn"),
        ("Claude Code uses pml: ", "ok"),
    ] {
        assert_eq!(marks(&report, part), [mark], "{part}: {report}");
    }
    assert_eq!(report["ok"], json!(false));
    assert!(!report.to_string().contains("hunter2"), "{report}");
}

#[test]
fn with_start_the_servers_are_asked_themselves() {
    let env = trusted_project(
        pml(),
        &json!({
            "permissions": { "allow": ["box:ecoh"] },
            "servers": { "box": toolbox_server(), "bad": failing_server() },
        }),
    );
    let report = json_with_path(&env, &["doctor", "--start", "--json"], 1);
    assert_eq!(marks(&report, "`box` answers: 8 tools, in "), ["ok"], "{report}");
    assert_eq!(
        marks(&report, "`bad` does not answer: it ended with exit status 1\n│ cannot find"),
        ["fail"],
        "{report}"
    );
    assert_eq!(
        marks(&report, "`allow` has `box:ecoh`: `box` has no such tool"),
        ["warn"],
        "{report}"
    );
    assert!(!report.to_string().contains("hunter2"), "{report}");
    assert_eq!(lines_of(&env, "starts").len(), 1);
}

#[test]
fn a_file_that_cannot_be_understood_is_one_failure_among_the_other_checks() {
    let env = crate::pml();
    env.write(".pml.json", "{ \"permisions\": {} }");
    let report = json_with_path(&env, &["doctor", "--json"], 1);
    assert_eq!(marks(&report, "`.pml.json` has no key `permisions`"), ["fail"], "{report}");
    assert_eq!(marks(&report, "programs can run in the sandbox"), ["ok"], "{report}");
}

#[test]
fn a_clone_is_looked_at_and_nothing_of_it_started() {
    let env = untrusted_project(
        pml(),
        &json!({ "permissions": { "allow": ["*"] }, "servers": { "box": toolbox_server() } }),
    );
    let report = json_with_path(&env, &["doctor", "--start", "--json"], 1);
    assert_eq!(marks(&report, "this folder is not trusted"), ["fail"], "{report}");
    assert_eq!(marks(&report, "`allow` has `*`"), ["warn"], "{report}");
    assert_eq!(lines_of(&env, "starts").len(), 0);
    let report = json_with_path(&env, &["doctor", "--trust", "--yes", "--json"], 0);
    assert_eq!(marks(&report, "trusted for this command only"), ["note"], "{report}");
    assert_eq!(marks(&report, "you trust these files"), [""; 0], "{report}");
}

#[test]
fn a_folder_without_settings_has_no_patterns_to_check() {
    let report = json_with_path(&pml(), &["doctor", "--json"], 0);
    assert_eq!(marks(&report, "no contradictions"), [""; 0], "{report}");
}

#[test]
fn grants_are_counted_and_those_that_allow_nothing_are_named() {
    let of = |tool: &str| {
        let permissions = json!({ "allow": ["box:echo"], "grants": [{ "tool": tool }] });
        let env = trusted_project(
            pml(),
            &json!({ "permissions": permissions, "servers": { "box": toolbox_server() } }),
        );
        run_with_path(&env, &["doctor"]).stdout
    };
    let fine = of("box:echo");
    assert!(fine.contains("ok    1 pattern and 1 grant, no contradictions\n"), "{fine}");
    let odd = of("box:count");
    assert!(odd.contains("`grants` has `box:count`, which `allow` does not cover"), "{odd}");
}

//! `pml servers` and `pml tools`.

use crate::mcp::stdio::path;
use pml::json::{self, Value, json};
use pml_kit::{Output, TestEnv, project_root};

/// Runs the binary with a way to find python.
pub(crate) fn run(env: &TestEnv, arguments: &[&str]) -> Output {
    env.finish(env.command(arguments).env("PATH", path()).spawn().expect("the binary starts"))
}

/// Runs the binary, which must print one line of JSON and exit with `code`.
pub(crate) fn told(env: &TestEnv, arguments: &[&str], code: i32) -> Value {
    let output = run(env, arguments);
    assert_eq!(output.code, code, "{arguments:?}: {}{}", output.stdout, output.stderr);
    assert_eq!(output.stdout.lines().count(), 1, "{arguments:?}: {}", output.stdout);
    json::from_str(&output.stdout).expect("JSON")
}

/// The toolbox as a server. Each start of it adds a line to `starts`, each call one to `calls.log`.
pub(crate) fn toolbox() -> Value {
    let script = project_root().join("tests/kit/fakes/toolbox.py");
    let line = format!("echo start >> starts; exec python3 {} calls.log", script.display());
    json!({ "command": "sh", "args": ["-c", line] })
}

/// A server that fails, with a key that it prints.
pub(crate) fn failing() -> Value {
    let script = project_root().join("tests/kit/fakes/fake_server.py");
    json!({ "command": "python3", "args": [script, "fails"], "env": { "FAKE_KEY": "hunter2-hunter2" } })
}

/// A project with these settings, that nobody has trusted.
pub(crate) fn untrusted(settings: &Value) -> TestEnv {
    let env = crate::support::pml();
    env.write(".pml.json", settings.to_string());
    env
}

/// A project with these settings.
pub(crate) fn project(settings: &Value) -> TestEnv {
    let env = untrusted(settings);
    crate::support::trust(&env);
    env
}

/// The lines of a file that a server writes.
pub(crate) fn lines(env: &TestEnv, file: &str) -> Vec<String> {
    let text = std::fs::read_to_string(env.path().join(file)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn servers_are_shown_from_memory_and_started_only_when_told() {
    let env = project(&json!({ "servers": { "box": toolbox() } }));
    let before = &told(&env, &["servers", "--json"], 0)[0];
    assert_eq!((&before["name"], &before["kind"]), (&json!("box"), &json!("stdio")));
    assert_eq!((&before["state"], &before["tools"]), (&json!("not_started"), &Value::Null));
    assert_eq!(lines(&env, "starts").len(), 0);

    let started = &told(&env, &["servers", "--start", "--json"], 0)[0];
    assert_eq!((&started["state"], &started["tools"]), (&json!("ok"), &json!(8)));
    assert_eq!((&started["era"], &started["title"]), (&json!("legacy"), &json!("toolbox")));
    assert!(started["start_ms"].as_f64().is_some_and(|span| span > 0.0), "{started}");
    #[cfg(target_os = "linux")]
    assert!(started["memory_bytes"].as_u64().is_some_and(|bytes| bytes > 1 << 20), "{started}");

    let after = run(&env, &["servers"]);
    assert_eq!(after.code, 0, "{}", after.stderr);
    let row = after.stdout.lines().nth(1).expect("a row");
    for part in ["box", "stdio", "not started", "legacy", "  8  ", "(remembered)"] {
        assert!(row.contains(part), "{part}: {row}");
    }
    assert_eq!(lines(&env, "starts").len(), 1);
}

#[test]
fn a_server_that_fails_is_shown_with_its_last_words_and_without_its_key() {
    let env = project(&json!({ "servers": { "box": toolbox(), "bad": failing() } }));
    let output = run(&env, &["servers", "--start"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let rows: Vec<&str> = output.stdout.lines().collect();
    assert!(rows[1].starts_with("box") && rows[1].contains("ok"), "{}", output.stdout);
    assert!(rows[2].starts_with("bad") && rows[2].contains("failed"), "{}", output.stdout);
    assert!(rows[3].starts_with("bad: it ended with exit status 1"), "{}", output.stdout);
    assert!(rows[4].starts_with("  │ cannot find module `left-pad`"), "{}", output.stdout);
    assert!(!output.stdout.contains("hunter2"), "{}", output.stdout);
    // The other one does not suffer from it.
    assert_eq!(told(&env, &["servers", "box", "--start", "--json"], 0)[0]["state"], "ok");
}

#[test]
fn what_cannot_be_started_says_why() {
    let env = project(&json!({ "servers": {
        "nokey": { "command": "x", "env": { "KEY": "${NO_SUCH_KEY}" } },
        "off": { "command": "x", "disabled": true },
    } }));
    let all = told(&env, &["servers", "--json"], 0);
    assert_eq!(
        (&all[0]["state"], &all[0]["variables"]),
        (&json!("missing_variables"), &json!(["NO_SUCH_KEY"]))
    );
    assert_eq!(
        (&all[1]["state"], &all[1]["reason"]),
        (&json!("unusable"), &json!("it is disabled"))
    );
    assert_eq!(run(&env, &["servers", "off"]).code, 1);
    let unknown = run(&env, &["servers", "noky"]);
    assert_eq!((unknown.stdout.as_str(), unknown.code), ("", 1));
    assert_eq!(unknown.stderr, "error: there is no server `noky`\nhint: did you mean `nokey`?\n");
}

#[test]
fn servers_of_a_clone_are_named_and_not_started() {
    let env =
        untrusted(&json!({ "permissions": { "allow": ["*"] }, "servers": { "box": toolbox() } }));
    let output = run(&env, &["servers", "--start"]);
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("not trusted"), "{}", output.stdout);
    assert!(
        output.stderr.contains("hint: look at what it declares, then run `pml trust`"),
        "{}",
        output.stderr
    );
    let tools = run(&env, &["tools", "--refresh"]);
    assert_eq!((tools.stdout.as_str(), tools.code), ("", 1));
    assert_eq!(tools.stderr.matches("this folder is not trusted").count(), 1, "{}", tools.stderr);
    assert_eq!(lines(&env, "starts").len(), 0);
    assert_eq!(
        told(&env, &["servers", "--start", "--trust", "--yes", "--json"], 0)[0]["state"],
        "ok"
    );
}

#[test]
fn tools_are_listed_with_what_the_policy_says() {
    let env = project(&json!({
        "permissions": { "allow": ["box:*"], "ask": ["box:count"], "deny": ["box:sorry"] },
        "servers": { "box": toolbox() },
    }));
    let all = run(&env, &["tools"]);
    assert_eq!((all.stderr.as_str(), all.code), ("", 0));
    for part in [
        "box 8 tools\n",
        "  ask   mcp.box.count(): Promise<{ n: number }>\n        Counts.\n",
        "  go    mcp.box.echo(args: { text: string }): Promise<any>\n        Says a text back.\n",
        "  deny  mcp.box.sorry(): Promise<any>\n",
        "  go    mcp.box[\"get-env\"](): Promise<any>\n",
    ] {
        assert!(all.stdout.contains(part), "{part}: {}", all.stdout);
    }
    let names = |arguments: &[&str]| {
        let found = told(&env, &[&["tools", "--json"], arguments].concat(), 0);
        let tools = found["tools"].as_array().expect("a list");
        tools
            .iter()
            .map(|tool| tool["tool"].as_str().expect("a name").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&["box:l*"]), ["box:later", "box:link"]);
    assert_eq!(names(&["box:echo"]), ["box:echo"]);
    assert_eq!(names(&["box"]).len(), 8);
    assert_eq!(names(&["environment"]), ["box:get-env"]);
    let tool = &told(&env, &["tools", "--json", "box:sorry"], 0)["tools"][0];
    assert_eq!((&tool["policy"], &tool["inputSchema"]["type"]), (&json!("deny"), &json!("object")));
    assert_eq!(tool["reason"], "Tool box:sorry is denied by user config");
    assert_eq!(lines(&env, "starts").len(), 1, "what it said is remembered");
    assert_eq!(run(&env, &["tools", "--refresh"]).code, 0);
    assert_eq!(lines(&env, "starts").len(), 2);
    assert_eq!(lines(&env, "calls.log").len(), 0);
}

#[test]
fn what_is_not_found_and_who_was_not_there_is_told() {
    let env = project(&json!({ "servers": { "box": toolbox(), "bad": failing() } }));
    let some = run(&env, &["tools"]);
    assert_eq!(some.code, 0);
    assert!(some.stdout.starts_with("box 8 tools\n"), "{}", some.stdout);
    assert!(
        some.stderr.starts_with("warning: the server `bad` cannot be started: it ended"),
        "{}",
        some.stderr
    );
    assert!(!some.stderr.contains("hunter2"), "{}", some.stderr);
    let none = run(&env, &["tools", "box:nothing"]);
    assert_eq!((none.stdout.as_str(), none.code), ("", 1));
    assert_eq!(none.stderr, "error: no tool fits `box:nothing`\n");
    assert_eq!(told(&env, &["tools", "--json", "bad"], 1)["unavailable"][0]["server"], "bad");
    let empty = crate::support::pml().run(&["tools"]);
    assert_eq!((empty.stdout.as_str(), empty.code), ("", 0));
    assert!(empty.stderr.starts_with("no server is configured\nhint:"), "{}", empty.stderr);
}

#[test]
fn a_server_whose_package_is_not_there_is_named_with_the_command_everywhere() {
    let hello = json!({ "command": "npx", "args": ["-y", "@pml-tests/no-such-package@1.2.3"] });
    let env = project(&json!({ "servers": { "hello": hello, "box": toolbox() } }));
    let shown = run(&env, &["servers"]).stdout;
    assert!(shown.contains("not installed") && shown.contains("`pml install hello`"), "{shown}");
    assert!(!shown.contains("`pml install box`"), "{shown}");
    let rows = told(&env, &["servers", "--json"], 0);
    assert_eq!(
        (&rows[0]["state"], &rows[1]["state"]),
        (&json!("not_installed"), &json!("not_started"))
    );
    assert_eq!(rows[0]["package"], "@pml-tests/no-such-package@1.2.3");
    let doctor = run(&env, &["doctor"]).stdout;
    assert!(
        doctor.contains("note  `hello` is not installed: @pml-tests/no-such-package@1.2.3"),
        "{doctor}"
    );
    assert!(doctor.contains("hint: `pml install hello`"), "{doctor}");
    env.write("main.ts", "await mcp.hello.say({})\nawait mcp.hello.say({})\nreturn await mcp.box.echo({ text: 'x' })");
    let checked = run(&env, &["check", "main.ts"]);
    let warning =
        "warning: 2 calls not checked: `hello` is not installed\nhint: `pml install hello`";
    assert!(checked.stderr.contains(warning), "{}", checked.stderr);
    assert_eq!(told(&env, &["check", "--json", "main.ts"], 0)["not_installed"], json!(["hello"]));
}

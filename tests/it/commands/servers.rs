//! `pml servers` and `pml tools`.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::{
    failing_server, json_with_path, lines_of, run_with_path, toolbox_server, trusted_project,
    untrusted_project,
};

#[test]
fn servers_are_shown_from_memory_and_started_only_when_told() {
    let env = trusted_project(pml(), &json!({ "servers": { "box": toolbox_server() } }));
    let before = &json_with_path(&env, &["servers", "--json"], 0)["servers"][0];
    assert_eq!((&before["name"], &before["kind"]), (&json!("box"), &json!("stdio")));
    assert_eq!((&before["state"], &before["tools"]), (&json!("not_started"), &Value::Null));
    assert_eq!(lines_of(&env, "starts").len(), 0);

    let started = &json_with_path(&env, &["servers", "--start", "--json"], 0)["servers"][0];
    assert_eq!((&started["state"], &started["tools"]), (&json!("ok"), &json!(8)));
    assert_eq!((&started["era"], &started["title"]), (&json!("legacy"), &json!("toolbox")));
    assert!(started["start_ms"].as_f64().is_some_and(|span| span > 0.0), "{started}");
    #[cfg(target_os = "linux")]
    assert!(started["memory_bytes"].as_u64().is_some_and(|bytes| bytes > 1 << 20), "{started}");

    let after = run_with_path(&env, &["servers"]);
    assert_eq!(after.code, 0, "{}", after.stderr);
    let row = after.stdout.lines().nth(1).expect("a row");
    for part in ["box", "stdio", "not started", "legacy", "  8  ", "(remembered)"] {
        assert!(row.contains(part), "{part}: {row}");
    }
    assert_eq!(lines_of(&env, "starts").len(), 1);
}

#[test]
fn a_server_that_fails_is_shown_with_its_last_words_and_without_its_key() {
    let env = trusted_project(
        pml(),
        &json!({ "servers": { "box": toolbox_server(), "bad": failing_server() } }),
    );
    let output = run_with_path(&env, &["servers", "--start"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let rows: Vec<&str> = output.stdout.lines().collect();
    assert!(rows[1].starts_with("box") && rows[1].contains("ok"), "{}", output.stdout);
    assert!(rows[2].starts_with("bad") && rows[2].contains("failed"), "{}", output.stdout);
    assert!(rows[3].starts_with("bad: it ended with exit status 1"), "{}", output.stdout);
    assert!(rows[4].starts_with("  │ cannot find module `left-pad`"), "{}", output.stdout);
    assert!(!output.stdout.contains("hunter2"), "{}", output.stdout);
    // The other one does not suffer from it.
    assert_eq!(
        json_with_path(&env, &["servers", "box", "--start", "--json"], 0)["servers"][0]["state"],
        "ok"
    );
}

#[test]
fn what_cannot_be_started_says_why() {
    let env = trusted_project(
        pml(),
        &json!({ "servers": {
        "nokey": { "command": "x", "env": { "KEY": "${NO_SUCH_KEY}" } },
        "off": { "command": "x", "disabled": true },
    } }),
    );
    let all = json_with_path(&env, &["servers", "--json"], 0)["servers"].clone();
    assert_eq!(
        (&all[0]["state"], &all[0]["variables"]),
        (&json!("missing_variables"), &json!(["NO_SUCH_KEY"]))
    );
    assert_eq!(
        (&all[1]["state"], &all[1]["reason"]),
        (&json!("unusable"), &json!("it is disabled"))
    );
    assert_eq!(run_with_path(&env, &["servers", "off"]).code, 1);
    let unknown = run_with_path(&env, &["servers", "noky"]);
    assert_eq!((unknown.stdout.as_str(), unknown.code), ("", 1));
    assert_eq!(unknown.stderr, "error: there is no server `noky`\nhint: did you mean `nokey`?\n");
}

#[test]
fn servers_of_a_clone_are_named_and_not_started() {
    let env = untrusted_project(
        pml(),
        &json!({ "permissions": { "allow": ["*"] }, "servers": { "box": toolbox_server() } }),
    );
    let output = run_with_path(&env, &["servers", "--start"]);
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("not trusted"), "{}", output.stdout);
    assert!(
        output
            .stderr
            .contains("hint: read what it declares with `pml trust --show`, then run `pml trust`"),
        "{}",
        output.stderr
    );
    let tools = run_with_path(&env, &["tools", "--refresh"]);
    assert_eq!((tools.stdout.as_str(), tools.code), ("", 1));
    assert_eq!(tools.stderr.matches("this folder is not trusted").count(), 1, "{}", tools.stderr);
    assert_eq!(lines_of(&env, "starts").len(), 0);
    assert_eq!(
        json_with_path(&env, &["servers", "--start", "--trust", "--yes", "--json"], 0)["servers"]
            [0]["state"],
        "ok"
    );
}

#[test]
fn tools_are_listed_with_what_the_policy_says() {
    let env = trusted_project(
        pml(),
        &json!({
            "permissions": { "allow": ["box:*"], "ask": ["box:count"], "deny": ["box:sorry"] },
            "servers": { "box": toolbox_server() },
        }),
    );
    let all = run_with_path(&env, &["tools"]);
    assert_eq!((all.stderr.as_str(), all.code), ("", 0));
    for part in [
        "box 8 tools\n",
        "  ask    mcp.box.count(): Promise<{ n: number }>\n         Counts.\n",
        "  allow  mcp.box.echo(args: { text: string }): Promise<any>\n         Says a text back.\n",
        "  deny   mcp.box.sorry(): Promise<any>\n",
        "  allow  mcp.box[\"get-env\"](): Promise<any>\n",
    ] {
        assert!(all.stdout.contains(part), "{part}: {}", all.stdout);
    }
    let names = |arguments: &[&str]| {
        let found = json_with_path(&env, &[&["tools", "--json"], arguments].concat(), 0);
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
    let tool = &json_with_path(&env, &["tools", "--json", "box:sorry"], 0)["tools"][0];
    assert_eq!((&tool["policy"], &tool["inputSchema"]["type"]), (&json!("deny"), &json!("object")));
    assert_eq!(tool["reason"], "Tool box:sorry is denied by user config");
    assert_eq!(lines_of(&env, "starts").len(), 1, "what it said is remembered");
    assert_eq!(run_with_path(&env, &["tools", "--refresh"]).code, 0);
    assert_eq!(lines_of(&env, "starts").len(), 2);
    assert_eq!(lines_of(&env, "calls.log").len(), 0);
}

#[test]
fn what_is_not_found_and_who_was_not_there_is_told() {
    let env = trusted_project(
        pml(),
        &json!({ "servers": { "box": toolbox_server(), "bad": failing_server() } }),
    );
    let some = run_with_path(&env, &["tools"]);
    assert_eq!(some.code, 0);
    assert!(some.stdout.starts_with("box 8 tools\n"), "{}", some.stdout);
    assert!(
        some.stderr.starts_with("warning: server `bad` cannot be started: it ended"),
        "{}",
        some.stderr
    );
    assert!(!some.stderr.contains("hunter2"), "{}", some.stderr);
    let none = run_with_path(&env, &["tools", "box:nothing"]);
    assert_eq!((none.stdout.as_str(), none.code), ("", 1));
    assert_eq!(none.stderr, "error: no tool fits `box:nothing`\n");
    assert_eq!(
        json_with_path(&env, &["tools", "--json", "bad"], 1)["unavailable"][0]["server"],
        "bad"
    );
    let empty = crate::pml().run(&["tools"]);
    assert_eq!((empty.stdout.as_str(), empty.code), ("", 0));
    assert!(empty.stderr.starts_with("no server is configured\nhint:"), "{}", empty.stderr);
}

#[test]
fn a_server_whose_package_is_not_there_is_named_with_the_command_everywhere() {
    let hello = json!({ "command": "npx", "args": ["-y", "@pml-tests/no-such-package@1.2.3"] });
    let env =
        trusted_project(pml(), &json!({ "servers": { "hello": hello, "box": toolbox_server() } }));
    let shown = run_with_path(&env, &["servers"]).stdout;
    assert!(shown.contains("not installed") && shown.contains("`pml install hello`"), "{shown}");
    assert!(!shown.contains("`pml install box`"), "{shown}");
    let rows = json_with_path(&env, &["servers", "--json"], 0)["servers"].clone();
    assert_eq!(
        (&rows[0]["state"], &rows[1]["state"]),
        (&json!("not_installed"), &json!("not_started"))
    );
    assert_eq!(rows[0]["package"], "@pml-tests/no-such-package@1.2.3");
    let doctor = run_with_path(&env, &["doctor"]).stdout;
    assert!(
        doctor.contains("note  `hello` is not installed: @pml-tests/no-such-package@1.2.3"),
        "{doctor}"
    );
    assert!(doctor.contains("hint: `pml install hello`"), "{doctor}");
    env.write("main.ts", "await mcp.hello.say({})\nawait mcp.hello.say({})\nreturn await mcp.box.echo({ text: 'x' })");
    let checked = run_with_path(&env, &["check", "main.ts"]);
    let warning =
        "warning: 2 calls not checked: `hello` is not installed\nhint: `pml install hello`";
    assert!(checked.stderr.contains(warning), "{}", checked.stderr);
    assert_eq!(
        json_with_path(&env, &["check", "--json", "main.ts"], 0)["not_installed"],
        json!(["hello"])
    );
}

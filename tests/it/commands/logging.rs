//! The log on stderr: what `PML_LOG` turns on, and what never gets into it.

use pml::json::{self, Value, json};
use pml_kit::{Output, TestEnv};
use pml_kit::{failing_server, search_path, toolbox_server, trusted_project};

const ARGUMENT: &str = "s3cret-of-an-argument";
const KEY: &str = "k3y-of-the-environment";

/// A project with a server that gets a key, and one that fails and prints its own.
fn with_keys() -> TestEnv {
    let mut server = toolbox_server();
    server["env"] = json!({ "BOX_KEY": "${BOX_KEY}", "PLAIN_KEY": format!("plain-{KEY}") });
    let env = crate::pml();
    env.write(".env", format!("BOX_KEY={KEY}\n"));
    let settings = json!({
        "permissions": { "allow": ["box:*", "bad:*"], "deny": ["box:count"] },
        "servers": { "box": server, "bad": failing_server() },
    });
    env.write(".pml.json", settings.to_string());
    pml_kit::trust(&env);
    env.write(
        "main.ts",
        format!(
            "const heard = await mcp.box.echo({{ text: '{ARGUMENT}' }})\n\
             await mcp.box.count({{}}).catch(() => 0)\n\
             await mcp.bad.any({{ '{ARGUMENT}': 1 }}).catch(() => 0)\n\
             return heard === inputs.token\n"
        ),
    );
    env
}

fn run(env: &TestEnv, log: &str, arguments: &[&str]) -> Output {
    let mut command = env.command(arguments);
    env.finish(command.env("PATH", search_path()).env("PML_LOG", log).spawn().expect("it starts"))
}

fn program<'a>(inputs: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["run", "main.ts", "--inputs", inputs], more].concat()
}

#[test]
fn no_secret_is_logged_at_any_level() {
    let env = with_keys();
    let inputs = json!({ "token": ARGUMENT }).to_string();
    for format in ["text", "json"] {
        let output = run(&env, "trace", &program(&inputs, &["--log-format", format]));
        assert_eq!((output.stdout.as_str(), output.code), ("true\n", 0), "{}", output.stderr);
        for told in ["run begins", "call sent", "call answered", "call refused", "server started"] {
            assert!(output.stderr.contains(told), "{told}: {}", output.stderr);
        }
        for secret in [ARGUMENT, KEY, "hunter2", "heard"] {
            assert!(!output.stderr.contains(secret), "{secret}: {}", output.stderr);
        }
    }
}

#[test]
fn json_lines_name_the_run_the_tool_and_the_outcome() {
    let env = with_keys();
    let inputs = json!({ "token": ARGUMENT }).to_string();
    let output = run(&env, "debug", &program(&inputs, &["--log-format", "json"]));
    let lines: Vec<Value> =
        output.stderr.lines().map(|line| json::from_str(line).expect("JSON")).collect();
    let line = |message: &str| {
        let found = lines.iter().find(|line| line["message"] == message);
        found.unwrap_or_else(|| panic!("{message}: {}", output.stderr))
    };
    let (began, ended) = (line("run begins"), line("run ended"));
    assert_eq!((&began["level"], &began["target"]), (&json!("INFO"), &json!("pml::run")));
    assert_eq!((&ended["run"], &ended["ending"]), (&began["run"], &json!("finished")));
    let answered = line("call answered");
    assert_eq!((&answered["tool"], &answered["run"]), (&json!("box:echo"), &began["run"]));
    assert_eq!(line("call refused")["code"], "TOOL_DENIED");
    assert_eq!(line("server started")["server"], "box");
    assert_eq!(line("server did not start")["server"], "bad");
}

#[test]
fn levels_choose_what_is_logged_and_the_default_logs_nothing_of_a_run() {
    let env = crate::pml();
    let arguments = ["eval", "return 1", "--no-journal"];
    assert_eq!(env.run(&arguments).stderr, "");
    assert_eq!(run(&env, "off", &arguments).stderr, "");
    assert_eq!(run(&env, "", &arguments).stderr, "");
    let some = run(&env, "info,pml::run=off", &arguments);
    assert!(!some.stderr.contains("run begins"), "{}", some.stderr);
    let more = run(&env, "info", &arguments);
    assert!(more.stderr.contains("INFO pml::run: run begins"), "{}", more.stderr);
    assert_eq!((more.stdout.as_str(), more.code), ("1\n", 0));
}

#[test]
fn what_cannot_be_read_of_the_variable_is_wrong_usage() {
    let env = crate::pml();
    let output = run(&env, "rmcp=trace", &["version"]);
    assert_eq!((output.stdout.as_str(), output.code), ("", 2), "{}", output.stderr);
    assert!(output.stderr.contains("`PML_LOG`") && output.stderr.contains("hint: "), "{output:?}");
}

#[test]
fn trust_and_journal_are_logged_without_paths() {
    let env = trusted_project(crate::pml(), &json!({ "servers": { "box": toolbox_server() } }));
    let output = run(&env, "debug", &["eval", "return 1"]);
    for told in ["journal brought to this version", "journal opened", "trust checked"] {
        assert!(output.stderr.contains(told), "{told}: {}", output.stderr);
    }
    assert!(!output.stderr.contains("$TEST_"), "{}", output.stderr);
}

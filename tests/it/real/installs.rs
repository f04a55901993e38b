//! Packages that servers are started from, through the binary: from real registries, and where that
//! goes wrong.

use crate::pml;
use pml::json::{Value, json};
use pml_kit::real::{
    FEW, SMALL, hello_project, left_out, mirrored, package_project, registry_client,
    registry_command,
};
use pml_kit::{StdioClient, TestEnv, approve_in_terminal, wait_until};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const GREET: &str = "return await mcp.hello.echo({ message: 'Ann' })";

/// What is installed.
fn there(env: &TestEnv) -> Vec<PathBuf> {
    env.installed()
}

fn yes(client: &mut StdioClient, asked: &Value) -> Value {
    let answer = json!({ "workflow_id": asked["workflow_id"], "approved": true });
    mirrored(&client.call("execute", json!({ "continue_workflow": answer })))
}

fn kill(pid: u32) {
    let killed = Command::new("kill").args(["-9", &pid.to_string()]).status().expect("kill");
    assert!(killed.success());
}

#[test]
fn a_package_of_pypi_is_installed_and_started_directly() {
    if left_out() {
        return;
    }
    let servers = json!({ "calc": { "command": "uvx", "args": [FEW] } });
    let env = package_project(pml(), &json!({ "ask": ["*"] }), &servers);
    let mut client = registry_client(&env);
    let asked = client.execute("return await mcp.calc.calculate({ expression: '6 * 7' })");
    assert_eq!(asked["approval_type"], "dependency", "{asked}");
    assert_eq!(asked["description"], "Approval required to install mcp-server-calculator@0.2.1");
    let done = yes(&mut client, &asked);
    assert!(done["result"].to_string().contains("42"), "{done}");
    let agreed = fs::read_to_string(env.state().join("packages.json")).expect("it is recorded");
    assert!(agreed.contains("mcp-server-calculator") && agreed.contains("sha256:"), "{agreed}");
    assert_eq!(there(&env).len(), 1);
}

#[test]
fn a_package_that_is_not_there_is_an_error_that_names_it_and_leaves_nothing() {
    if left_out() {
        return;
    }
    let servers = json!({ "hello": { "command": "npx", "args": ["-y", "@pml-tests/no-such-package@1.2.3"] } });
    let env = package_project(pml(), &json!({ "allow": ["*"] }), &servers);
    let failed = registry_client(&env).execute(GREET);
    assert_eq!(failed["status"], "error", "{failed}");
    let message = failed["error"]["message"].as_str().expect("a text");
    assert!(message.contains("@pml-tests/no-such-package"), "{message}");
    assert_eq!(there(&env), Vec::<PathBuf>::new());
}

#[test]
fn an_install_that_is_cut_off_leaves_nothing_that_counts_and_can_be_tried_again() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "ask": ["*"] }));
    let mut first = registry_client(&env);
    let asked = first.execute(GREET);
    let answer = json!({ "workflow_id": asked["workflow_id"], "approved": true });
    let arguments = json!({ "continue_workflow": answer });
    first.begin("tools/call", json!({ "name": "execute", "arguments": arguments }));
    let work = env.packages().join(".work");
    let begun = || fs::read_dir(&work).is_ok_and(|all| all.flatten().any(|it| it.path().is_dir()));
    wait_until("the install is under way", begun);
    kill(first.pid());
    drop(first);
    assert!(there(&env).is_empty() && !env.state().join("packages.json").exists());
    // The yes still counts: whoever takes the run up installs, and calls once.
    let run = asked["run_id"].as_str().expect("a run");
    let output =
        registry_command(&env, &["run", "--resume", run, "--json"]).output().expect("it runs");
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(stdout.trim(), "\"You said: Ann\"", "{stderr}");
    assert_eq!(there(&env).len(), 1);
    assert!(!begun(), "what was cut off is swept away");
}

#[test]
fn a_package_that_was_changed_is_not_started() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "allow": ["hello:*"] }));
    assert_eq!(registry_client(&env).execute(GREET)["result"], "You said: Ann");
    let package = there(&env).remove(0);
    let script = package.join("tree/node_modules/mcp-hello-world/build/stdio.js");
    let text = fs::read_to_string(&script).expect("its program");
    fs::set_permissions(&script, PermissionsExt::from_mode(0o644)).expect("it is ours");
    fs::write(&script, format!("{text}\n// evil\n")).expect("it is changed");
    let mut second = registry_client(&env);
    let asked = second.execute(GREET);
    assert_eq!(
        (&asked["status"], &asked["approval_type"]),
        (&json!("approval_required"), &json!("integrity")),
        "{asked}"
    );
    // The model that reads the question is not the one to accept a change.
    assert_eq!(yes(&mut second, &asked)["error"]["code"], "APPROVAL_BY_MODEL");
    assert_eq!(approve_in_terminal(&env, &mut second, &asked, &[])["result"], "You said: Ann");
    assert!(!fs::read_to_string(&script).expect("its program").contains("evil"));
}

#[test]
fn a_client_hears_how_far_an_install_is() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "allow": ["hello:*"] }));
    let mut client = registry_client(&env);
    let call = json!({ "name": "execute", "arguments": { "code": GREET }, "_meta": { "progressToken": "t" } });
    let id = client.begin("tools/call", call);
    let told = client.asked("notifications/progress");
    assert_eq!(told["params"]["progressToken"], "t");
    let message = told["params"]["message"].as_str().expect("a text");
    assert!(message.contains("mcp-hello-world@1.1.2"), "{message}");
    assert_eq!(mirrored(&client.answer(id))["result"], "You said: Ann");
}

#[test]
fn pml_install_shows_installs_and_says_when_all_is_there() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "ask": ["*"] }));
    let run = |arguments: &[&str]| {
        let output =
            registry_command(&env, arguments).stdin(Stdio::null()).output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr), output.status.code())
    };
    let (stdout, _, code) = run(&["install", "--dry-run"]);
    assert_eq!((stdout.as_str(), code), (format!("would install {SMALL}\n").as_str(), Some(0)));
    let (_, stderr, code) = run(&["install"]);
    assert!(code == Some(2) && stderr.contains("`--yes`"), "{stderr}");
    let (_, stderr, code) = run(&["install", "helo"]);
    assert!(code == Some(1) && stderr.contains("did you mean `hello`?"), "{stderr}");
    assert_eq!(there(&env), Vec::<PathBuf>::new());
    let (stdout, stderr, code) = run(&["install", "--yes"]);
    assert_eq!(
        (stdout.as_str(), code),
        (format!("installed {SMALL}\n").as_str(), Some(0)),
        "{stderr}"
    );
    assert!(stderr.contains("hello │ ") && stderr.contains(" from "), "{stderr}");
    assert_eq!(
        stderr.lines().filter(|line| line.starts_with("installing ")).count(),
        1,
        "{stderr}"
    );
    let (stdout, _, _) = run(&["install", "--json"]);
    assert_eq!(stdout, "{\"installed\":[]}\n");
    let (stdout, _, _) = run(&["tools", "hello"]);
    assert!(stdout.contains("echo"), "{stdout}");
    let (stdout, _, _) = run(&["audit"]);
    assert!(stdout.contains("mcp-hello-world"), "{stdout}");
}

#[test]
fn the_timeline_tells_installing_a_server_from_starting_it() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "allow": ["hello:*"] }));
    let run = |arguments: &[&str]| {
        let output =
            registry_command(&env, arguments).stdin(Stdio::null()).output().expect("it runs");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    };
    assert_eq!(run(&["eval", GREET]), ("\"You said: Ann\"\n".to_owned(), Some(0)));
    let (shown, _) = run(&["runs", "show", "last"]);
    for phase in ["█ running ", "▓ installing ", "▒ starting the server "] {
        assert!(shown.contains(phase), "{shown}");
    }
    // What is installed is only started the next time.
    assert_eq!(run(&["eval", GREET]).1, Some(0));
    let (shown, _) = run(&["runs", "show", "last"]);
    assert!(!shown.contains("installing") && shown.contains("starting the server"), "{shown}");
}

#[test]
fn a_bad_package_does_not_keep_the_others_away() {
    if left_out() {
        return;
    }
    let servers = json!({
        "bad": { "command": "npx", "args": ["-y", "github:someone/something"] },
        "hello": { "command": "npx", "args": ["-y", SMALL] },
    });
    let env = package_project(pml(), &json!({}), &servers);
    let output = registry_command(&env, &["install", "--yes", "--json"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Value = pml::json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["installed"][0]["server"], "hello", "{found}");
    assert_eq!(found["failed"][0]["server"], "bad", "{found}");
    assert_eq!(there(&env).len(), 1);
}

#[test]
fn allow_for_one_run_calls_without_asking_and_installs_nothing_unasked() {
    if left_out() {
        return;
    }
    let env = hello_project(pml(), &json!({ "ask": ["*"] }));
    let call = ["call", "hello:echo", "{\"message\":\"Ann\"}", "--allow", "hello:*", "--json"];
    let run = || {
        let output = registry_command(&env, &call).stdin(Stdio::null()).output().expect("it runs");
        let document: Value = pml::json::from_slice(&output.stdout).expect("JSON");
        (document, output.status.code())
    };
    let (waits, code) = run();
    assert_eq!(code, Some(4), "{waits}");
    assert_eq!(waits["waiting"][0]["asks"][0]["type"], "dependency", "{waits}");
    assert_eq!(there(&env), Vec::<PathBuf>::new());
    let installed = registry_command(&env, &["install", "--yes"]).output().expect("it runs");
    assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    assert_eq!(run().1, Some(0), "once it is there, nobody is asked");
}

//! `pml stdio` in a project whose files change under it.

use crate::pml;
use pml::json::{self, Value, json};
use pml::{Environment, ToolName, policy::Grant, project::SettingsFile, tool::ToolOrigin};
use pml_kit::{StdioClient, TestEnv, search_path, toolbox_project, toolbox_script};
use std::fs;
use std::process::Command;

const COUNT: &str = "return (await mcp.box.count()).n";

fn command(env: &TestEnv, arguments: &[&str]) -> Command {
    let mut command = env.command(arguments);
    command.env("PATH", search_path());
    command
}

fn client(env: &TestEnv, arguments: &[&str]) -> StdioClient {
    let mut client = StdioClient::start(&mut command(env, arguments));
    client.initialize();
    client
}

/// A project that nobody has trusted, whose server `box` is the toolbox.
fn clone() -> TestEnv {
    let env = pml();
    let toolbox = toolbox_script();
    let servers = json!({ "box": { "command": "python3", "args": [toolbox] } });
    let settings = json!({ "permissions": { "allow": ["*"] }, "servers": servers });
    env.write(".pml.json", settings.to_string());
    env
}

fn trust(env: &TestEnv, folder: &str) {
    let mut command = command(env, &["trust", "--yes"]);
    let output = command.current_dir(env.path().join(folder)).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Changes `.pml.json`.
fn change(env: &TestEnv, change: impl FnOnce(&mut Value)) {
    let text = fs::read_to_string(env.path().join(".pml.json")).expect("settings");
    let mut settings: Value = json::from_str(&text).expect("JSON");
    change(&mut settings);
    env.write(".pml.json", settings.to_string());
}

#[test]
fn trust_is_for_the_files_as_they_were() {
    let env = clone();
    trust(&env, ".");
    let mut client = client(&env, &["stdio"]);
    assert_eq!(client.execute(COUNT)["result"], 1);
    change(&env, |settings| {
        settings["servers"]["evil"] = settings["servers"]["box"].clone();
    });
    for server in ["box", "evil"] {
        let refused = client.execute(&format!("return (await mcp.{server}.count()).n"));
        assert_eq!(refused["approval_type"], "trust", "{refused}");
        let reason = refused["asks"][0]["reason"].as_str().expect("a text");
        assert!(reason.contains("`.pml.json`"), "{reason}");
    }
    trust(&env, ".");
    assert_eq!(client.execute("return (await mcp.evil.count()).n")["result"], 1);
}

#[test]
fn servers_go_on_where_nothing_of_them_has_changed() {
    let env = toolbox_project(pml(), &json!({ "allow": ["box:*"] }));
    let mut client = client(&env, &["stdio"]);
    assert_eq!(client.execute(COUNT)["result"], 1);
    env.write("other/.git/HEAD", "");
    env.write("other/.pml.json", "{}");
    trust(&env, "other");
    assert_eq!(client.execute(COUNT)["result"], 2, "another project was trusted");
    let text = fs::read_to_string(env.path().join(".pml.json")).expect("settings");
    env.write(".pml.json", format!("// mine\n{text}"));
    trust(&env, ".");
    assert_eq!(client.execute(COUNT)["result"], 3, "a comment was written");
    env.write(".pml.json", text);
    change(&env, |settings| settings["permissions"]["deny"] = json!(["box:echo"]));
    trust(&env, ".");
    assert_eq!(client.execute(COUNT)["result"], 4, "another tool was denied");
    let denied = client.execute("return await mcp.box.echo({ text: 'x' })");
    assert_eq!(denied["error"]["code"], "TOOL_DENIED", "{denied}");
    change(&env, |settings| settings["servers"]["box"]["env"] = json!({ "NEW": "1" }));
    trust(&env, ".");
    assert_eq!(client.execute(COUNT)["result"], 1, "it is another server now");
}

#[test]
fn what_is_allowed_for_good_counts_for_the_next_program_and_the_servers_go_on() {
    let env = toolbox_project(pml(), &json!({ "ask": ["*", "box:count"] }));
    let mut client = client(&env, &["stdio"]);
    let asked = client.execute(COUNT);
    assert_eq!(asked["status"], "approval_required", "{asked}");
    let home = env.path().to_str().expect("Unicode");
    let state = env.state_home().to_str().expect("Unicode");
    let environment: Environment =
        [("HOME", home), ("XDG_STATE_HOME", state)].into_iter().collect();
    let settings = SettingsFile::of(env.path(), &environment).expect("settings");
    let tool = "box:count".parse::<ToolName>().expect("a tool");
    let grant = |origin| settings.grant(&[Grant::new(tool.clone(), origin, Vec::new())]);
    grant(None).expect("it is written");
    assert_eq!(client.execute(COUNT)["result"], 1);
    grant(Some(ToolOrigin::new("another-definition", "another-server"))).expect("it is written");
    let asked = client.execute(COUNT);
    assert_eq!(asked["status"], "approval_required", "it is not that tool: {asked}");
    let reason = "has changed since it was always allowed";
    assert!(asked.to_string().contains(reason), "{asked}");
    grant(None).expect("it is written");
    assert_eq!(client.execute(COUNT)["result"], 2, "it is the same server");
}

#[test]
fn what_was_learnt_of_servers_is_kept_when_others_take_their_place() {
    let env = toolbox_project(pml(), &json!({ "allow": ["box:*"] }));
    let mut client = client(&env, &["stdio"]);
    assert_eq!(client.execute("return await mcp.box.echo({ text: 'x' })")["result"], "x");
    change(&env, |settings| settings["servers"]["box"]["env"] = json!({ "NEW": "1" }));
    trust(&env, ".");
    assert_eq!(client.execute(COUNT)["result"], 1);
    let kept = fs::read_to_string(env.path().join(".pml/observed.json")).unwrap_or_default();
    assert!(kept.contains("box:echo"), "{kept}");
}

#[test]
fn without_a_journal_nothing_is_written_whether_there_is_a_place_for_it_or_not() {
    let env = clone();
    let folder = env.path().join(".pml");
    let code = "return await mcp.box.echo({ text: 'x' })";
    let every_way = || {
        for arguments in [
            &["eval", "await mcp.box.echo({ text: 'x' })", "--no-journal", "--trust", "--yes"][..],
            &["call", "box:echo", "{\"text\":\"x\"}", "--no-journal", "--trust", "--yes"],
        ] {
            let output = command(&env, arguments).output().expect("it runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let mut client = client(&env, &["stdio", "--no-journal"]);
        assert_eq!(client.execute(code)["result"], "x");
        client.close();
        assert_eq!(client.finish().0, 0);
    };
    pml_kit::trust(&env);
    every_way();
    assert!(!folder.exists());
    fs::create_dir(&folder).expect("a folder");
    every_way();
    let written: Vec<_> = fs::read_dir(&folder).expect("a folder").collect();
    assert!(written.is_empty(), "{written:?}");
}

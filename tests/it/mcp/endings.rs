//! How `pml stdio` ends, and what it leaves behind.

use crate::pml;
use pml::json::json;
use pml_kit::{TestEnv, toolbox_client, toolbox_project, wait_until};
use rustix::process::{Pid, Signal, kill_process};

fn allowing() -> TestEnv {
    toolbox_project(pml(), &json!({ "allow": ["box:*"] }))
}

/// The processes that run the toolbox of this project.
fn servers(env: &TestEnv) -> usize {
    let log = env.path().join("calls.log");
    let log = log.to_string_lossy();
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(&*log)).count()
}

fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.cast_signed()).expect("a process");
    kill_process(pid, signal).expect("it is there");
}

/// The state and the number of calls of the newest run.
fn newest(env: &TestEnv) -> (String, u64) {
    let runs = pml_kit::json_of(env, &["runs", "--json", "-n", "1"]);
    (runs[0]["state"].as_str().expect("a state").into(), runs[0]["calls"].as_u64().unwrap_or(0))
}

#[test]
fn when_the_client_is_gone_everything_ends() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    assert_eq!(client.execute("return (await mcp.box.count()).n")["result"], 1);
    assert_eq!(servers(&env), 1);
    client.close();
    let (code, stderr) = client.finish();
    assert_eq!((code, stderr.as_str()), (0, ""));
    wait_until("its server is gone", || servers(&env) == 0);
}

#[test]
fn a_client_that_says_nothing_is_no_error() {
    let env = allowing();
    let mut client = pml_kit::StdioClient::start(&mut env.command(&["stdio"]));
    client.close();
    assert_eq!(client.finish(), (0, String::new()));
}

#[test]
fn a_program_whose_client_is_gone_goes_on_to_its_next_outcome_and_can_be_taken_up() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let code = "let n = 0; await mcp.box.later({ ms: 2000 }); n = (await mcp.box.count()).n; await mcp.box.later({ ms: 60000 }); return n";
    client.begin("tools/call", json!({ "name": "execute", "arguments": { "code": code } }));
    let log = env.path().join("calls.log");
    wait_until("the first call is out", || {
        std::fs::read_to_string(&log).is_ok_and(|it| it == "later\n")
    });
    client.close();
    assert_eq!(client.finish().0, 0);
    // The first outcome is in the journal: whoever takes the run up does not make that call again.
    let (state, _) = newest(&env);
    assert_eq!(state, "interrupted");
    let shown = pml_kit::json_of(&env, &["runs", "show", "last", "--json"]);
    assert_eq!(shown["calls"][0]["tool"], "box:later");
    assert_eq!(shown["calls"][0]["standing"], "ok", "{shown}");
    // Nothing was sent after it, so that nothing is uncertain.
    assert_eq!(shown["calls"].as_array().map(Vec::len), Some(1), "{shown}");
    wait_until("its server is gone", || servers(&env) == 0);
}

#[test]
fn signals_end_it_cleanly_with_their_codes() {
    for (number, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let env = allowing();
        let mut client = toolbox_client(&env);
        assert_eq!(client.execute("return (await mcp.box.count()).n")["result"], 1);
        signal(client.pid(), number);
        let (ended, stderr) = client.finish();
        assert_eq!((ended, stderr.as_str()), (code, ""));
        wait_until("its server is gone", || servers(&env) == 0);
    }
}

#[test]
fn a_kill_takes_the_servers_too() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    assert_eq!(client.execute("return (await mcp.box.count()).n")["result"], 1);
    assert_eq!(servers(&env), 1);
    signal(client.pid(), Signal::KILL);
    assert_eq!(client.finish().0, -1);
    wait_until("its server is gone", || servers(&env) == 0);
}

#[test]
fn a_run_that_ends_takes_its_servers_with_it() {
    let env = allowing();
    let mut run = env.command(&["eval", "(await mcp.box.count()).n"]);
    run.env("PATH", pml_kit::search_path());
    let output = run.output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n");
    wait_until("its server is gone", || servers(&env) == 0);
}

#[test]
fn a_client_that_does_not_read_keeps_it_from_nothing() {
    use std::io::Write;
    let env = allowing();
    let mut child = env.command(&["stdio"]);
    child.env("PATH", pml_kit::search_path()).stdin(std::process::Stdio::piped());
    let mut child = child.spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("piped");
    let mut send = |message: pml::json::Value| writeln!(stdin, "{message}").expect("it reads");
    send(
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": { "name": "deaf", "version": "1" } } }),
    );
    // More than a pipe holds.
    for id in 1..60 {
        send(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {} }));
    }
    let code = "for (let i = 0; i < 3; i++) await mcp.box.later({ ms: 150 }); await mcp.box.count(); await mcp.box.wait()";
    send(
        json!({ "jsonrpc": "2.0", "id": 100, "method": "tools/call", "params": { "name": "execute",
        "arguments": { "code": code }, "_meta": { "progressToken": 1 } } }),
    );
    let log = env.path().join("calls.log");
    wait_until("the program goes on", || {
        std::fs::read_to_string(&log).is_ok_and(|calls| calls.contains("count"))
    });
    signal(child.id(), Signal::TERM);
    assert_eq!(child.wait().expect("it ends").code(), Some(143));
    wait_until("its server is gone", || servers(&env) == 0);
}

#[test]
fn a_server_whose_declaration_changes_ends_when_the_new_one_is_called() {
    let env = allowing();
    let mut client = toolbox_client(&env);
    let code = "return (await mcp.box.count()).n";
    assert_eq!(client.execute(code)["result"], 1);
    let settings = std::fs::read_to_string(env.path().join(".pml.json")).expect("settings");
    env.write(".pml.json", settings.replace("calls.log\"", "calls.log\",\"again\""));
    let trusted = env.run(&["trust", "--yes"]);
    assert_eq!(trusted.code, 0, "{}", trusted.stderr);
    // It counts anew, since it is another one.
    assert_eq!(client.execute(code)["result"], 1);
    wait_until("the old one is gone", || servers(&env) == 1);
}

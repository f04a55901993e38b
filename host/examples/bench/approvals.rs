//! What asking a person costs: from a call to the dialog, from the answer to the result; and
//! packages, installed and started.

use crate::report::{Report, Samples};
use crate::{Effort, Failure, progress};
use pml::json::{Value, json};
use pml_kit::real::registries;
use pml_kit::{StdioClient, TestEnv, project_root};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const PACKAGE: &str = "@modelcontextprotocol/server-filesystem@2026.8.31";
const COUNT: &str = "return (await mcp.box.count()).n";

/// Measures all of it. What needs a package registry is left out where there is none.
pub(crate) fn measure(effort: Effort, report: &mut Report) -> Result<(), Failure> {
    progress("a question, shown and answered");
    let binary = std::env::var_os("PML_BIN").map_or("target/release/pml".into(), PathBuf::from);
    let Ok(binary) = binary.canonicalize() else {
        progress(&format!("no {}: build it, or set `PML_BIN`; skipped", binary.display()));
        return Ok(());
    };
    let binary = binary.as_path();
    dialogs(binary, effort, report)?;
    if Command::new("npm").arg("--version").stdout(Stdio::null()).status().is_ok() {
        progress("a package, installed and started");
        packages(binary, effort, report)?;
    }
    Ok(())
}

/// A project whose server is the toolbox, a fake that answers at once.
fn project(binary: &Path, servers: &Value, permissions: &Value) -> TestEnv {
    let env = TestEnv::new(binary);
    let settings = json!({ "permissions": permissions, "servers": servers });
    env.write(".pml.json", settings.to_string());
    assert!(command(&env, &["trust", "--yes"]).status().is_ok_and(|status| status.success()));
    env
}

fn command(env: &TestEnv, arguments: &[&str]) -> Command {
    let mut command = env.command(arguments);
    registries(&mut command);
    command
}

fn dialogs(binary: &Path, effort: Effort, report: &mut Report) -> Result<(), Failure> {
    let toolbox = project_root().join("tests/kit/fakes/toolbox.py");
    let servers = json!({ "box": { "command": "python3", "args": [toolbox] } });
    let client = |permissions: Value| {
        let env = project(binary, &servers, &permissions);
        let mut client = StdioClient::start(&mut command(&env, &["stdio"]));
        client.initialize_with("bench", json!({ "elicitation": {} }));
        (env, client)
    };
    let (_asks, mut asking) = client(json!({ "ask": ["*"] }));
    let (_goes, mut allowed) = client(json!({ "allow": ["*"] }));
    let call = json!({ "name": "execute", "arguments": { "code": COUNT } });
    let (mut shown, mut gone_on, mut plain) =
        (Samples::default(), Samples::default(), Samples::default());
    for round in 0..effort.pick(300, 5) + 1 {
        let began = Instant::now();
        let id = asking.begin("tools/call", call.clone());
        let dialog = asking.asked("elicitation/create");
        let seen = Instant::now();
        asking.reply(&dialog, json!({ "action": "accept", "content": {} }));
        asking.answer(id);
        let over = Instant::now();
        let id = allowed.begin("tools/call", call.clone());
        allowed.answer(id);
        // The first round starts the servers.
        if round > 0 {
            shown.push((seen - began).as_secs_f64() * 1e3);
            gone_on.push((over - seen).as_secs_f64() * 1e3);
            plain.push(over.elapsed().as_secs_f64() * 1e3);
        }
    }
    report.alone("a program that asks, from its call to the client's dialog", "ms", shown);
    report.alone("from the answer to its result, one call of a server between", "ms", gone_on);
    report.alone("the same program, allowed: from its call to its result", "ms", plain);
    Ok(())
}

fn packages(binary: &Path, effort: Effort, report: &mut Report) -> Result<(), Failure> {
    let (mut ours, mut theirs) = (Samples::default(), Samples::default());
    let folder = std::env::temp_dir();
    let servers = json!({ "fs": { "command": "npx", "args": ["-y", PACKAGE, folder] } });
    let mut entry = PathBuf::new();
    let mut kept = Vec::new();
    // The first round fills npm's cache.
    for round in 0..effort.pick(5, 1) + 1 {
        let env = project(binary, &servers, &json!({ "ask": ["*"] }));
        let began = Instant::now();
        let installed = command(&env, &["install", "--yes"]).output()?;
        let took = began.elapsed().as_secs_f64() * 1e3;
        if !installed.status.success() {
            return Err(String::from_utf8_lossy(&installed.stderr).into_owned().into());
        }
        let plain = env.path().join("plain");
        std::fs::create_dir(&plain)?;
        std::fs::write(plain.join("package.json"), "{}")?;
        let began = Instant::now();
        let mut npm = Command::new("npm");
        registries(&mut npm).args([
            "install",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--prefer-offline",
        ]);
        let done = npm.arg(PACKAGE).current_dir(&plain).output()?;
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        if round > 0 {
            ours.push(took);
            theirs.push(began.elapsed().as_secs_f64() * 1e3);
        }
        entry = plain.join("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
        kept.push(env);
    }
    report.beside("install server-filesystem, warm npm cache", "ms", ours, "npm install", theirs);
    let (mut direct, mut runner) = (Samples::default(), Samples::default());
    for _ in 0..effort.pick(7, 1) {
        let mut node = Command::new("node");
        direct.push(started(registries(&mut node).arg(&entry).arg(&folder)));
        let mut npx = Command::new("npx");
        runner.push(started(registries(&mut npx).args(["-y", PACKAGE]).arg(&folder)));
    }
    report.beside("start it, to its first answer", "ms", direct, "npx", runner);
    Ok(())
}

/// How long a server takes to its first answer.
fn started(command: &mut Command) -> f64 {
    let began = Instant::now();
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    StdioClient::start(command).initialize();
    began.elapsed().as_secs_f64() * 1e3
}

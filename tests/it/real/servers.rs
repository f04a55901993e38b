//! MCP servers as their authors publish them, alone and behind `pml stdio`.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::real::{self, Launch, Permissions, RealProject, execute_call, left_out};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Child, Command};
use tempfile::TempDir;

/// The revision that a server answers with when it is asked for the newest one that begins with a
/// handshake.
fn answers_with(launch: &Launch) -> String {
    let folder = TempDir::new().expect("a folder");
    let mut child = launch.command(folder.path()).spawn().expect("it starts");
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    });
    let mut stdin = child.stdin.take().expect("piped");
    writeln!(stdin, "{hello}").expect("it reads");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("UTF-8");
    drop(stdin);
    child.wait().expect("it ends when its input does");
    let answer: Value = json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
    answer["result"]["protocolVersion"].as_str().unwrap_or_else(|| panic!("{answer}")).into()
}

#[test]
fn published_servers_start_with_an_empty_environment_and_speak_what_they_are_known_to() {
    if left_out() {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    for launch in [
        real::everything(),
        real::filesystem(folder.path()),
        real::memory(&folder.path().join("memory.jsonl")),
        real::sequential_thinking(),
        real::time(),
    ] {
        assert_eq!(answers_with(&launch), "2025-11-25", "{launch:?}");
    }
    assert_eq!(answers_with(&real::commands()), "2024-11-05");
}

/// One of each kind.
fn all(permissions: &Permissions) -> RealProject {
    let project = RealProject::new(pml(), permissions, |env| {
        let files = env.path().join("files");
        [
            ("everything", real::everything()),
            ("files", real::filesystem(&files)),
            ("memory", real::memory(&env.path().join("memory.jsonl"))),
            ("thinking", real::sequential_thinking()),
            ("commands", real::commands()),
            ("git", real::git(&files)),
            ("time", real::time()),
        ]
    });
    let mut git = Command::new("git");
    git.args(["init", "--quiet"]).arg(project.env.path().join("files"));
    assert!(git.status().expect("git").success());
    project
}

#[test]
fn one_program_calls_published_servers_of_every_era() {
    if left_out() {
        return;
    }
    let project = all(&Permissions::AllowAll);
    let path = project.env.path().join("files/note.txt");
    let [answer] = project.execute([&format!(
        "const path = {path:?}
        const [sum, note, graph, thought, said, status, time] = await Promise.all([
            mcp.everything.getSum({{ a: 2, b: 3 }}),
            mcp.files.writeFile({{ path, content: 'hello' }}).then(() => mcp.files.readTextFile({{ path }})),
            mcp.memory.createEntities({{ entities: [{{ name: 'pml', entityType: 'tool', observations: ['runs'] }}] }}),
            mcp.thinking.sequentialthinking({{ thought: 'so', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }}),
            mcp.commands.run_command({{ command: 'echo from a command' }}),
            mcp.git.git_status({{ repo_path: {repository:?} }}),
            mcp.time.convert_time({{ source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' }}),
        ])
        return {{ sum, note: note.content, entity: graph.entities[0].name, thoughts: thought.thoughtNumber, said, status,
            difference: time.time_difference }}",
        repository = project.env.path().join("files"),
    )]);
    assert_eq!(answer["status"], "success", "{answer}");
    let result = &answer["result"];
    assert_eq!(result["sum"], "The sum of 2 and 3 is 5.");
    assert_eq!(result["note"], "hello");
    assert_eq!(result["entity"], "pml");
    assert_eq!(result["thoughts"], 1);
    assert!(result["said"].to_string().contains("from a command"), "{result}");
    assert!(result["status"].as_str().expect("a text").contains("No commits yet"), "{result}");
    assert_eq!(result["difference"], "+9.0h");
    assert_eq!(answer["calls"], 8);
    assert_eq!(std::fs::read_to_string(path).expect("the file"), "hello");
}

#[test]
fn what_a_server_refuses_or_would_misread_is_an_error_that_the_program_can_catch() {
    if left_out() {
        return;
    }
    let project = all(&Permissions::AllowAll);
    let [refused, misread, unknown] = project.execute([
        "try { await mcp.files.readTextFile({ path: '/etc/passwd' }) } catch (error) { return error.message }",
        "try { await mcp.files.readTextFile({ path: 5 }) } catch (error) { return error.message }",
        "try { await mcp.files.readTextFil({ path: 'x' }) } catch (error) { return error.message }",
    ]);
    let says =
        |answer: &Value, what| answer["result"].as_str().is_some_and(|text| text.contains(what));
    assert!(says(&refused, "outside allowed directories"), "{refused}");
    assert!(says(&misread, "path"), "{misread}");
    assert!(says(&unknown, "read_text_file"), "{unknown}");
}

#[test]
fn an_image_that_a_server_gave_is_handed_on_as_an_image() {
    if left_out() {
        return;
    }
    let project =
        RealProject::new(pml(), &Permissions::AllowAll, |_| [("everything", real::everything())]);
    let code = "return mcp.everything.getTinyImage()";
    let told = project.drive("auto", json!([execute_call(code)]));
    let blocks = told["answers"][0]["content"].as_array().expect("blocks");
    let image = blocks.iter().find(|block| block["type"] == "image");
    assert_eq!(image.expect("an image")["mimeType"], "image/png", "{told}");
}

#[test]
fn a_server_sees_nothing_of_the_clients_environment() {
    if left_out() {
        return;
    }
    let mut project =
        RealProject::new(pml(), &Permissions::AllowAll, |_| [("everything", real::everything())]);
    project.variables = vec![("ANTHROPIC_API_KEY", "sk-ant-of-the-client")];
    let [answer] = project.execute(["return mcp.everything.getEnv()"]);
    assert_eq!(answer["status"], "success", "{answer}");
    assert!(answer["result"]["PATH"].is_string(), "it tells its environment: {answer}");
    assert!(!answer.to_string().contains("sk-ant"), "{answer}");
}

#[test]
fn a_file_is_written_when_a_person_approved_it_and_not_before() {
    if left_out() {
        return;
    }
    let project = all(&Permissions::AskAll);
    let path = project.env.path().join("files/asked.txt");
    let code = format!("return mcp.files.writeFile({{ path: {path:?}, content: 'yes' }})");
    let [asked] = project.execute([&code]);
    assert_eq!(asked["status"], "approval_required", "{asked}");
    assert_eq!(asked["context"]["tool"], "files:write_file", "{asked}");
    assert!(!path.exists());

    let answer = json!({ "workflow_id": asked["workflow_id"], "approved": true });
    let go_on = json!({ "tool": "execute", "arguments": { "continue_workflow": answer } });
    let told = project.drive("legacy", json!([go_on]));
    assert_eq!(told["answers"][0]["structuredContent"]["status"], "success", "{told}");
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), "yes");
}

#[test]
fn a_file_is_not_written_when_a_person_declined() {
    if left_out() {
        return;
    }
    let project = all(&Permissions::AskAll);
    let path = project.env.path().join("files/asked.txt");
    let code = format!("return mcp.files.writeFile({{ path: {path:?}, content: 'yes' }})");
    let [asked] = project.execute([&code]);
    let answer = json!({ "workflow_id": asked["workflow_id"], "approved": false });
    let go_on = json!({ "tool": "execute", "arguments": { "continue_workflow": answer } });
    let told = project.drive("auto", json!([go_on]));
    assert_eq!(told["answers"][0]["structuredContent"]["status"], "aborted", "{told}");
    assert!(!path.exists());
}

#[test]
fn in_a_project_that_is_not_trusted_no_server_is_started() {
    if left_out() {
        return;
    }
    let project = all(&Permissions::AllowAll).untrusted();
    let path = project.env.path().join("files/clone.txt");
    let code = format!("return mcp.files.writeFile({{ path: {path:?}, content: 'yes' }})");
    let [answer] = project.execute([&code]);
    assert_ne!(answer["status"], "success", "{answer}");
    assert!(answer.to_string().contains("trust"), "{answer}");
    assert!(!path.exists());
}

/// The published server with some of everything, at a port of its own, until it is dropped.
struct OverHttp(Child, String);

impl OverHttp {
    fn start() -> OverHttp {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("a port").port();
        drop(free);
        let folder = TempDir::new().expect("a folder");
        let mut command = real::everything_over_http(port).command(folder.path());
        let mut child = command.spawn().expect("it starts");
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let listens = |line: &Result<String, _>| {
            line.as_ref().is_ok_and(|line| line.contains(&port.to_string()))
        };
        assert!({ lines }.any(|line| listens(&line)), "it says that it listens");
        OverHttp(child, format!("http://127.0.0.1:{port}/mcp"))
    }
}

impl Drop for OverHttp {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_published_server_is_called_over_http() {
    if left_out() {
        return;
    }
    let server = OverHttp::start();
    let project = RealProject::new(pml(), &Permissions::AllowAll, |_| []);
    let entry = json!({ "type": "http", "url": server.1 });
    let settings = json!({ "mcpServers": { "remote": entry } });
    project.env.write(".mcp.json", settings.to_string());
    pml_kit::trust(&project.env);
    let [answer] = project.execute([
        "const parts = await Promise.all([1, 2, 3].map(a => mcp.remote.getSum({ a, b: 1 })))\nreturn parts.length",
    ]);
    assert_eq!((&answer["status"], &answer["result"]), (&"success".into(), &3.into()), "{answer}");
}

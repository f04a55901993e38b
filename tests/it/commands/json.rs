//! `--json` means JSON: whatever happens, stdout is one JSON document in one line.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::scripts::CONFIRM;
use pml_kit::{
    Output, TestEnv, failing_server, json_of, run_with_path, search_path, toolbox_server,
    trusted_project, untrusted_project,
};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

/// Returns the one document on stdout.
fn document(output: &Output, what: &str) -> Value {
    let line = output.stdout.strip_suffix('\n').unwrap_or_else(|| panic!("{what}: {output:?}"));
    assert!(!line.contains('\n'), "{what}: one line: {}", output.stdout);
    json::from_str(line).unwrap_or_else(|error| panic!("{what}: {error}: {line}"))
}

/// Asserts that a command fails with this exit code and this error code, and says so on both
/// streams. Returns the document.
#[track_caller]
fn fails(output: &Output, exit: i32, code: &str, what: &str) -> Value {
    let document = document(output, what);
    assert_eq!(output.code, exit, "{what}: {output:?}");
    assert_eq!(document["error"]["code"], code, "{what}: {document}");
    let message = document["error"]["message"].as_str().unwrap_or_default();
    assert!(!message.is_empty(), "{what}: {document}");
    assert!(document["error"]["type"].is_string(), "{what}: {document}");
    assert!(!output.stderr.is_empty(), "{what}: people read it too");
    document
}

/// Returns the arguments with `--json` before those of another program.
fn with_json<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let own = arguments.iter().position(|word| *word == "--").unwrap_or(arguments.len());
    [&arguments[..own], &["--json"], &arguments[own..]].concat()
}

#[test]
fn every_command_that_fails_prints_one_document_with_the_error() {
    let cases: &[(&[&str], i32, &str)] = &[
        (&["run", "nothing.ts"], 1, "SOURCE_READ"),
        (&["run", "."], 1, "SOURCE_READ"),
        (&["run", "bad.ts"], 1, "SYNTAX"),
        (&["run", "throws.ts"], 1, "THREW"),
        (&["run"], 2, "USAGE"),
        (&["run", "--bad"], 2, "USAGE"),
        (&["rnu", "x.ts"], 2, "USAGE"),
        (&["eval"], 2, "USAGE"),
        (&["eval", "1", "--memory", "64"], 2, "USAGE"),
        (&["runs", "--json=true"], 2, "USAGE"),
        (&["eval", "1", "--timeout", "-1s"], 2, "USAGE"),
        (&["eval", "1", "--inputs", "{n:1}"], 2, "USAGE"),
        (&["eval", "1", "--inputs", "@nothing.json"], 1, "IO"),
        (&["eval", "1", "--inputs", "@bad.json"], 1, "COMMAND_FAILED"),
        (&["eval", "1", "--workspace", "nowhere"], 2, "USAGE"),
        (&["eval", "while (true) {}", "--cpu-time", "20ms"], 1, "CPU_TIME"),
        (&["eval", "return 10n"], 1, "RESULT_NOT_JSON"),
        (&["run", "--resume", "last"], 1, "RUN_UNKNOWN"),
        (&["run", "--resume", "xyz", "--inputs", "{}"], 2, "USAGE"),
        (&["call", "files"], 2, "USAGE"),
        (&["call", "files:read"], 1, "TOOL_UNKNOWN"),
        (&["call", "pml:sleep", "[1]"], 2, "USAGE"),
        (&["call", "pml:sleep", "@nothing.json"], 1, "IO"),
        (&["check", "nothing.ts"], 1, "COMMAND_FAILED"),
        (&["check", "bad.ts"], 1, "COMMAND_FAILED"),
        (&["runs", "show", "zz"], 1, "RUN_UNKNOWN"),
        (&["--state-dir", "/proc/x", "eval", "1"], 1, "IO"),
        (&["tools", "nothing"], 1, "TOOL_UNKNOWN"),
        (&["servers", "nothing"], 1, "SERVER_UNKNOWN"),
        (&["install", "nothing"], 1, "SERVER_UNKNOWN"),
        (&["types", "--out", "nowhere/types.d.ts"], 1, "IO"),
        (&["trust"], 1, "COMMAND_FAILED"),
        (&["add", "bad name", "--yes", "--", "x"], 2, "CONFIG"),
        (&["add", "files", "--yes"], 2, "USAGE"),
        (&["add", "files", "--", "x"], 2, "PERSON_REQUIRED"),
        (&["remove", "nothing"], 2, "CONFIG"),
        (&["import", "nothing"], 2, "USAGE"),
        (&["init"], 2, "PERSON_REQUIRED"),
        (&["runs", "show", "last"], 1, "RUN_UNKNOWN"),
        (&["runs", "-n", "0"], 2, "USAGE"),
        (&["runs", "prune", "--older-than", "soon"], 2, "USAGE"),
        (&["runs", "adopt", "nowhere", "--yes"], 1, "COMMAND_FAILED"),
        (&["replay", "last"], 1, "RUN_UNKNOWN"),
        (&["approve", "last", "--yes"], 1, "WORKFLOW_UNKNOWN"),
        (&["approve"], 2, "USAGE"),
        (&["audit", "--run", "last"], 1, "RUN_UNKNOWN"),
        (&["audit", "--since", "then"], 2, "USAGE"),
        (&["doctor", "--fix"], 2, "USAGE"),
        (&["version", "x"], 2, "USAGE"),
        (&["completions", "csh"], 2, "USAGE"),
        (&["stdio"], 2, "USAGE"),
    ];
    for (arguments, exit, code) in cases {
        let env = pml();
        env.write("package.json", "{}");
        env.write("bad.ts", "const = 1");
        env.write("bad.json", "{");
        env.write("throws.ts", "throw new TypeError('no')");
        let output = match arguments.iter().any(|word| word.starts_with("--json")) {
            true => env.run(arguments),
            false => env.run(&with_json(arguments)),
        };
        fails(&output, *exit, code, &arguments.join(" "));
    }
}

/// Returns the fields that are null, anywhere in a document.
fn null_fields(value: &Value, path: &str) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let inner = fields.iter().flat_map(|(name, value)| {
                let path = format!("{path}.{name}");
                if value.is_null() { vec![path] } else { null_fields(value, &path) }
            });
            inner.collect()
        }
        Value::Array(items) => items.iter().flat_map(|item| null_fields(item, path)).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_field_that_has_nothing_to_say_is_left_out() {
    let env = trusted_project(
        pml(),
        &json!({ "permissions": { "allow": ["box:*"] }, "servers": { "box": toolbox_server() } }),
    );
    let program = "try { await mcp.box.sorry({}) } catch {}\n\
                   await mcp.box.echo({ text: 'x' })\nawait mcp.pml.confirm({ message: 'go on?' })";
    let run = ["eval", program, "--approval-timeout", "never", "--json"];
    let waiting = run_with_path(&env, &run);
    assert_eq!(waiting.code, 4, "{waiting:?}");
    assert_eq!(null_fields(&document_of(&waiting), "waiting"), [""; 0]);
    for arguments in [
        &["runs"][..],
        &["runs", "show", "last"],
        &["approvals"],
        &["approve", "last", "--yes", "--no-run"],
        &["approve", "last", "--yes", "--no-run"],
        &["servers"],
        &["tools"],
        &["trust", "--show"],
        &["doctor"],
        &["import"],
        &["types"],
        &["check", "main.ts"],
        &["install"],
        &["runs", "show", "last"],
    ] {
        env.write("main.ts", "await mcp.box.nothing({})");
        let found = document(&run_with_path(&env, &with_json(arguments)), &arguments.join(" "));
        assert_eq!(null_fields(&found, &arguments.join(" ")), [""; 0], "{found}");
    }
}

#[test]
fn a_null_that_is_a_value_is_kept() {
    let env = trusted_project(
        pml(),
        &json!({ "permissions": { "allow": ["box:*"] }, "servers": { "box": toolbox_server() } }),
    );
    let program = "await mcp.box.echo({ text: 'x', more: null }).catch(() => null); return null";
    assert_eq!(run_with_path(&env, &["eval", program, "--json"]).stdout, "null\n");
    let shown = json_of(&env, &["runs", "show", "last", "--json"]);
    assert_eq!(shown["calls"][0]["arguments"], json!({ "text": "x", "more": null }), "{shown}");
}

#[test]
fn settings_that_are_wrong_are_an_error_of_every_command_that_reads_them() {
    for arguments in [
        &["run", "main.ts"][..],
        &["eval", "1"],
        &["call", "a:b"],
        &["check", "main.ts"],
        &["tools"],
        &["servers"],
        &["install"],
        &["types"],
        &["trust"],
        &["trust", "--show"],
        &["import", "--dry-run"],
        &["add", "x", "--yes", "--", "y"],
        &["remove", "x"],
    ] {
        let env = pml();
        env.write(".pml.json", "{ \"version\": \"0.1.0\", \"permisions\": {} }");
        env.write("main.ts", "1");
        let output = env.run(&with_json(arguments));
        fails(&output, 2, "CONFIG", &arguments.join(" "));
    }
}

#[test]
fn an_error_has_the_fields_that_mcp_clients_get() {
    let env = pml();
    env.write("main.ts", "const order: any = undefined\nreturn order.total");
    let output = env.run(&["run", "main.ts", "--json"]);
    let document = fails(&output, 1, "THREW", "a program that throws");
    assert_eq!(document["status"], "error");
    assert!(document["run_id"].is_string(), "{document}");
    let error = &document["error"];
    assert_eq!(error["type"], "TypeError");
    assert_eq!(
        (&error["position"]["line"], &error["position"]["module"]),
        (&json!(2), &json!("main.ts"))
    );
    assert!(error["code_frame"].as_str().is_some_and(|frame| frame.contains("order.total")));
    assert!(error.get("hint").is_none(), "absent, not null: {error}");
    let shown = json_of(&env, &["runs", "show", "last", "--json"]);
    assert_eq!(shown["ending"]["failed"], *error, "the journal says the same");
    let slow = env.run(&["eval", "while (true) {}", "--cpu-time", "20ms", "--json"]);
    let hint = &document_of(&slow)["error"]["hint"];
    assert!(hint.as_str().is_some_and(|hint| hint.contains("--cpu-time")), "{hint}");
}

fn document_of(output: &Output) -> Value {
    document(output, "a document")
}

#[test]
fn failed_calls_are_listed_also_if_the_program_caught_them() {
    let env = trusted_project(
        pml(),
        &json!({ "permissions": { "allow": ["*"] }, "servers": { "box": toolbox_server() } }),
    );
    let program = "try { await mcp.box.sorry({}) } catch {}\nthrow new Error('after')";
    let output = run_with_path(&env, &["eval", program, "--json"]);
    let document = fails(&output, 1, "THREW", "a caught failure");
    assert_eq!(document["tool_failures"][0]["tool"], "box:sorry", "{document}");
    assert_eq!(document["tool_failures"][0]["code"], "TOOL_FAILED", "{document}");
    assert_eq!(document["tool_failures"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_run_that_waits_or_was_ended_says_so_in_its_status() {
    let env = pml();
    env.write("main.ts", CONFIRM);
    let waiting = env.run(&["run", "main.ts", "--json"]);
    let told = document_of(&waiting);
    assert_eq!((waiting.code, &told["status"]), (4, &json!("approval_required")));
    assert_eq!(told["waiting"], json_of(&env, &["approvals", "--json"]));
    assert_eq!(told["waiting"][0]["run_id"], told["run_id"]);
    let agent = env.command(&["approve", "last", "--yes", "--json"]).env("CLAUDECODE", "1").spawn();
    let refused = env.finish(agent.expect("the binary starts"));
    fails(&refused, 1, "AGENT_REFUSED", "an agent approves");
    let alone = env.run(&["approve", "last", "--json"]);
    fails(&alone, 1, "PERSON_REQUIRED", "nobody to ask");
    let ended = env.run(&["approve", "last", "--replan", "--yes", "--json"]);
    let document = fails(&ended, 1, "ABORTED", "a better program is wanted");
    assert_eq!((&document["status"], &document["replan"]), (&json!("aborted"), &json!(true)));
    assert_eq!(document["completed"], json!([]));
}

#[test]
fn commands_of_a_person_are_refused_to_an_agent_in_json_too() {
    let settings = json!({ "version": "0.1.0", "servers": { "a": { "command": "x" } } });
    for arguments in [
        &["trust", "--yes"][..],
        &["init", "--yes"],
        &["add", "b", "--yes", "--", "x"],
        &["import", "--yes"],
        &["install", "--yes"],
        &["eval", "1", "--allow", "a:*"],
        &["call", "a:b", "--allow", "*"],
        &["eval", "1", "--trust", "--yes"],
        &["approvals", "--reveal"],
        &["audit", "--accept", "--yes"],
        &["runs", "adopt", "old", "--yes"],
    ] {
        let env = untrusted_project(pml(), &settings);
        let mut command = env.command(&with_json(arguments));
        let output = env.finish(command.env("CLAUDECODE", "1").spawn().expect("it starts"));
        fails(&output, 1, "AGENT_REFUSED", &arguments.join(" "));
    }
}

#[test]
fn what_was_found_stands_beside_the_error() {
    let env = trusted_project(
        pml(),
        &json!({ "servers": { "box": toolbox_server(), "bad": failing_server() } }),
    );
    let servers = run_with_path(&env, &["servers", "--start", "--json"]);
    let document = fails(&servers, 1, "SERVER_FAILED", "servers");
    assert_eq!(document["servers"].as_array().map(Vec::len), Some(2), "{document}");
    let doctor = run_with_path(&env, &["doctor", "--start", "--json"]);
    let document = fails(&doctor, 1, "COMMAND_FAILED", "doctor");
    assert_eq!(document["ok"], false);
    assert!(document["checks"].as_array().is_some_and(|checks| !checks.is_empty()), "{document}");
}

#[test]
fn commands_that_change_something_say_what_in_one_document() {
    let env = pml();
    let init = json_of(&env, &["init", "-y", "--no-import", "--json"]);
    assert_eq!(init["written"], json!([".pml.json", ".pml/", ".gitignore"]));
    assert_eq!(json_of(&env, &["init", "-y", "--no-import", "--json"])["written"], json!([]));
    let added = json_of(&env, &["add", "a", "-y", "--json", "--", "x", "--json"]);
    assert_eq!(added, json!({ "added": "a", "trusted": true }));
    assert_eq!(json_of(&env, &["remove", "a", "--json"]), json!({ "removed": "a" }));
    assert_eq!(json_of(&env, &["runs", "adopt", "--json"]), json!({ "journals": [] }));
    assert_eq!(json_of(&env, &["install", "--json"]), json!({ "installed": [] }));
    let audit = json_of(&env, &["audit", "--json"]);
    assert_eq!((&audit["verified"], &audit["count"]), (&json!(true), &json!(3)), "{audit}");
    assert_eq!(audit["entries"].as_array().map(Vec::len), Some(3));
    let types = json_of(&env, &["types", "--out", "-", "--json"]);
    assert!(types["declarations"].as_str().is_some_and(|text| text.contains("mcp")), "{types}");
    assert!(json_of(&env, &["version", "--json"])["pml"].is_string());
}

#[test]
fn texts_are_in_json_as_they_are() {
    let env = pml();
    env.write("main.ts", "await mcp.call('pml:a\\u202eb', {})");
    let output = env.run(&["check", "main.ts", "--json"]);
    let document = fails(&output, 1, "COMMAND_FAILED", "a name with a hidden character");
    let message = document["findings"][0]["message"].as_str().unwrap_or_default();
    assert!(message.contains('\u{202e}') && !message.contains("\\u{"), "{document}");
    assert!(!output.stderr.contains('\u{202e}'), "people see it escaped: {}", output.stderr);
}

#[test]
fn a_state_folder_that_cannot_be_written_is_an_error_in_json() {
    let env = pml();
    let closed = env.path().join("closed");
    fs::create_dir(&closed).expect("a folder");
    fs::write(closed.join("pml"), "a file where a folder should be").expect("a file");
    for arguments in [&["eval", "1", "--json"][..], &["runs", "--json"], &["approvals", "--json"]] {
        let mut command = env.command(arguments);
        let output = env.finish(command.env("XDG_STATE_HOME", &closed).spawn().expect("it starts"));
        let document = document(&output, &arguments.join(" "));
        assert_ne!(output.code, 0, "{output:?}");
        assert!(document["error"]["message"].is_string(), "{document}");
    }
}

#[test]
fn a_broken_journal_is_an_error_in_json() {
    let env = pml();
    assert_eq!(env.run(&["eval", "1"]).code, 0);
    for beside in ["state.db-wal", "state.db-shm"] {
        // They are gone if nobody has the journal open.
        let _ = fs::remove_file(env.journal().join(beside));
    }
    fs::write(env.journal().join("state.db"), vec![b'x'; 8192]).expect("written");
    for arguments in [
        &["eval", "1"][..],
        &["runs"],
        &["runs", "show", "last"],
        &["approvals"],
        &["approve", "last", "--yes"],
        &["audit"],
        &["replay", "last"],
    ] {
        let output = env.run(&with_json(arguments));
        fails(&output, 1, "JOURNAL", &arguments.join(" "));
    }
}

/// The size of a file is limited, as on a disk that is full.
#[test]
fn a_full_disk_is_an_error_in_json() {
    let env = pml();
    let line = format!(
        "ulimit -f 8; trap '' XFSZ; exec '{}' eval 'return inputs.text.length' --inputs @in.json --json",
        env.binary().display()
    );
    env.write("in.json", json!({ "text": "x".repeat(200_000) }).to_string());
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &line]).current_dir(env.path()).env_clear().env("PATH", search_path());
    command.env("HOME", env.path()).env("XDG_STATE_HOME", env.state_home());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = env.finish(command.spawn().expect("it starts"));
    let document = fails(&output, 1, "JOURNAL", "a full disk");
    let message = document["error"]["message"].as_str().unwrap_or_default();
    assert!(!message.contains("savepoint"), "it names the disk: {message}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_told_on_stderr() {
    let env = pml();
    for arguments in [&["eval", "1", "--json"][..], &["version"], &["runs", "--json"], &["help"]] {
        let full = fs::File::options().write(true).open("/dev/full").expect("a full device");
        let child = env.command(arguments).stdout(full).spawn().expect("it starts");
        let output = env.finish(child);
        assert_eq!(output.code, 1, "{output:?}");
        assert!(output.stderr.starts_with("error: cannot write to stdout: "), "{output:?}");
    }
}

#[test]
fn a_read_only_project_is_an_error_in_json() {
    let env = pml();
    env.write("sub/.pml.json", "{ \"version\": \"0.1.0\" }");
    let folder = env.path().join("sub");
    let mode = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).expect("set");
    mode(0o500);
    // Root may write everywhere.
    let is_root = fs::write(folder.join("probe"), "").is_ok();
    let mut command = env.command(&["add", "a", "--yes", "--json", "--", "x"]);
    let child = command.current_dir(&folder).spawn().expect("it starts");
    let output = env.finish(child);
    mode(0o700);
    let document = document_of(&output);
    match is_root {
        true => assert_eq!(document["added"], "a"),
        false => assert!(document["error"]["message"].is_string(), "{document}"),
    }
}

#[test]
fn a_watched_program_has_a_document_for_each_run() {
    use std::io::{BufRead, BufReader};
    let env = pml();
    env.write("package.json", "{}");
    env.write("main.ts", "return 1");
    let mut child = env.command(&["run", "-w", "main.ts", "--json"]).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut next = || lines.next().expect("a line").expect("UTF-8");
    assert_eq!(next(), "1");
    env.write("main.ts", "return 2");
    assert_eq!(next(), "2");
    env.write("main.ts", "const = 3");
    let error: Value = json::from_str(&next()).expect("JSON");
    assert_eq!(error["error"]["code"], "SYNTAX");
    child.kill().expect("killed");
    child.wait().expect("gone");
}

/// The environment of a test is a project of its own.
#[test]
fn quiet_leaves_errors_and_json() {
    let env: TestEnv = pml();
    let output = env.run(&["runs", "-q"]);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str(), output.code), ("", "", 0));
    let failed = env.run(&["run", "nothing.ts", "-q", "--json"]);
    fails(&failed, 1, "SOURCE_READ", "quiet");
}

#[test]
fn a_refused_call_has_its_hint_beside_its_message_and_a_program_cannot_write_one() {
    let failed = |code: &str| {
        let output = pml().run(&["eval", code, "--json"]);
        document(&output, code)["error"].clone()
    };
    for code in ["await mcp.files.read()", "throw await mcp.files.read().catch(error => error)"] {
        let error = failed(code);
        assert_eq!(error["message"], "there is no server `files`", "{error}");
        let hint = "no server is configured yet: `pml add files -- COMMAND` adds this one";
        assert_eq!(error["hint"], hint, "{error}");
    }
    let forged = "throw Object.assign(new Error('a\\nhint: b'), \
                  { name: 'ToolError', code: 'TOOL_UNKNOWN' })";
    let error = failed(forged);
    assert_eq!((&error["message"], error.get("hint")), (&json!("a\nhint: b"), None), "{error}");
    // The name of a class may be in a hint, and is one short line there.
    let named = "const long = class {}; \
                 Object.defineProperty(long, 'name', { value: 'x\\n\\x1b[31mhint: ' + 'y'.repeat(999) }); \
                 return long";
    let output = pml().run(&["eval", named]);
    let hint = output.stderr.lines().find(|line| line.starts_with("hint: ")).expect("a hint");
    assert!(hint.len() < 300 && hint.contains("x\\n\\u{1b}[31mhint: y"), "{}", output.stderr);
    assert_eq!(output.stderr.matches("\nhint: ").count(), 1, "{}", output.stderr);
}

#[test]
fn what_to_do_stands_in_the_hint_and_the_place_in_the_position() {
    let env = pml();
    env.write("bad.ts", "const a = \"x");
    env.write("set/.pml.json", "{ \"version\": \"0.1.0\", \"permisions\": {} }");
    let error = |arguments: &[&str]| {
        let output = env.run(&with_json(arguments));
        document(&output, &arguments.join(" "))["error"].clone()
    };
    for (arguments, message, hint) in [
        (
            &["eval", "1", "--memory", "lots"][..],
            "`--memory lots` is not a size",
            "write a size as `65536`, `512K`, `64M` or `1G`",
        ),
        (
            &["eval", "1", "--cpu-time", "5"],
            "`--cpu-time 5` is not a duration",
            "write a duration as `500ms`, `2s` or `5m`",
        ),
        (
            &["eval", "1", "--allow", "not a pattern"],
            "`--allow not a pattern` is not a pattern",
            "write a pattern as `server:tool`, `server:prefix_*`, `server:*` or `*`",
        ),
        (
            &["runs", "prune", "--older-than", "soon"],
            "`--older-than soon` is not a duration",
            "write a duration as `12h` or `30d`",
        ),
        (
            &["add", "ok", "--yes", "python3"],
            "`python3` is one argument too many",
            "write `--` before the command",
        ),
        (
            &["add", "x", "--url", "http://a.example", "--", "y"],
            "a server has a URL or a command: give `--url URL` or `-- COMMAND`",
            "",
        ),
    ] {
        let error = error(arguments);
        assert_eq!(error["message"], message, "{error}");
        assert_eq!(error["hint"].as_str().unwrap_or_default(), hint, "{error}");
    }
    let hint =
        |arguments: &[&str]| error(arguments)["hint"].as_str().unwrap_or_default().to_owned();
    assert_eq!(hint(&["call", "shop.orders"]), "did you mean `shop:orders`?");
    let both = "write `pml add x -- COMMAND` or `pml add x --url URL`";
    assert_eq!(hint(&["add", "x", "--yes"]), both);
    assert!(hint(&["call", "a:b", "{"]).starts_with("write an object in quotes"));
    assert!(hint(&["eval", "1", "--inputs", "{n:1}"]).starts_with("names need double quotes"));
    let missing = error(&["eval", "1", "--inputs", "@nothing.json"]);
    assert_eq!(missing["message"], "there is no such file: nothing.json");
    let syntax = error(&["run", "bad.ts"]);
    assert_eq!(syntax["position"]["module"], "bad.ts", "{syntax}");
    assert!(!syntax["message"].as_str().is_some_and(|text| text.contains("bad.ts")), "{syntax}");
    let mut command = env.command(&["tools", "--json"]);
    let child = command.current_dir(env.path().join("set")).spawn().expect("it starts");
    let settings = document_of(&env.finish(child))["error"].clone();
    let module = settings["position"]["module"].as_str().unwrap_or_default();
    assert!(module.ends_with("set/.pml.json") && module.len() > 13, "{settings}");
    assert!(!settings["message"].as_str().is_some_and(|text| text.contains("set/")), "{settings}");
}

#[test]
fn tools_of_an_untrusted_folder_are_not_called_unknown() {
    let settings = json!({ "version": "0.1.0", "servers": { "a": { "command": "x" } } });
    let output = untrusted_project(pml(), &settings).run(&["tools", "--json"]);
    let document = fails(&output, 1, "UNTRUSTED", "an untrusted folder");
    assert_eq!(document["unavailable"][0]["hint"], "`pml trust` trusts it", "{document}");
}

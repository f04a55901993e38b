//! A clone, a pull and an agent's shell that want to be trusted: none of them is.
//!
//! The folders lie in `tests/cases/hostile/trust/`. Home is around the project, so that what is the
//! user's is not the clone's.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::{
    Output, StdioClient, TestEnv, audit_kinds, files_under, project_root, search_path,
    toolbox_script,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What an agent sets for the commands that it runs.
const AGENT: &[(&str, &str)] = &[("CLAUDECODE", "1")];

/// A clone in the home of whoever cloned it.
struct Clone {
    env: TestEnv,
}

impl Clone {
    fn of(case: &str) -> Clone {
        let clone = Clone { env: pml() };
        clone.write(".git/HEAD", "");
        let from = project_root().join("tests/cases/hostile/trust").join(case);
        for file in files_under(&from) {
            let name = file.strip_prefix(&from).expect("of the case");
            clone.write(name.to_str().expect("Unicode"), fs::read(&file).expect("a file"));
        }
        clone
    }

    fn folder(&self) -> PathBuf {
        self.env.path().join("project")
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        self.env.write(&format!("project/{name}"), text);
    }

    /// A server that works, in the project.
    fn write_server(&self, name: &str) {
        let toolbox = toolbox_script();
        self.write(name, fs::read(toolbox).expect("a file"));
    }

    fn command(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
        let mut command = self.env.command(arguments);
        command.current_dir(self.folder()).env("PATH", search_path());
        command.envs(variables.iter().copied());
        command
    }

    fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        self.env.finish(self.command(arguments, variables).spawn().expect("it starts"))
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(arguments, &[])
    }

    fn trust(&self) {
        let trusted = self.run(&["trust", "--yes"]);
        assert_eq!(trusted.code, 0, "{}", trusted.stderr);
    }

    /// Says in the user's own settings that agents may widen.
    fn allow_agents(&self) {
        let file =
            self.env.write(".config/pml/config.json", r#"{ "agents": { "mayWiden": true } }"#);
        closed(file.parent().expect("a folder"), 0o700);
        closed(&file, 0o600);
    }

    fn is_pwned(&self) -> bool {
        self.folder().join("pwned").exists()
    }

    /// All files below home, with what is in them.
    fn all(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let files = files_under(self.env.path()).into_iter();
        files.map(|file| (file.clone(), fs::read(file).unwrap_or_default())).collect()
    }

    /// What is asked before a call is made.
    fn asked(&self, tool: &str) -> Value {
        let output = self.run(&["call", tool, "--json"]);
        assert_eq!(output.code, 4, "{}\n{}", output.stdout, output.stderr);
        let told: Value = json::from_str(&output.stdout).expect("JSON");
        told["waiting"][0]["asks"][0].clone()
    }

    /// Asserts that a call asks for trust and names `part`, and that nothing is started.
    fn asks_for_trust(&self, tool: &str, part: &str) -> Value {
        let asked = self.asked(tool);
        assert_eq!(asked["type"], "trust", "{asked}");
        let reason = asked["reason"].as_str().expect("a reason");
        assert!(reason.contains(part), "{part}: {asked}");
        assert!(!self.is_pwned());
        asked
    }

    fn kinds(&self) -> Vec<String> {
        audit_kinds(&self.run(&["audit", "--json"]).stdout)
    }
}

#[cfg(unix)]
fn closed(path: &Path, mode: u32) {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).expect("a mode");
}

/// Every command that widens.
const WIDEN: &[&[&str]] = &[
    &["trust"],
    &["run", "x.ts", "--trust"],
    &["eval", "1", "--trust"],
    &["call", "helper:x", "--trust"],
    &["call", "helper:x", "--trust", "--no-journal"],
    &["tools", "--trust"],
    &["servers", "--start", "--trust"],
    &["check", "x.ts", "--trust"],
    &["types", "--trust"],
    &["doctor", "--start", "--trust"],
    &["install", "--trust"],
    &["add", "evil", "--", "sh", "-c", "touch pwned"],
    &["import"],
    &["init"],
];

fn with_yes<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let (command, rest) = arguments.split_first().expect("a command");
    [*command, "--yes"].into_iter().chain(rest.iter().copied()).collect()
}

#[test]
fn without_a_terminal_nothing_is_widened_unless_yes_is_said() {
    for arguments in WIDEN {
        let clone = Clone::of("names-pml");
        clone.write("x.ts", "return 1");
        let before = clone.all();
        let refused = clone.run(arguments);
        // `import` only lists.
        let code = if arguments[0] == "import" { 0 } else { 2 };
        assert_eq!(refused.code, code, "{arguments:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("--yes"), "{arguments:?}: {}", refused.stderr);
        assert_eq!(clone.all(), before, "{arguments:?}");
        assert!(clone.run(&["trust", "--show"]).stdout.starts_with("not trusted"));
    }
}

#[test]
fn in_an_agents_shell_nothing_is_widened_whatever_it_types() {
    for arguments in WIDEN {
        for arguments in [arguments.to_vec(), with_yes(arguments)] {
            let clone = Clone::of("names-pml");
            clone.write("x.ts", "return 1");
            let before = clone.all();
            let refused = clone.run_with(&arguments, AGENT);
            assert_eq!(refused.code, 1, "{arguments:?}: {}", refused.stderr);
            let said = "error: an agent runs this command (`CLAUDECODE` is set)";
            assert!(refused.stderr.starts_with(said), "{arguments:?}: {}", refused.stderr);
            assert!(!refused.stderr.contains("mayWiden"), "{}", refused.stderr);
            assert_eq!(clone.all(), before, "{arguments:?}");
            assert!(!clone.is_pwned());
        }
        let clone = Clone::of("names-pml");
        let flag = clone.run_with(&[&["--allow-agent"], *arguments].concat(), AGENT);
        assert_eq!(flag.code, 2, "{arguments:?}: {}", flag.stderr);
    }
}

#[test]
fn what_lifts_that_is_the_users_own_setting_and_yes_is_needed_all_the_same() {
    for arguments in WIDEN.iter().filter(|arguments| arguments[0] != "import") {
        let clone = Clone::of("names-pml");
        clone.write("x.ts", "return 1");
        clone.allow_agents();
        let refused = clone.run_with(arguments, AGENT);
        assert_eq!(refused.code, 2, "{arguments:?}: {}", refused.stderr);
        assert!(!clone.is_pwned());
        let passed = clone.run_with(&with_yes(arguments), AGENT);
        assert!(!passed.stderr.contains("an agent runs"), "{arguments:?}: {}", passed.stderr);
        assert_ne!(passed.code, 2, "{arguments:?}: {}", passed.stderr);
    }
}

#[test]
fn a_setting_that_is_not_certainly_the_users_own_lifts_nothing() {
    let yes = r#"{ "agents": { "mayWiden": true } }"#;
    let refused = |clone: &Clone, folder: &Path, part: &str| {
        let folder = folder.to_str().expect("Unicode");
        let variables = [("CLAUDECODE", "1"), ("XDG_CONFIG_HOME", folder)];
        let output = clone.run_with(&["trust", "--yes"], &variables);
        assert_ne!(output.code, 0);
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
        assert!(clone.run(&["trust", "--show"]).stdout.starts_with("not trusted"));
    };
    // In the clone, and behind a link that leads into it.
    let clone = Clone::of("names-pml");
    clone.write("conf/pml/config.json", yes);
    refused(&clone, &clone.folder().join("conf"), "it is in the project");
    let own = clone.env.path().join("own");
    fs::create_dir(&own).expect("a folder");
    std::os::unix::fs::symlink(clone.folder().join("conf/pml"), own.join("pml")).expect("a link");
    refused(&clone, &own, "a link into it");
    // In the repository around the project.
    let clone = Clone::of("names-pml");
    clone.write("part/.pml.json", "{}");
    clone.write("conf/pml/config.json", yes);
    let conf = clone.folder().join("conf");
    let mut command = clone.command(&["trust", "--yes"], AGENT);
    command.env("XDG_CONFIG_HOME", &conf).current_dir(clone.folder().join("part"));
    let output = clone.env.finish(command.spawn().expect("it starts"));
    assert!(output.code == 1 && output.stderr.contains("in the project"), "{}", output.stderr);
    // Open to others, and not understood.
    let clone = Clone::of("names-pml");
    clone.allow_agents();
    let file = clone.env.path().join(".config/pml/config.json");
    closed(&file, 0o666);
    refused(&clone, &clone.env.path().join(".config"), "other users may write it");
    closed(&file, 0o600);
    fs::write(&file, r#"{ "agents": { "mayWidenAll": true } }"#).expect("written");
    refused(&clone, &clone.env.path().join(".config"), "`agents` has no key `mayWidenAll`");
}

#[test]
fn a_client_that_starts_what_a_clone_names_trusts_nothing() {
    let clone = Clone::of("names-pml");
    let file = fs::read_to_string(clone.folder().join(".mcp.json")).expect("a file");
    let servers: Value = json::from_str(&file).expect("JSON");
    let arguments = servers["mcpServers"]["pml"]["args"].as_array().expect("arguments");
    let arguments: Vec<_> = arguments.iter().filter_map(Value::as_str).collect();
    let before = clone.all();
    let refused = clone.run(&arguments);
    assert_eq!((refused.stdout.as_str(), refused.code), ("", 2));
    assert!(refused.stderr.contains("unexpected argument `--trust`"), "{}", refused.stderr);
    assert!(refused.stderr.contains("`pml trust --yes`"), "{}", refused.stderr);
    assert_eq!(clone.all(), before);
    assert!(!clone.run(&["stdio", "--help"]).stdout.contains("--trust"));
}

#[test]
fn an_agent_adds_nothing_to_a_trusted_folder_and_that_it_tried_is_noted() {
    let clone = Clone::of("script");
    clone.write_server("tools/docs.py");
    clone.trust();
    let kept = |clone: &Clone| {
        let all = clone.all().into_iter();
        all.filter(|(file, _)| !file.starts_with(clone.folder().join(".pml")))
            .filter(|(file, _)| !file.starts_with(clone.env.path().join(".local/state/pml/audit")))
            .collect::<BTreeMap<_, _>>()
    };
    let before = kept(&clone);
    for arguments in [
        &["add", "evil", "--", "sh", "-c", "touch pwned"][..],
        &["add", "docs", "--force", "--yes", "--", "sh", "-c", "touch pwned"],
        &["import", "--yes"],
        &["init", "--yes"],
    ] {
        assert_eq!(clone.run_with(arguments, AGENT).code, 1, "{arguments:?}");
        assert_eq!(kept(&clone), before, "{arguments:?}");
    }
    assert_eq!(clone.kinds(), ["trusted", "refused", "refused", "refused", "refused"]);
    let tried = clone.run(&["audit"]).stdout;
    assert!(tried.contains("`pml add`: an agent runs the command: `CLAUDECODE` is set"), "{tried}");
    assert!(clone.run(&["trust", "--show"]).stdout.starts_with("trusted"));
}

#[test]
fn what_is_widened_stands_in_the_trail() {
    let clone = Clone::of("script");
    clone.write_server("tools/docs.py");
    clone.env.write(".claude.json", r#"{ "mcpServers": { "mine": { "command": "x" } } }"#);
    for arguments in [
        &["eval", "1", "--trust", "--yes"][..],
        &["trust", "--yes"],
        &["add", "a", "--yes", "--", "npx", "a", "--token", "hunter2hunter2"],
        &["import", "--yes", "claude-code", "--force"],
        &["remove", "a"],
    ] {
        let output = clone.run(arguments);
        assert_eq!(output.code, 0, "{arguments:?}: {}", output.stderr);
        assert!(!output.stderr.contains("not in the audit trail"), "{}", output.stderr);
    }
    let kinds = ["trusted_once", "trusted", "changed", "changed", "changed"];
    assert_eq!(clone.kinds(), kinds);
    let shown = clone.run(&["audit"]).stdout;
    for part in
        ["trusted once     │ ", "│ added server a: ", "added server mine", "removed server a"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[test]
fn a_script_that_was_changed_after_trust_is_not_run() {
    let clone = Clone::of("script");
    clone.write_server("tools/docs.py");
    let shown = clone.run(&["trust", "--show"]).stdout;
    assert!(shown.contains("file │ ./tools/docs.py (docs), a change asks again"), "{shown}");
    clone.trust();
    let works = clone.run(&["call", "docs:count"]);
    assert_eq!((works.stdout.as_str(), works.code), ("{\"n\":1}\n", 0), "{}", works.stderr);
    clone.write("tools/docs.py", fs::read(clone.folder().join("evil.py")).expect("a file"));
    let asked = clone.asks_for_trust("docs:count", "`./tools/docs.py`");
    assert!(asked.to_string().contains("file: ./tools/docs.py (docs)"), "{asked}");
    let servers = clone.run(&["servers", "--start"]);
    assert!(servers.stderr.contains("`./tools/docs.py`"), "{}", servers.stderr);
    assert!(!clone.is_pwned());
    // What was seen again is run.
    clone.write_server("tools/docs.py");
    assert_eq!(clone.run(&["call", "docs:count"]).code, 0);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_script_that_is_turned_after_trust_is_not_followed() {
    use std::os::unix::fs::symlink;
    let clone = Clone::of("script");
    clone.write_server("scripts/good.py");
    clone.write_server("scripts/same.py");
    fs::create_dir(clone.folder().join("tools")).expect("a folder");
    let link = clone.folder().join("tools/docs.py");
    symlink("../scripts/good.py", &link).expect("a link");
    clone.trust();
    assert_eq!(clone.run(&["call", "docs:count"]).code, 0);
    for target in ["../evil.py", "../scripts/same.py"] {
        fs::remove_file(&link).expect("a link");
        symlink(target, &link).expect("a link");
        clone.asks_for_trust("docs:count", "`./tools/docs.py`");
    }
    // What leads out of the project is named as such.
    fs::remove_file(&link).expect("a link");
    let outside = clone.env.write("outside.py", "");
    symlink(&outside, &link).expect("a link");
    let shown = clone.run(&["trust", "--show"]).stdout;
    assert!(
        shown
            .contains("./tools/docs.py (docs), a link out of the project, to $TEST_ENV/outside.py"),
        "{shown}"
    );
    clone.trust();
    fs::remove_file(&link).expect("a link");
    symlink("../evil.py", &link).expect("a link");
    clone.asks_for_trust("docs:count", "`./tools/docs.py`");
}

#[test]
fn a_script_outside_the_project_is_told_to_be_there() {
    let clone = Clone::of("script");
    let outside = clone.env.write("elsewhere/shop.py", "");
    let servers = json!({ "shop": { "command": "python3", "args": [outside.to_string_lossy()] } });
    clone.write(".pml.json", json!({ "version": "0.1.0", "servers": servers }).to_string());
    let shown = clone.run(&["trust", "--show"]).stdout;
    let told = "file │ outside this project, not checked: $TEST_ENV/elsewhere/shop.py (shop)";
    assert!(shown.contains(told) && !shown.contains("(shop), does not exist"), "{shown}");
}

#[test]
fn a_script_that_comes_after_trust_is_not_run() {
    let clone = Clone::of("script");
    let shown = clone.run(&["trust", "--show"]).stdout;
    assert!(shown.contains("./tools/docs.py (docs), does not exist yet"), "{shown}");
    clone.trust();
    clone.write("tools/docs.py", fs::read(clone.folder().join("evil.py")).expect("a file"));
    clone.asks_for_trust("docs:count", "`./tools/docs.py`");
}

#[test]
fn a_script_that_changes_while_the_project_is_served_is_not_started() {
    let clone = Clone::of("script");
    clone.write_server("tools/docs.py");
    clone.trust();
    let mut client = StdioClient::start(&mut clone.command(&["stdio"], &[]));
    client.initialize();
    assert_eq!(client.execute("return 1")["result"], 1);
    let script = clone.folder().join("tools/docs.py");
    // As long, and as old: only what is in it tells.
    let (length, time) = {
        let found = script.metadata().expect("it is there");
        (found.len() as usize, found.modified().expect("a time"))
    };
    let mut evil = fs::read(clone.folder().join("evil.py")).expect("a file");
    evil.resize(length, b'#');
    fs::write(&script, evil).expect("written");
    let file = fs::File::options().write(true).open(&script).expect("it is there");
    file.set_modified(time).expect("a time");
    let asked = client.execute("return (await mcp.docs.count()).n");
    assert_eq!(asked["approval_type"], "trust", "{asked}");
    assert!(asked.to_string().contains("./tools/docs.py"), "{asked}");
    assert!(!clone.is_pwned());
    clone.write_server("tools/docs.py");
    let done = client.execute("return (await mcp.docs.count()).n");
    assert_eq!(done["result"], 1, "{done}");
}

#[test]
fn env_decides_nothing_that_was_not_trusted_and_feeds_keys_as_ever() {
    let first = |clone: &Clone| fs::read_to_string(clone.folder().join("first.env")).expect("it");
    for (line, name, value) in [
        ("LIBRARIES=evil-lib", "LIBRARIES", "evil-lib"),
        ("NODE_OPTIONS=--require=./evil.js", "NODE_OPTIONS", "evil.js"),
        ("BASE=https://evil.example", "BASE", "evil.example"),
    ] {
        let clone = Clone::of("env");
        clone.write_server("box.py");
        clone.write(".env", first(&clone));
        clone.trust();
        let works = clone.run(&["call", "box:get-env"]);
        assert_eq!(works.code, 0, "{}", works.stderr);
        let environment = works.stdout.replace("\\\"", "\"");
        for part in ["\"API_BASE\":\"https://api.example\"", "\"PYTHONPATH\":\"lib\"", "\"first\""]
        {
            assert!(environment.contains(part), "{part}: {environment}");
        }
        // A key that changes, and one that nobody uses, ask nothing.
        let other = first(&clone).replace("KEY=first", "KEY=second\nUNUSED=x");
        clone.write(".env", &other);
        let works = clone.run(&["call", "box:get-env"]);
        assert!(works.code == 0 && works.stdout.contains("second"), "{}", works.stderr);
        clone.write(".env", format!("{other}{line}\n"));
        let asked = clone.asks_for_trust("box:get-env", &format!("`{name}` in `.env`"));
        assert!(!asked.to_string().contains(value), "{asked}");
        let shown = clone.run(&["trust", "--show"]).stdout;
        assert!(shown.contains(&format!("variable │ {name} (box: ")), "{shown}");
        assert!(!shown.contains(value), "{shown}");
        // What the process says itself was never the clone's.
        clone.write(".env", &other);
        let set = clone.run_with(&["call", "box:get-env"], &[(name, "/own")]);
        assert!(set.code == 0 && set.stdout.contains("/own"), "{name}: {}", set.stderr);
        // Trusted as it is, it feeds.
        clone.write(".env", format!("{other}{line}\n"));
        clone.trust();
        let fed = clone.run(&["call", "box:get-env"]);
        assert!(fed.code == 0 && fed.stdout.contains(value), "{}", fed.stderr);
    }
}

#[test]
fn a_server_that_another_file_hid_is_not_trusted_once_it_comes_to_light() {
    let clone = Clone::of("hides");
    clone.trust();
    let removed = clone.run(&["remove", "files"]);
    assert_eq!(removed.code, 0, "{}", removed.stderr);
    assert!(
        removed.stderr.contains("is not trusted, so it has no effect yet"),
        "{}",
        removed.stderr
    );
    clone.asks_for_trust("files:read", "`.pml.json`");
}

#[cfg(unix)]
#[test]
fn a_state_folder_that_came_open_is_closed_to_others() {
    use std::os::unix::fs::PermissionsExt;
    for arguments in [&["eval", "1"][..], &["servers"], &["stdio"]] {
        let clone = Clone::of("script");
        clone.write(".pml/deps/x", "");
        let folder = clone.folder().join(".pml");
        closed(&folder, 0o777);
        assert_eq!(clone.run(arguments).code, 0, "{arguments:?}");
        let mode = folder.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{arguments:?}");
    }
}

#[test]
fn an_answer_on_another_tool_decides_nothing() {
    let env = pml_kit::toolbox_project(pml(), &json!({ "ask": ["*"] }));
    let mut client = pml_kit::toolbox_client(&env);
    let asked = client.call("box:count", json!({}));
    let id = asked["result"]["structuredContent"]["workflow_id"].clone();
    let answer = json!({ "continue_workflow": { "workflow_id": id, "approved": true } });
    for other in ["execute", "pml:execute", "box:echo"] {
        let refused = client.call(other, answer.clone());
        assert_eq!(refused["error"]["code"], -32602, "{other}: {refused}");
        let message = refused["error"]["message"].as_str().expect("a message");
        assert!(message.contains("the same tool that asked, `box:count`"), "{message}");
    }
    assert!(pml_kit::toolbox_calls(&env).is_empty());
    let done = client.call("box:count", answer);
    assert_eq!(done["result"]["structuredContent"]["result"], json!({ "n": 1 }), "{done}");
    for own in ["execute", "pml:execute", "pml_execute"] {
        let asked = client.execute("return (await mcp.box.count()).n");
        let answer = json!({ "workflow_id": asked["workflow_id"], "approved": true });
        let answer = json!({ "continue_workflow": answer });
        let refused = client.call("box:count", answer.clone());
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(refused.to_string().contains("the same tool that asked, `execute`"), "{refused}");
        let done = client.call(own, answer);
        assert_eq!(done["result"]["structuredContent"]["status"], "success", "{done}");
    }
}

/// Everyday launch lines, the files of their project, and the one that a pull changes or brings.
const RUN_UNNAMED: &[(&[&str], &[&str], &str)] = &[
    (&["sh", "-c", "make -s serve"], &["Makefile"], "Makefile"),
    (&["make", "-s", "serve"], &["Makefile"], "GNUmakefile"),
    (&["timeout", "50", "make", "serve"], &["Makefile"], "Makefile"),
    (&["sh", "-c", "just serve"], &["justfile"], "justfile"),
    (&["env", "npm", "-s", "run", "serve"], &["package.json"], "package.json"),
    (&["npm", "-s", "run", "serve"], &["package.json"], ".npmrc"),
    (&["sh", "-c", "cd web && npm -s start"], &["web/package.json"], "web/package.json"),
    (&["npm", "--prefix", "web", "run", "serve"], &["web/package.json"], "web/package.json"),
    (&["sh", "-c", "python3 -m pkg.mod"], &["pkg/mod.py"], "pkg/mod.py"),
    (&["python3", "-um", "pkg.mod"], &["pkg/mod.py"], "pkg/__init__.py"),
    (&["env", "python3", "tools"], &["tools/__main__.py"], "tools/__main__.py"),
    (&["env", "PYTHONPATH=lib", "python3", "x.py"], &["lib/a.py", "x.py"], "lib/sitecustomize.py"),
    (&["sh", "-c", "exec node web"], &["web/index.js"], "web/index.js"),
    (&["node", "--require", "./r.js", "web"], &["r.js", "web/index.js"], "web/index.js"),
    (&["node", "./dist/index"], &["dist/index.js"], "dist/index.js"),
    (&["node", "x"], &["x/index.js"], "x.js"),
    (&["node", "-e", "require(\"./server\")"], &["server.js"], "server.js"),
    (&["sh", "-c", "npx srv"], &["node_modules/.bin/srv"], "node_modules/.bin/srv"),
    (&["sh", "-c", "cd a && cd b && exec python3 x.py"], &["a/b/x.py"], "a/b/x.py"),
    (&["sh", "-c", "./to\"ol\"s/x.sh"], &["tools/x.sh"], "tools/x.sh"),
    (&["sh", "-c", "exec 2> >(./l.sh) python3 x.py"], &["l.sh", "x.py"], "l.sh"),
    (&["sh", "-c", "exec python3 \"$PWD/tools/x.py\""], &["tools/x.py"], "tools/x.py"),
    (&["uvx", "--with-requirements", "needs.txt", "server"], &["needs.txt"], "needs.txt"),
    (&["uv", "--directory", "d", "run", "server"], &["d/pyproject.toml"], "d/pyproject.toml"),
];

#[test]
fn a_pulled_change_of_what_a_line_runs_without_naming_it_is_not_run() {
    for (line, files, changed) in RUN_UNNAMED {
        let clone = Clone { env: pml() };
        clone.write(".git/HEAD", "");
        let server = json!({ "command": line[0], "args": line[1..] });
        clone.write(".mcp.json", json!({ "mcpServers": { "docs": server } }).to_string());
        for file in *files {
            clone.write(file, "{}");
        }
        clone.trust();
        let shown = clone.run(&["trust", "--show"]).stdout;
        assert!(shown.starts_with("trusted:"), "{line:?}: {shown}");
        let told = "not checked │ what these programs import or read, and files in folders that they are given";
        assert!(shown.contains(told), "{line:?}: {shown}");
        // What no line is about asks nothing.
        clone.write("notes/unrelated.py", "{}");
        clone.write("README.md", "{}");
        let shown = clone.run(&["trust", "--show"]).stdout;
        assert!(shown.starts_with("trusted:"), "{line:?}: {shown}");
        clone.write(changed, "{ \"evil\": 1 }");
        let shown = clone.run(&["trust", "--show"]).stdout;
        assert!(shown.starts_with("changed"), "{line:?} {changed}: {shown}");
        clone.asks_for_trust("docs:count", &format!("`./{changed}`"));
    }
}

#[test]
fn what_cannot_be_held_is_told() {
    let clone = Clone { env: pml() };
    clone.write(".git/HEAD", "");
    let globbed = json!({ "command": "sh", "args": ["-c", "exec python3 tools/*.py"] });
    let loaded = json!({ "command": "server", "env": { "PYTHONPATH": "lib" } });
    let servers = json!({ "mcpServers": { "globbed": globbed, "loaded": loaded } });
    clone.write(".mcp.json", servers.to_string());
    clone.write("tools/x.py", "");
    clone.write("lib/x.py", "");
    let shown = clone.run(&["trust", "--show"]).stdout;
    for part in [
        "tools/*.py (globbed), named by a shell at run time: cannot be checked",
        "./lib (loaded), code in it is loaded and not checked",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

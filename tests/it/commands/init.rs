//! `pml init`: a project out of a folder.

use crate::pml;
use pml::json::json;
use pml_kit::json_of;
use std::fs;

#[test]
fn a_folder_becomes_a_project_and_doing_it_again_changes_nothing() {
    let env = pml();
    env.write(".git/HEAD", "");
    env.write(".gitignore", "node_modules\r\n");
    let first = env.run(&["init", "--yes"]);
    assert_eq!((first.stderr.as_str(), first.code), ("", 0), "{}", first.stdout);
    assert!(first.stdout.contains("`.pml.json` is written"), "{}", first.stdout);
    assert!(first.stdout.ends_with("  claude mcp add pml -- pml stdio\n"), "{}", first.stdout);
    let read = |name: &str| fs::read_to_string(env.path().join(name)).expect(name);
    assert_eq!(read(".gitignore"), "node_modules\r\n.pml.json\r\n.pml/*\r\n!.pml/mcp.lock\r\n");
    assert_eq!(read(".pml/.gitignore"), "*\n!mcp.lock\n");
    let (settings, ignored) = (read(".pml.json"), read(".gitignore"));
    let second = env.run(&["init", "--yes"]);
    assert_eq!(second.code, 0, "{}", second.stderr);
    assert_eq!(second.stdout.matches("exists already").count(), 3, "{}", second.stdout);
    assert_eq!((read(".pml.json"), read(".gitignore")), (settings, ignored));
    assert_eq!(json_of(&env, &["trust", "--json"])["changed"], json!([]));
}

#[cfg(unix)]
#[test]
fn ordinary_files_follow_the_umask_and_private_ones_do_not() {
    use std::os::unix::fs::PermissionsExt;
    let env = pml();
    let line = format!("umask 022; exec '{}' init --yes --no-import", env.binary().display());
    let shell = pml_kit::TestEnv::new("/bin/sh");
    let mut command = shell.command(&["-c", &line]);
    command.current_dir(env.path()).env("HOME", env.path());
    command.env("XDG_STATE_HOME", env.state_home());
    let made = shell.finish(command.spawn().expect("it starts"));
    assert_eq!(made.code, 0, "{}", made.stderr);
    let mode =
        |name: &str| env.path().join(name).metadata().expect(name).permissions().mode() & 0o777;
    assert_eq!((mode(".gitignore"), mode(".pml.json")), (0o644, 0o600));
}

#[cfg(unix)]
#[test]
fn state_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let env = pml();
    assert_eq!(env.run(&["init", "--yes", "--no-import"]).code, 0);
    let mode =
        |name: &str| env.path().join(name).metadata().expect(name).permissions().mode() & 0o777;
    assert_eq!((mode(".pml"), mode(".pml.json")), (0o700, 0o600));
    let state = env.state();
    let mode =
        |path: std::path::PathBuf| path.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(state.clone()), mode(state.join("trust.json"))), (0o700, 0o600));
}

#[test]
fn shared_settings_go_into_version_control() {
    let env = pml();
    assert_eq!(env.run(&["init", "--yes", "--shared"]).code, 0);
    let ignored = fs::read_to_string(env.path().join(".gitignore")).expect("it is there");
    assert_eq!(ignored, ".pml/*\n!.pml/mcp.lock\n");
}

#[test]
fn servers_of_the_user_are_taken_when_told_and_only_listed_otherwise() {
    let env = pml();
    env.write(".claude.json", r#"{ "mcpServers": { "mine": { "command": "x" } } }"#);
    env.write("project/.git/HEAD", "");
    let init = |arguments: &[&str]| {
        let mut command = env.command(arguments);
        let child = command.current_dir(env.path().join("project")).spawn().expect("it starts");
        env.finish(child)
    };
    assert_eq!(init(&["init", "--yes", "--no-import"]).code, 0);
    let settings =
        || fs::read_to_string(env.path().join("project/.pml.json")).expect("it is there");
    let listed = init(&["import"]);
    assert!(listed.stdout.contains("mine  claude-code  │ x"), "{}", listed.stdout);
    assert!(listed.stderr.contains("`pml import --yes` imports them"), "{}", listed.stderr);
    assert!(!settings().contains("mine"));
    let taken = init(&["init", "--yes"]);
    assert_eq!((taken.stderr.as_str(), taken.code), ("", 0));
    assert!(settings().contains("mine"));
    assert!(init(&["trust"]).stdout.starts_with("already trusted"));
}

#[test]
fn servers_that_came_with_a_clone_are_not_made_trusted_unseen() {
    let env = pml();
    env.write(".git/HEAD", "");
    env.write(".vscode/mcp.json", r#"{ "servers": { "evil": { "command": "evil" } } }"#);
    env.write(".mcp.json", r#"{ "mcpServers": { "worse": { "command": "worse" } } }"#);
    let output = env.run(&["init", "--yes"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(
        output.stderr.contains("`.pml.json` is not trusted, so it has no effect yet"),
        "{}",
        output.stderr
    );
    let settings = fs::read_to_string(env.path().join(".pml.json")).expect("it is there");
    assert!(settings.contains("evil") && !settings.contains("worse"), "{settings}");
    let trust = json_of(&env, &["trust", "--yes", "--json"]);
    assert_eq!(trust["changed"], json!([".mcp.json", ".pml.json"]));
}

#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_it_asks_before_it_imports() {
    let env = pml();
    env.write(".git/HEAD", "");
    env.write(".cursor/mcp.json", r#"{ "mcpServers": { "mine": { "command": "x" } } }"#);
    let mut terminal = pml_kit::Terminal::start(&env, &["init"]);
    terminal.sees("import 1 server into `.pml.json`? [y/n] ");
    terminal.types("y\n");
    terminal.sees("1 server imported");
    assert_eq!(terminal.ends().1, 0);
    let settings = fs::read_to_string(env.path().join(".pml.json")).expect("it is there");
    assert!(settings.contains("mine"));
    assert_eq!(json_of(&env, &["trust", "--json"])["changed"], json!([]));
}

#[cfg(target_os = "linux")]
#[test]
fn all_that_decides_what_a_server_does_is_shown_before_it_is_imported() {
    let entry = json!({ "command": "node", "args": ["server.js"], "cwd": "sub\nfolder",
        "env": { "NODE_OPTIONS": "--require ./evil.js", "API_KEY": "hunter2" } });
    for command in ["init", "import"] {
        let env = pml();
        env.write(".git/HEAD", "");
        env.write(".vscode/mcp.json", json!({ "servers": { "nice": entry } }).to_string());
        let mut terminal = pml_kit::Terminal::start(&env, &[command]);
        let shown = terminal.sees("import 1 server into `.pml.json`? [y/n] ");
        for part in ["│ node server.js", "NODE_OPTIONS", "│ --require ./evil.js", "sub\\nfolder"]
        {
            assert!(shown.contains(part), "{command}: {part}: {shown}");
        }
        assert!(!shown.contains("hunter2"), "{shown}");
        terminal.types("n\n");
        assert_eq!(terminal.ends().1, 0);
    }
}

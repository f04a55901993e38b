//! Commands that are stopped: Ctrl-C on a terminal, signals from elsewhere. Each says how to go on.

use crate::pml;
use pml::json::{self, Value, json};
use pml_kit::{Output, Terminal, TestEnv, json_of, newest_state, untrusted_project};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read};
use std::process::Child;

/// A program that says that it runs, and then waits for longer than any test.
const WAITS: &str = "console.error('it runs')\nawait mcp.pml.sleep({ ms: 600000 })\nreturn 1";

fn stop(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(child.id().cast_signed()).expect("a process");
    kill_process(pid, signal).expect("it is there");
}

/// Reports whether pml leaves a signal alone: whoever started these tests ignores it, as `nohup`
/// does.
fn is_left_alone(signal: Signal) -> bool {
    [Signal::HUP, Signal::QUIT].contains(&signal) && is_in_mask("self", "SigIgn:", signal)
}

/// Reports whether a mask of signals of a process has this one. Only Linux has these masks.
fn is_in_mask(process: &str, mask: &str, signal: Signal) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix(mask));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
}

/// Starts the program, sends the signal once it runs, and waits for the end.
fn stopped(env: &TestEnv, arguments: &[&str], signal: Signal) -> Output {
    stopped_by(env, arguments, &[signal])
}

/// Does the same with several signals, one right after the other.
fn stopped_by(env: &TestEnv, arguments: &[&str], signals: &[Signal]) -> Output {
    env.write("main.ts", WAITS);
    let mut child = env.command(arguments).spawn().expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("UTF-8");
    assert_eq!(line, "it runs\n");
    signals.iter().for_each(|signal| stop(&child, *signal));
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("UTF-8");
    Output { stderr: rest, ..env.finish(child) }
}

fn last_run(env: &TestEnv) -> String {
    json_of(env, &["runs", "--json"])[0]["run_id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_run_that_is_interrupted_names_the_command_that_goes_on() {
    for (signal, code, message) in [
        (Signal::INT, 130, "interrupted"),
        (Signal::TERM, 143, "stopped by SIGTERM"),
        (Signal::HUP, 129, "stopped by SIGHUP"),
        (Signal::QUIT, 131, "stopped by SIGQUIT"),
    ] {
        if is_left_alone(signal) {
            continue;
        }
        let env = pml();
        let output = stopped(&env, &["run", "main.ts"], signal);
        let run = last_run(&env);
        let hint =
            format!("`pml run --resume {}` goes on where it was cut off", &run[run.len() - 8..]);
        assert_eq!(output.stderr, format!("{message}\nhint: {hint}\n"));
        assert_eq!((output.stdout.as_str(), output.code), ("", code));
        assert_eq!(newest_state(&env), "interrupted");
    }
}

#[test]
fn with_json_the_interrupt_is_the_document() {
    for (signal, code) in
        [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129), (Signal::QUIT, 131)]
    {
        if is_left_alone(signal) {
            continue;
        }
        let env = pml();
        let output = stopped(&env, &["run", "main.ts", "--json"], signal);
        assert_eq!((output.stdout.lines().count(), output.code), (1, code), "{output:?}");
        let document: Value = json::from_str(&output.stdout).expect("JSON");
        assert_eq!(document["error"]["code"], "INTERRUPTED");
        assert_eq!(document["status"], "error");
        assert_eq!(document["run_id"], json!(last_run(&env)));
        assert!(document["error"]["hint"].as_str().is_some_and(|hint| hint.contains("--resume")));
    }
}

/// Waits until a process catches a signal.
#[cfg(target_os = "linux")]
fn wait_until_caught(child: &Child, signal: Signal) {
    let process = child.id().to_string();
    pml_kit::wait_until("the signal is caught", || is_in_mask(&process, "SigCgt:", signal));
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_comes_early_has_its_document_too() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        if is_left_alone(signal) {
            continue;
        }
        for _ in 0..5 {
            let env = pml();
            env.write("main.ts", WAITS);
            let child = env.command(&["run", "main.ts", "--json"]).spawn().expect("it starts");
            wait_until_caught(&child, signal);
            stop(&child, signal);
            let output = env.finish(child);
            assert_eq!(output.code, 128 + signal.as_raw(), "{output:?}");
            let document: Value = json::from_str(&output.stdout).expect("JSON");
            assert_eq!(document["error"]["code"], "INTERRUPTED", "{output:?}");
            assert!(document["error"]["hint"].is_string(), "{output:?}");
        }
    }
}

/// Nobody reads stderr, so that the command cannot even say which flag is wrong.
#[cfg(target_os = "linux")]
#[test]
fn a_command_that_cannot_write_to_stderr_has_its_document_after_a_signal() {
    use std::io::Write;
    let env = pml();
    let (unread, mut full) = std::os::unix::net::UnixStream::pair().expect("a pair");
    full.set_nonblocking(true).expect("set");
    while full.write(&[b'x'; 4096]).is_ok() {}
    while full.write(b"x").is_ok() {}
    full.set_nonblocking(false).expect("set");
    let mut command = env.command(&["eval", "1", "--wrong", "--json"]);
    let stderr = std::os::fd::OwnedFd::from(full);
    let child = command.stderr(stderr).spawn().expect("it starts");
    wait_until_caught(&child, Signal::TERM);
    stop(&child, Signal::TERM);
    let output = child.wait_with_output().expect("it ends");
    drop(unread);
    assert_eq!(output.status.code(), Some(143), "{output:?}");
    let document: Value = json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["error"]["code"], "INTERRUPTED", "{document}");
    assert_eq!(document["error"]["hint"], "nothing was done: run it again", "{document}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_under_nohup_lives_on_when_its_terminal_is_closed() {
    let env = pml();
    env.write("main.ts", WAITS);
    let line = format!("trap '' HUP; exec '{}' run main.ts", env.binary().display());
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &line]).current_dir(env.path()).env_clear().env("HOME", env.path());
    command.env("XDG_STATE_HOME", env.state_home());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("UTF-8");
    assert_eq!(line, "it runs\n");
    stop(&child, Signal::HUP);
    stop(&child, Signal::TERM);
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("UTF-8");
    assert!(rest.starts_with("stopped by SIGTERM\n"), "{rest}");
    assert_eq!(env.finish(child).code, 143);
}

#[test]
fn a_second_signal_does_not_cut_off_what_is_said() {
    for signals in [[Signal::INT; 2], [Signal::INT, Signal::TERM], [Signal::TERM; 2]] {
        for _ in 0..5 {
            let env = pml();
            let output = stopped_by(&env, &["run", "main.ts", "--json"], &signals);
            let document: Value = json::from_str(&output.stdout).expect("JSON");
            assert_eq!(document["error"]["code"], "INTERRUPTED", "{output:?}");
            assert!(output.stderr.contains("hint: `pml run --resume "), "{output:?}");
        }
    }
}

#[test]
fn a_run_that_is_kept_nowhere_is_not_promised_back() {
    let output = stopped(&pml(), &["run", "main.ts", "--no-journal"], Signal::INT);
    assert_eq!(
        output.stderr,
        "interrupted\nhint: the run is forgotten: it was run with `--no-journal`\n"
    );
}

#[test]
fn a_watched_program_that_is_stopped_says_how_to_watch_it_again() {
    let env = pml();
    env.write("package.json", "{}");
    env.write("main.ts", "return 1");
    let mut child = env.command(&["run", "--watch", "main.ts"]).spawn().expect("it starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("UTF-8");
    assert_eq!(line, "watching 1 file for changes\n");
    stop(&child, Signal::INT);
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("UTF-8");
    let expected = "stopped watching main.ts\nhint: `pml run -w main.ts` watches again\n";
    assert_eq!((rest.as_str(), env.finish(child).code), (expected, 130));
}

/// Presses Ctrl-C at a prompt; returns what is shown then, and the exit code.
fn ctrl_c(env: &TestEnv, arguments: &[&str], prompt: &str) -> (String, i32) {
    let mut terminal = Terminal::start(env, arguments);
    terminal.sees(prompt);
    terminal.types("\u{3}");
    terminal.ends()
}

#[test]
fn ctrl_c_at_a_prompt_changes_nothing_and_says_so() {
    let settings = json!({ "version": "0.1.0", "servers": { "a": { "command": "x" } } });
    let env = untrusted_project(pml(), &settings);
    let (shown, code) = ctrl_c(&env, &["trust"], "[y/n] ");
    let hint = "hint: trust is recorded as a whole or not at all: run `pml trust --show` again\n";
    assert!(shown.contains("interrupted\n") && shown.ends_with(hint), "{shown}");
    assert_eq!(code, 130);
    let shown = env.run(&["trust", "--show"]).stdout;
    assert!(shown.starts_with("not trusted"), "{shown}");
}

#[test]
fn ctrl_c_at_approve_leaves_the_question_open() {
    let env = pml();
    env.write("main.ts", "await mcp.pml.confirm({ message: 'go on?' })");
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    let (shown, code) = ctrl_c(&env, &["approve", "last"], "approve? ");
    assert!(shown.contains("interrupted\nhint: ") && shown.contains("`pml approvals`"), "{shown}");
    assert_eq!((code, newest_state(&env).as_str()), (130, "waiting"));
}

#[test]
fn ctrl_c_at_import_leaves_the_settings_as_they_were() {
    let env = pml();
    env.write(".pml.json", "{ \"version\": \"0.1.0\" }");
    env.write(".cursor/mcp.json", "{ \"mcpServers\": { \"a\": { \"command\": \"x\" } } }");
    let (shown, code) = ctrl_c(&env, &["import", "cursor"], "[y/n] ");
    let hint = "hint: `.pml.json` is changed as a whole or not at all: run `pml import` again\n";
    assert!(shown.ends_with(hint), "{shown}");
    assert_eq!(code, 130);
    let settings = std::fs::read_to_string(env.path().join(".pml.json")).expect("a file");
    assert_eq!(settings, "{ \"version\": \"0.1.0\" }");
}

#[test]
fn ctrl_c_at_init_leaves_what_is_done_and_says_how_to_go_on() {
    let env = pml();
    env.write(".cursor/mcp.json", "{ \"mcpServers\": { \"a\": { \"command\": \"x\" } } }");
    let (shown, code) = ctrl_c(&env, &["init"], "[y/n] ");
    let hint = "interrupted\nhint: it does what is left: run `pml init` again\n";
    assert!(shown.ends_with(hint), "{shown}");
    assert_eq!(code, 130);
}

/// Presses Ctrl-C once a file exists that something hanging has written.
fn ctrl_c_when_it_hangs(env: &TestEnv, mut terminal: Terminal, sign: &str) -> (String, i32) {
    let sign = env.path().join(sign);
    pml_kit::wait_until("something hangs", || sign.exists());
    terminal.types("\u{3}");
    terminal.ends()
}

#[test]
fn ctrl_c_while_a_server_does_not_answer_says_that_nothing_was_changed() {
    for arguments in [&["servers", "--start"][..], &["tools"], &["doctor", "--start"]] {
        let silent = json!({ "command": "sh", "args": ["-c", "echo > started; exec sleep 600"] });
        let env = pml_kit::trusted_project(pml(), &json!({ "servers": { "silent": silent } }));
        let terminal = Terminal::start(&env, arguments);
        let (shown, code) = ctrl_c_when_it_hangs(&env, terminal, "started");
        let hint = "interrupted\nhint: nothing was changed: run it again\n";
        assert!(shown.ends_with(hint), "{arguments:?}: {shown}");
        assert_eq!(code, 130, "{arguments:?}: {shown}");
    }
}

#[test]
fn ctrl_c_while_a_package_is_installed_leaves_none_half_installed() {
    let server = json!({ "command": "npx", "args": ["-y", "some-server@1.2.3"] });
    let env = pml_kit::trusted_project(pml(), &json!({ "servers": { "a": server } }));
    // A fake npm, which never answers.
    let sign = env.path().join("started");
    let script = format!("#!/bin/sh\necho > '{}'\nexec sleep 600\n", sign.display());
    env.write("fake-npm/npm", script);
    let npm = env.path().join("fake-npm/npm");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(npm, mode).expect("it can be run");
    let line = "PATH=$PWD/fake-npm:$PATH exec pml install --yes";
    let terminal = Terminal::start_shell(&env, 80, line);
    let (shown, code) = ctrl_c_when_it_hangs(&env, terminal, "started");
    let shown = anstream::adapter::strip_str(&shown).to_string();
    let hint = "interrupted\nhint: no package is left half-installed: run `pml install` again\n";
    assert!(shown.ends_with(hint), "{shown}");
    assert_eq!(code, 130, "{shown}");
}

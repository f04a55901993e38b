//! Help, as it is read at 80 columns, and what those who pack the binary take along.

use crate::pml;
use pml_kit::insta::{Settings, assert_snapshot};

/// All commands that help lists.
const COMMANDS: &[&str] = &[
    "run",
    "eval",
    "stdio",
    "runs",
    "runs list",
    "runs show",
    "runs prune",
    "runs adopt",
    "approvals",
    "approve",
    "audit",
    "replay",
    "init",
    "trust",
    "import",
    "add",
    "remove",
    "install",
    "servers",
    "tools",
    "call",
    "check",
    "types",
    "doctor",
    "version",
    "completions",
    "help",
];

#[test]
fn the_help_of_every_command_at_80_columns() {
    let env = pml();
    let mut text = String::new();
    for command in std::iter::once(&"").chain(COMMANDS) {
        let words: Vec<_> = command.split(' ').filter(|word| !word.is_empty()).collect();
        let mut process = env.command(&[&words[..], &["-h"]].concat());
        let output = env.finish(process.env("COLUMNS", "80").spawn().expect("it starts"));
        assert_eq!((output.stderr.as_str(), output.code), ("", 0), "{command}");
        let typed = ["pml", command].join(" ");
        text += &format!("$ {} -h\n{}\n", typed.trim_end(), output.stdout);
        let wide = output.stdout.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{command}");
    }
    let mut settings = Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    let text: Vec<_> = text.lines().map(str::trim_end).collect();
    settings.bind(|| assert_snapshot!("help", text.join("\n")));
}

#[test]
fn help_of_a_command_is_what_its_own_flag_shows() {
    let env = pml();
    for words in [&["run"][..], &["runs", "show"], &["approve"]] {
        let asked = env.run(&[&["help"], words].concat());
        assert_eq!(asked, env.run(&[words, &["--help"]].concat()), "{words:?}");
        assert_eq!(asked.code, 0);
    }
    assert_eq!(env.run(&["help"]), env.run(&["-h"]));
    for word in ["run", "approve", "call", "eval", "add"] {
        let help = env.run(&["help", word]).stdout;
        assert!(help.contains("\nExamples:\n  pml "), "{help}");
    }
}

#[test]
fn help_of_a_command_that_is_not_there_names_the_nearest() {
    assert_snapshot!(pml().run(&["help", "rnu"]).snapshot(), @r"
    exit code: 2
    --- stderr ---
    error: there is no command `pml rnu`
    hint: did you mean `pml run`?
    ");
    assert_snapshot!(pml().run(&["help", "runs", "shwo"]).snapshot(), @r"
    exit code: 2
    --- stderr ---
    error: there is no command `pml runs shwo`
    hint: did you mean `pml runs show`?
    ");
}

#[test]
fn man_pages_and_completions_are_written_for_packages() {
    let env = pml();
    let output = env.run(&["package-files", "out"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let read = |name: &str| std::fs::read_to_string(env.path().join("out").join(name));
    for page in ["pml.1", "pml-run.1", "pml-runs-show.1"] {
        let page = read(&format!("man/man1/{page}")).expect("a page");
        assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS"), "{page}");
    }
    for script in ["pml.bash", "_pml", "pml.fish", "pml.elv", "_pml.ps1"] {
        assert!(read(&format!("completions/{script}")).is_ok_and(|text| text.contains("pml")));
    }
    let bash = env.run(&["completions", "bash"]).stdout;
    assert_eq!(read("completions/pml.bash").expect("a script").trim_end(), bash.trim_end());
    assert!(!env.run(&["-h"]).stdout.contains("package-files"), "it is for packagers");
}

#[test]
fn colours_follow_the_flag_and_the_variables() {
    let env = pml();
    let coloured = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = env.command(arguments);
        let child = command.envs(variables.iter().copied()).spawn().expect("it starts");
        let output = env.finish(child);
        (output.stdout + &output.stderr).contains('\u{1b}')
    };
    let wrong = &["run", "nothing.ts"][..];
    assert!(!coloured(wrong, &[]));
    assert!(coloured(wrong, &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(wrong, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(coloured(&["run", "nothing.ts", "--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["run", "nothing.ts", "--color=never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(coloured(&["-h", "--color=always"], &[]) && !coloured(&["-h"], &[]));
    assert!(coloured(&["rnu", "--color=always"], &[]), "also where arguments are wrong");
}

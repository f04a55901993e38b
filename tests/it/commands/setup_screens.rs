//! What people read while they set up a project: with colours and without, in 80 columns and in 200.

use crate::pml;
use pml_kit::insta::assert_snapshot;
use pml_kit::{Terminal, TerminalColours, TestEnv, redacted, screen};

const PLAIN: TerminalColours = TerminalColours::Plain;
const COLOURED: TerminalColours = TerminalColours::Coloured;

/// A folder with a server of another client, whose launch line is long.
fn folder() -> TestEnv {
    let env = pml();
    env.write(
        ".cursor/mcp.json",
        r#"{ "mcpServers": { "notes": {
            "command": "npx",
            "args": ["-y", "@scope/notes-server@1.0.0", "--verbose", "--log-file", "./logs/notes.log"],
            "env": { "TOKEN": "${MY_TOKEN}", "NODE_OPTIONS": "--require ./x.js" },
            "odd": 1
        } } }"#,
    );
    env
}

/// Returns what a command shows until it asks, and answers no.
fn asked(arguments: &[&str], columns: usize, colours: TerminalColours) -> String {
    let env = folder();
    let mut terminal = Terminal::start_as(&env, arguments, columns, colours);
    let mut shown = terminal.sees("[y/n] ");
    terminal.types("n\n");
    shown += &terminal.ends().0;
    let shown = env.without_folders(&shown).replace('\u{1b}', "␛");
    shown.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn shown(env: &TestEnv, arguments: &[&str], columns: usize, colours: TerminalColours) -> String {
    redacted(&screen(env, arguments, columns, colours))
}

#[test]
fn init_on_a_terminal() {
    assert_snapshot!(asked(&["init"], 80, PLAIN), @r"
    project $TEST_ENV
      `.pml.json` is written
      `.pml/` is written
      `.gitignore` is written
    1 server can be imported:
         notes  cursor                           │ npx -y @scope/notes-server@1.0.0
                                                 │ --verbose --log-file ./logs/notes
                                                 │ .log
           TOKEN                                 │ ${MY_TOKEN}
           NODE_OPTIONS  DECIDES WHAT IS LOADED  │ --require ./x.js
           note                                  │ its key `odd` is left out,
                                                 │ because pml does not know it
    import 1 server into `.pml.json`? [y/n] n
    hint: `pml import` imports them later
    next, to use it in Claude Code:
      claude mcp add pml -- pml stdio
    ");
    assert_snapshot!(asked(&["init"], 200, COLOURED), @r"
    ␛[1mproject␛[0m $TEST_ENV
      `.pml.json` is written
      `.pml/` is written
      `.gitignore` is written
    1 server can be imported:
         ␛[1mnotes  cursor␛[0m                           │ npx -y @scope/notes-server@1.0.0 --verbose --log-file ./logs/notes.log
         ␛[2m  TOKEN␛[0m                                 │ ${MY_TOKEN}
         ␛[1m␛[33m  NODE_OPTIONS  DECIDES WHAT IS LOADED␛[0m  │ --require ./x.js
         ␛[2m  note␛[0m                                  │ its key `odd` is left out, because pml does not know it
    import 1 server into `.pml.json`? [y/n] n
    ␛[1m␛[36mhint␛[0m: `pml import` imports them later
    next, to use it in Claude Code:
      claude mcp add pml -- pml stdio
    ");
    assert_snapshot!(shown(&folder(), &["init", "--yes"], 80, COLOURED), @r"
    ␛[1mproject␛[0m $TEST_ENV
      `.pml.json` is written
      `.pml/` is written
      `.gitignore` is written
    1 server can be imported:
         ␛[1mnotes  cursor␛[0m                           │ npx -y @scope/notes-server@1.0.0
                                                 │ --verbose --log-file ./logs/notes
                                                 │ .log
         ␛[2m  TOKEN␛[0m                                 │ ${MY_TOKEN}
         ␛[1m␛[33m  NODE_OPTIONS  DECIDES WHAT IS LOADED␛[0m  │ --require ./x.js
         ␛[2m  note␛[0m                                  │ its key `odd` is left out,
                                                 │ because pml does not know it
    ␛[1m␛[33mwarning␛[0m: `.pml.json` is not trusted, so it has no effect yet
    ␛[1m␛[36mhint␛[0m: read what it declares with `pml trust --show`, then run `pml trust`
    1 server imported into `.pml.json`
    next, to use it in Claude Code:
      claude mcp add pml -- pml stdio
    ");
    assert_snapshot!(shown(&folder(), &["init", "--yes"], 200, PLAIN), @r"
    project $TEST_ENV
      `.pml.json` is written
      `.pml/` is written
      `.gitignore` is written
    1 server can be imported:
         notes  cursor                           │ npx -y @scope/notes-server@1.0.0 --verbose --log-file ./logs/notes.log
           TOKEN                                 │ ${MY_TOKEN}
           NODE_OPTIONS  DECIDES WHAT IS LOADED  │ --require ./x.js
           note                                  │ its key `odd` is left out, because pml does not know it
    warning: `.pml.json` is not trusted, so it has no effect yet
    hint: read what it declares with `pml trust --show`, then run `pml trust`
    1 server imported into `.pml.json`
    next, to use it in Claude Code:
      claude mcp add pml -- pml stdio
    ");
}

#[test]
fn import_on_a_terminal() {
    assert_snapshot!(asked(&["import"], 80, COLOURED), @r"
    1 server can be imported:
         ␛[1mnotes  cursor␛[0m                           │ npx -y @scope/notes-server@1.0.0
                                                 │ --verbose --log-file ./logs/notes
                                                 │ .log
         ␛[2m  TOKEN␛[0m                                 │ ${MY_TOKEN}
         ␛[1m␛[33m  NODE_OPTIONS  DECIDES WHAT IS LOADED␛[0m  │ --require ./x.js
         ␛[2m  note␛[0m                                  │ its key `odd` is left out,
                                                 │ because pml does not know it
    import 1 server into `.pml.json`? [y/n] n
    ␛[1m␛[36mhint␛[0m: `pml import --yes` imports them
    ");
    assert_snapshot!(asked(&["import"], 200, PLAIN), @r"
    1 server can be imported:
         notes  cursor                           │ npx -y @scope/notes-server@1.0.0 --verbose --log-file ./logs/notes.log
           TOKEN                                 │ ${MY_TOKEN}
           NODE_OPTIONS  DECIDES WHAT IS LOADED  │ --require ./x.js
           note                                  │ its key `odd` is left out, because pml does not know it
    import 1 server into `.pml.json`? [y/n] n
    hint: `pml import --yes` imports them
    ");
    assert_snapshot!(shown(&folder(), &["import", "--dry-run"], 80, PLAIN), @r"
    1 server can be imported:
         notes  cursor                           │ npx -y @scope/notes-server@1.0.0
                                                 │ --verbose --log-file ./logs/notes
                                                 │ .log
           TOKEN                                 │ ${MY_TOKEN}
           NODE_OPTIONS  DECIDES WHAT IS LOADED  │ --require ./x.js
           note                                  │ its key `odd` is left out,
                                                 │ because pml does not know it
    hint: `pml import --yes` imports them
    ");
    assert_snapshot!(shown(&folder(), &["import", "--yes"], 200, COLOURED), @r"
    1 server can be imported:
         ␛[1mnotes  cursor␛[0m                           │ npx -y @scope/notes-server@1.0.0 --verbose --log-file ./logs/notes.log
         ␛[2m  TOKEN␛[0m                                 │ ${MY_TOKEN}
         ␛[1m␛[33m  NODE_OPTIONS  DECIDES WHAT IS LOADED␛[0m  │ --require ./x.js
         ␛[2m  note␛[0m                                  │ its key `odd` is left out, because pml does not know it
    ␛[1m␛[33mwarning␛[0m: `.pml.json` is not trusted, so it has no effect yet
    ␛[1m␛[36mhint␛[0m: read what it declares with `pml trust --show`, then run `pml trust`
    1 server imported into `.pml.json`
    ");
    assert_snapshot!(shown(&pml(), &["import"], 80, PLAIN), @r"
    there is nothing new to import
    ");
}

#[test]
fn add_and_remove_on_a_terminal() {
    let env = pml();
    assert_eq!(env.run(&["init", "--yes", "--no-import"]).code, 0);
    let add = ["add", "files", "--yes", "--env", "TOKEN=${MY_TOKEN}", "--", "sh", "-c", "x"];
    assert_snapshot!(shown(&env, &add, 80, PLAIN), @r"
    server `files` is added to `.pml.json`
    hint: server `files` needs `MY_TOKEN`: set it in the environment or in `.env`
    ");
    assert_snapshot!(shown(&env, &add, 200, COLOURED), @r"
    ␛[1m␛[31merror␛[0m: `.pml.json` already has a server `files`
    ␛[1m␛[36mhint␛[0m: choose another name, or replace the server with `--force`
    ");
    let url = ["add", "web", "--yes", "--url", "not a url"];
    assert_snapshot!(shown(&env, &url, 80, COLOURED), @r"
    ␛[1m␛[31merror␛[0m: `--url not a url` is not a URL that begins with `https://` or `http://`
    ␛[1m␛[36mhint␛[0m: `pml add --help` shows examples
    ");
    assert_snapshot!(shown(&env, &["remove", "fiels"], 80, COLOURED), @r"
    ␛[1m␛[31merror␛[0m: `.pml.json` has no server `fiels`
    ␛[1m␛[36mhint␛[0m: did you mean `files`?
    ");
    assert_snapshot!(shown(&env, &["remove", "files"], 200, PLAIN), @r"
    server `files` is removed from `.pml.json`
    ");
    assert_snapshot!(shown(&env, &["remove", "files"], 200, COLOURED), @r"
    ␛[1m␛[31merror␛[0m: `.pml.json` has no server `files`
    ␛[1m␛[36mhint␛[0m: it has no servers: `pml servers` lists those of all files
    ");
}

/// Returns the trail with names in place of days, times, runs and digests.
fn trail(env: &TestEnv, columns: usize, colours: TerminalColours) -> String {
    let text = shown(env, &["audit"], columns, colours);
    let line = |line: &str| match line.strip_prefix("␛[2m") {
        Some(dated) => format!("␛[2m[day]{}", &dated["2026-11-18".len()..]),
        None => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn audit_on_a_terminal() {
    let env = folder();
    assert_snapshot!(trail(&env, 80, PLAIN), @r"
    verified: 0 entries
    ");
    assert_eq!(env.run(&["init", "--yes"]).code, 0);
    env.write("main.ts", pml_kit::scripts::CONFIRM);
    assert_eq!(env.run(&["run", "main.ts"]).code, 4);
    assert_eq!(env.run(&["approve", "last", "--yes", "--no-run"]).code, 0);
    // Where lines are wrapped depends on the name of the user.
    let narrow = screen(&env, &["audit"], 80, PLAIN);
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    let bars: Vec<_> = narrow.lines().filter_map(|line| line.find('│')).collect();
    assert!(bars.len() > 8 && bars.iter().all(|bar| *bar == bars[0]), "{narrow}");
    assert_snapshot!(trail(&env, 200, COLOURED), @r#"
    ␛[2m[day] [time]␛[0m  -         ␛[33msettings changed␛[0m │ made `.pml.json` by [user] (command line)
    ␛[2m[day] [time]␛[0m  -         ␛[33msettings changed␛[0m │ added server notes: npx -y @scope/notes-server@1.0.0 --verbose --log-file ./logs/notes.log, given TOKEN, NODE_OPTIONS by [user] (command line)
    ␛[2m[day] [time]␛[0m  [id]  ␛[33masked␛[0m            │ pml:confirm {"message":"go on?","token":"[hidden: 6 characters]"}
    ␛[2m[day] [time]␛[0m  [id]  ␛[32mapproved␛[0m         │ pml:confirm by [user] (command line), digest [digest]
    verified: 4 entries, head [digest]
    "#);
}

//! What people read on a terminal: with colours and without, in 80 columns and in 200, and in a
//! pipe.

use crate::pml;
use pml::json::json;
use pml_kit::insta::assert_snapshot;
use pml_kit::{
    Terminal, TerminalColours, TestEnv, redacted, run_with_path, screen, toolbox_server, trust,
    trusted_project,
};

const PLAIN: TerminalColours = TerminalColours::Plain;
const COLOURED: TerminalColours = TerminalColours::Coloured;

/// A clone that wants much.
fn clone() -> TestEnv {
    let env = pml();
    let launch = "npx -y @scope/some-server@1.2.3 --verbose --log-file ./logs/a-long-name.log";
    let arguments: Vec<_> = launch.split(' ').skip(1).collect();
    let settings = json!({
        "version": "0.1.0",
        "permissions": { "allow": ["git:*", "files:read_*"], "ask": ["*"] },
        "servers": {
            "files": {
                "command": "npx",
                "args": arguments,
                "env": { "TOKEN": "${MY_TOKEN}", "NODE_OPTIONS": "--require ./x.js" },
            },
            "web": { "url": "https://host.example/mcp", "headers": { "Authorization": "Bearer abc123" } },
        },
    });
    env.write(".pml.json", settings.to_string());
    env
}

#[test]
fn the_question_about_trust() {
    let env = clone();
    let mut terminal = Terminal::start_as(&env, &["trust"], 80, COLOURED);
    let asked = env.without_folders(&terminal.sees("[y/n] ")).replace('\u{1b}', "␛");
    assert_snapshot!(asked, @r"
    ␛[1mnot trusted␛[0m: `.pml.json` of $TEST_ENV
      2 servers:
         ␛[1mfiles␛[0m                                   │ npx -y @scope/some-server@1.2.3 
                                                 │ --verbose --log-file ./logs/a-lon
                                                 │ g-name.log
         ␛[2m  TOKEN␛[0m                                 │ ${MY_TOKEN}
         ␛[1m␛[33m  NODE_OPTIONS  DECIDES WHAT IS LOADED␛[0m  │ --require ./x.js
         ␛[1mweb␛[0m                                     │ https://host.example/mcp
         ␛[2m  Authorization␛[0m                         │ Bearer [hidden: 6 characters]
      allowed without asking │ `git:*`, `files:read_*`
      file │ ./logs/a-long-name.log (files), does not exist yet: asks again when it 
           │ does
      not checked │ what these programs import or read, and files in folders that 
                  │ they are given
    ␛[2ma change asks again; `pml trust --revoke` takes the trust back␛[0m
    do you trust these files? [y/n]
    ");
    terminal.types("n\n");
    let (shown, code) = terminal.ends();
    assert_eq!((shown.as_str(), code), ("n\nnothing was changed: the files are not trusted\n", 1));
    let mut terminal = Terminal::start_as(&env, &["trust"], 200, PLAIN);
    assert_snapshot!(env.without_folders(&terminal.sees("[y/n] ")), @r"
    not trusted: `.pml.json` of $TEST_ENV
      2 servers:
         files                                   │ npx -y @scope/some-server@1.2.3 --verbose --log-file ./logs/a-long-name.log
           TOKEN                                 │ ${MY_TOKEN}
           NODE_OPTIONS  DECIDES WHAT IS LOADED  │ --require ./x.js
         web                                     │ https://host.example/mcp
           Authorization                         │ Bearer [hidden: 6 characters]
      allowed without asking │ `git:*`, `files:read_*`
      file │ ./logs/a-long-name.log (files), does not exist yet: asks again when it does
      not checked │ what these programs import or read, and files in folders that they are given
    a change asks again; `pml trust --revoke` takes the trust back
    do you trust these files? [y/n]
    ");
    terminal.types("y\n");
    assert_eq!(terminal.ends(), ("y\ntrusted\n".into(), 0));
}

#[test]
fn trust_at_first_and_trust_again_differ_in_words() {
    let env = pml();
    assert_eq!(env.run(&["init", "--yes", "--no-import"]).code, 0);
    env.write(".mcp.json", r#"{ "mcpServers": { "a": { "command": "sh" } } }"#);
    assert_snapshot!(env.run(&["servers"]).snapshot(), @r"
    exit code: 0
    --- stdout ---
    SERVER  KIND   STATUS       ERA  PROTOCOL  TOOLS  START  MEMORY  NAME AND VERSION
    a       stdio  not trusted
    --- stderr ---
    warning: `.mcp.json` is not trusted yet: its servers are not started
    hint: read what it declares with `pml trust --show`, then run `pml trust`
    ");
    assert_snapshot!(env.run(&["trust", "--show"]).snapshot(), @r"
    exit code: 0
    --- stdout ---
    not trusted yet: `.mcp.json` and `.pml.json` of $TEST_ENV
      `.mcp.json` is not trusted yet
      1 server:
         a  │ sh
      not checked │ what these programs import or read, and files in folders that they are given
    a change asks again; `pml trust --revoke` takes the trust back
    ");
    trust(&env);
    env.write(".mcp.json", r#"{ "mcpServers": { "a": { "command": "sh", "args": ["x"] } } }"#);
    assert_snapshot!(env.run(&["servers"]).snapshot(), @r"
    exit code: 0
    --- stdout ---
    SERVER  KIND   STATUS       ERA  PROTOCOL  TOOLS  START  MEMORY  NAME AND VERSION
    a       stdio  not trusted
    --- stderr ---
    warning: `.mcp.json` changed since you trusted this folder: its servers are not started
    hint: read what it declares with `pml trust --show`, then run `pml trust`
    ");
    assert_snapshot!(env.run(&["trust", "--show"]).snapshot(), @r"
    exit code: 0
    --- stdout ---
    changed since you trusted it: `.mcp.json` and `.pml.json` of $TEST_ENV
      `.mcp.json` changed since you trusted this folder
      1 server:
         a  │ sh x
      not checked │ what these programs import or read, and files in folders that they are given
    a change asks again; `pml trust --revoke` takes the trust back
    ");
}

#[test]
fn servers_of_mcp_json_that_cannot_be_used_are_named_everywhere() {
    let env = pml();
    env.write(
        ".mcp.json",
        r#"{ "mcpServers": { "bad name": { "command": "sh" }, "old": { "type": "sse", "url": "https://h.example" } } }"#,
    );
    trust(&env);
    assert_snapshot!(env.run(&["servers"]).snapshot(), @r"
    exit code: 0
    --- stdout ---
    SERVER    KIND   STATUS    ERA  PROTOCOL  TOOLS  START  MEMORY  NAME AND VERSION
    old       http   unusable
    bad name  stdio  unusable
    old: its type `sse` is not supported: use `http` if the server has it too
    bad name: a server cannot have the name `bad name`
    ");
    assert_snapshot!(env.run(&["trust", "--show"]).snapshot(), @r#"
    exit code: 0
    --- stdout ---
    trusted: `.mcp.json` of $TEST_ENV
      2 servers:
         old               │ https://h.example
           cannot be used  │ its type `sse` is not supported: use `http` if the server has it too
         server            │ "bad name": sh
           cannot be used  │ a server cannot have the name `bad name`
      not checked │ what these programs import or read, and files in folders that they are given
    a change asks again; `pml trust --revoke` takes the trust back
    "#);
}

#[test]
fn doctor_in_an_empty_folder_says_what_to_do_next() {
    let env = pml();
    assert_snapshot!(redacted(&screen(&env, &["doctor"], 80, PLAIN)), @r"
    machine
    ok    pml [version], guest sha256:[digest]
    ok    programs can run in the sandbox
    ok    there is no journal yet, the first run makes it: $TEST_STATE/pml/projects/[journal]
    project
    note  the audit trail is empty
    note  this folder has no `.pml.json` and no `.mcp.json`: $TEST_ENV
          hint: `pml init` makes this folder a project
    servers
    note  no server is configured
          hint: `pml add` adds one, `pml import` imports those of other clients
    clients
    note  no client uses pml in this folder
          hint: for Claude Code, run `claude mcp add pml -- pml stdio`
    no problems found, and 3 hints say what to do next
    ");
    assert_snapshot!(redacted(&screen(&env, &["doctor"], 200, COLOURED)), @r"
    ␛[1mmachine␛[0m
    ␛[32mok  ␛[0m  pml [version], guest sha256:[digest]
    ␛[32mok  ␛[0m  programs can run in the sandbox
    ␛[32mok  ␛[0m  there is no journal yet, the first run makes it: $TEST_STATE/pml/projects/[journal]
    ␛[1mproject␛[0m
    ␛[2mnote␛[0m  the audit trail is empty
    ␛[2mnote␛[0m  this folder has no `.pml.json` and no `.mcp.json`: $TEST_ENV
          ␛[1m␛[36mhint␛[0m: `pml init` makes this folder a project
    ␛[1mservers␛[0m
    ␛[2mnote␛[0m  no server is configured
          ␛[1m␛[36mhint␛[0m: `pml add` adds one, `pml import` imports those of other clients
    ␛[1mclients␛[0m
    ␛[2mnote␛[0m  no client uses pml in this folder
          ␛[1m␛[36mhint␛[0m: for Claude Code, run `claude mcp add pml -- pml stdio`
    ␛[32mno problems found␛[0m, and 3 hints say what to do next
    ");
}

#[test]
fn doctor_refuses_what_the_start_of_a_server_refuses() {
    let env = trusted_project(
        pml(),
        &json!({ "servers": {
            "flag": { "command": "npx", "args": ["--node-options=x", "some-server@1.2.3"] },
            "git": { "command": "uvx", "args": ["git+https://host.example/x"] },
            "pinned": { "command": "npx", "args": ["-y", "some-server@1.2.3"] },
            "range": { "command": "npx", "args": ["-y", "some-server@^1.2.3"] },
            "dlx": { "command": "pnpm", "args": ["dlx", "some-server@latest"] },
        } }),
    );
    let output = env.run(&["doctor"]);
    assert_snapshot!(output.snapshot(), @r"
    exit code: 1
    --- stdout ---
    machine
    ok    pml [version], guest sha256:[digest]
    ok    programs can run in the sandbox
    ok    there is no journal yet, the first run makes it: $TEST_STATE/pml/projects/[journal]
    project
    note  the audit trail is empty
    ok    `.pml.json` can be read: $TEST_ENV
    ok    you trust these files
    note  there is no `.pml/mcp.lock` yet: the first call writes it
          hint: `pml lock` writes it for all servers; commit it
    servers
    fail  `flag` cannot be started: pml does not know the flag `--node-options` of `npx`, so it cannot tell which package is meant
          hint: remove the flag, or install the package yourself and use its program as the `command`
    fail  `git` cannot be started: `git+https://host.example/…` is not a package of a registry, so pml cannot install one exact version of it
          hint: write a name and a version, as in `some-server==1.2.3`, or install it yourself and use its program as the `command`
    note  `pinned` is not installed: some-server@1.2.3
          hint: `pml install pinned` installs it, or you are asked at its first call
    note  `range` is not installed: some-server@^1.2.3, the newest version that fits
          hint: `pml install range` installs it, or you are asked at its first call
    fail  `dlx` cannot be started: there is no program `pnpm`
          hint: install it, or write its full path as the `command`
    note  `dlx` fetches the newest `some-server@latest` each time it starts
          hint: name an exact version, as in `some-server@1.2.3`, so that it changes only when you say so
    policy
    ok    0 patterns, no contradictions
    clients
    note  no client uses pml in this folder
          hint: for Claude Code, run `claude mcp add pml -- pml stdio`
    3 failures, 0 warnings
    ");
    let servers = env.run(&["servers"]);
    assert_snapshot!(servers.snapshot(), @r"
    exit code: 0
    --- stdout ---
    SERVER  KIND   STATUS         ERA  PROTOCOL  TOOLS  START  MEMORY  NAME AND VERSION
    flag    stdio  unusable       -    -         -      -      -       -
    git     stdio  unusable       -    -         -      -      -       -
    pinned  stdio  not installed  -    -         -      -      -       -
    range   stdio  not installed  -    -         -      -      -       -
    dlx     stdio  not started    -    -         -      -      -       -
    flag: pml does not know the flag `--node-options` of `npx`, so it cannot tell which package is meant
      hint: remove the flag, or install the package yourself and use its program as the `command`
    git: `git+https://host.example/…` is not a package of a registry, so pml cannot install one exact version of it
      hint: write a name and a version, as in `some-server==1.2.3`, or install it yourself and use its program as the `command`
    pinned: not installed │ some-server@1.2.3
      hint: `pml install pinned` installs it
    range: not installed │ some-server@^1.2.3
      hint: `pml install range` installs it
    ");
}

#[test]
fn servers_fit_the_terminal() {
    let env = trusted_project(
        pml(),
        &json!({ "permissions": { "allow": ["box:*"] }, "servers": {
            "box": toolbox_server(),
            "a-server-with-a-very-long-name-indeed": { "command": "npx", "args": ["-y", "some-server@1.2.3"] },
            "日本語のサーバー": { "command": "sh" },
        } }),
    );
    assert_snapshot!(redacted(&screen(&env, &["servers"], 80, PLAIN)), @r"
    SERVER                      KIND   STATUS         TOOLS  START  NAME AND VERSION
    box                         stdio  not started    -      -      -
    a-server-with-a-very-long…  stdio  not installed  -      -      -
    日本語のサーバー            stdio  not started    -      -      -
    a-server-with-a-very-long-name-indeed: not installed │ some-server@1.2.3
      hint: `pml install a-server-with-a-very-long-name-indeed` installs it
    ");
    assert_snapshot!(redacted(&screen(&env, &["servers"], 200, COLOURED)), @r"
    ␛[1mSERVER␛[0m                                 ␛[1mKIND␛[0m   ␛[1mSTATUS␛[0m         ␛[1mERA␛[0m  ␛[1mPROTOCOL␛[0m  ␛[1mTOOLS␛[0m  ␛[1mSTART␛[0m  ␛[1mMEMORY␛[0m  ␛[1mNAME AND VERSION␛[0m
    box                                    ␛[2mstdio␛[0m  ␛[2mnot started␛[0m    ␛[2m-␛[0m    ␛[2m-␛[0m         ␛[2m-␛[0m      ␛[2m-␛[0m      ␛[2m-␛[0m       ␛[2m-␛[0m
    a-server-with-a-very-long-name-indeed  ␛[2mstdio␛[0m  ␛[33mnot installed␛[0m  ␛[2m-␛[0m    ␛[2m-␛[0m         ␛[2m-␛[0m      ␛[2m-␛[0m      ␛[2m-␛[0m       ␛[2m-␛[0m
    日本語のサーバー                       ␛[2mstdio␛[0m  ␛[2mnot started␛[0m    ␛[2m-␛[0m    ␛[2m-␛[0m         ␛[2m-␛[0m      ␛[2m-␛[0m      ␛[2m-␛[0m       ␛[2m-␛[0m
    ␛[33ma-server-with-a-very-long-name-indeed␛[0m: not installed │ some-server@1.2.3
      ␛[1m␛[36mhint␛[0m: `pml install a-server-with-a-very-long-name-indeed` installs it
    ");
    assert_snapshot!(env.run(&["servers"]).snapshot(), @r"
    exit code: 0
    --- stdout ---
    SERVER                                 KIND   STATUS         ERA  PROTOCOL  TOOLS  START  MEMORY  NAME AND VERSION
    box                                    stdio  not started    -    -         -      -      -       -
    a-server-with-a-very-long-name-indeed  stdio  not installed  -    -         -      -      -       -
    日本語のサーバー                       stdio  not started    -    -         -      -      -       -
    a-server-with-a-very-long-name-indeed: not installed │ some-server@1.2.3
      hint: `pml install a-server-with-a-very-long-name-indeed` installs it
    ");
    // A server that has run says more about itself.
    let started = run_with_path(&env, &["call", "box:echo", r#"{"text":"x"}"#]);
    assert_eq!(started.code, 0, "{}", started.stderr);
    for columns in [80, 200] {
        for line in screen(&env, &["servers"], columns, PLAIN).lines() {
            assert!(line.chars().count() <= columns, "{line}");
        }
    }
}

#[test]
fn the_start_of_a_server_is_not_called_queued() {
    let env = trusted_project(
        pml(),
        &json!({ "permissions": { "allow": ["box:*"] }, "servers": { "box": toolbox_server() } }),
    );
    assert_eq!(run_with_path(&env, &["call", "box:echo", r#"{"text":"x"}"#]).code, 0);
    let call = pml_kit::json_of(&env, &["runs", "show", "last", "--json"])["calls"][0].clone();
    assert!(call["starting_ms"].as_f64().is_some_and(|time| time > 0.0), "{call}");
    let shown = env.run(&["runs", "show", "last"]).stdout;
    assert!(shown.contains("▒ starting the server ") && !shown.contains("queued"), "{shown}");
}

#[test]
fn a_project_is_made_and_its_servers_come_and_go() {
    let env = pml();
    env.write(".cursor/mcp.json", r#"{ "mcpServers": { "notes": { "command": "npx", "args": ["-y", "notes@1.0.0"], "env": { "TOKEN": "${MY_TOKEN}" }, "odd": 1 } } }"#);
    assert_snapshot!(env.run(&["import"]).snapshot(), @r"
    exit code: 0
    --- stdout ---
    1 server can be imported:
         notes  cursor  │ npx -y notes@1.0.0
           TOKEN        │ ${MY_TOKEN}
           note         │ its key `odd` is left out, because pml does not know it
    --- stderr ---
    hint: `pml import --yes` imports them
    ");
    assert_snapshot!(env.run(&["init", "--yes"]).snapshot(), @r"
    exit code: 0
    --- stdout ---
    project $TEST_ENV
      `.pml.json` is written
      `.pml/` is written
      `.gitignore` is written
    1 server can be imported:
         notes  cursor  │ npx -y notes@1.0.0
           TOKEN        │ ${MY_TOKEN}
           note         │ its key `odd` is left out, because pml does not know it
    1 server imported into `.pml.json`
    next, to use it in Claude Code:
      claude mcp add pml -- pml stdio
    --- stderr ---
    warning: `.pml.json` is not trusted, so it has no effect yet
    hint: read what it declares with `pml trust --show`, then run `pml trust`
    ");
    assert_snapshot!(env.run(&["init", "--yes", "--no-import"]).snapshot(), @r"
    exit code: 0
    --- stdout ---
    project $TEST_ENV
      `.pml.json` exists already
      `.pml/` exists already
      `.gitignore` exists already
    next, to use it in Claude Code:
      claude mcp add pml -- pml stdio
    --- stderr ---
    warning: `.pml.json` is not trusted, so it has no effect yet
    hint: read what it declares with `pml trust --show`, then run `pml trust`
    ");
    assert_snapshot!(env.run(&["add", "files", "--yes", "--", "sh", "-c", "x"]).snapshot(), @r"
    exit code: 0
    --- stdout ---
    server `files` is added to `.pml.json`
    --- stderr ---
    warning: `.pml.json` is not trusted, so it has no effect yet
    hint: read what it declares with `pml trust --show`, then run `pml trust`
    ");
    assert_snapshot!(env.run(&["add", "files", "--yes", "--", "sh"]).snapshot(), @r"
    exit code: 2
    --- stderr ---
    error: `.pml.json` already has a server `files`
    hint: choose another name, or replace the server with `--force`
    ");
    assert_snapshot!(env.run(&["add", "bad name", "--yes", "--", "sh"]).snapshot(), @r"
    exit code: 2
    --- stderr ---
    error: a server cannot have the name `bad name`
    hint: use visible characters only, and no space, `:` or `*`
    ");
    assert_snapshot!(env.run(&["add", "web", "--yes", "--url", "not a url"]).snapshot(), @r"
    exit code: 2
    --- stderr ---
    error: `--url not a url` is not a URL that begins with `https://` or `http://`
    hint: `pml add --help` shows examples
    ");
    assert_snapshot!(env.run(&["add", "web", "--yes", "--url", "https://h.example", "--header", "A b: ${"]).snapshot(), @r"
    exit code: 2
    --- stderr ---
    error: `A b` in `--header` is not the name of a header
    hint: `pml add --help` shows examples
    ");
    assert_snapshot!(env.run(&["remove", "fiels"]).snapshot(), @r"
    exit code: 2
    --- stderr ---
    error: `.pml.json` has no server `fiels`
    hint: did you mean `files`?
    ");
    assert_snapshot!(env.run(&["remove", "files"]).snapshot(), @r"
    exit code: 0
    --- stdout ---
    server `files` is removed from `.pml.json`
    --- stderr ---
    warning: `.pml.json` is not trusted, so it has no effect yet
    hint: read what it declares with `pml trust --show`, then run `pml trust`
    ");
}

#[test]
fn a_reference_to_a_variable_is_not_taken_for_a_secret() {
    let env = pml();
    env.write(
        ".pml.json",
        r#"{ "servers": { "a": { "env": { "TOKEN": "${MY_TOKEN}" }, "comand": "x" } } }"#,
    );
    let output = env.run(&["servers"]);
    assert!(output.stderr.contains(r#""TOKEN": "${MY_TOKEN}""#), "{}", output.stderr);
    assert_snapshot!(output.snapshot(), @r#"
    exit code: 2
    --- stderr ---
    error: `servers.a` has no key `comand`: $TEST_ENV/.pml.json:1:58
      ╭─[.pml.json:1:58]
    1 │ { "servers": { "a": { "env": { "TOKEN": "${MY_TOKEN}" }, "comand": "x" } } }
      ·                                                          ╵
    hint: did you mean `command`?
    "#);
}

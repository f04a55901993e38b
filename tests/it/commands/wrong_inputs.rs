//! A hundred wrong inputs, and what pml prints about each. The snapshot is the table: whoever
//! changes a message reads it there, beside what the user typed.

use crate::pml;
use pml_kit::insta::{Settings, assert_snapshot};
use pml_kit::{TestEnv, redacted};

/// A wrong input: files that are there, and a command line.
struct WrongInput {
    files: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
    stdin: &'static str,
}

const fn command(arguments: &'static [&'static str]) -> WrongInput {
    WrongInput { files: &[], arguments, stdin: "" }
}

/// A program in `main.ts` that is run.
const fn program(files: &'static [(&'static str, &'static str)]) -> WrongInput {
    WrongInput { files, arguments: &["run", "main.ts"], stdin: "" }
}

/// Settings in `.pml.json` that a command reads.
const fn settings(files: &'static [(&'static str, &'static str)]) -> WrongInput {
    WrongInput { files, arguments: &["eval", "1"], stdin: "" }
}

/// Shows the command line, the files, and what was printed.
fn show(input: &WrongInput) -> String {
    let env: TestEnv = pml();
    // The folder is a project of its own, whatever is above it.
    env.write("package.json", "{}");
    let mut text = String::new();
    for (name, content) in input.files {
        env.write(name, content);
        text += &format!("# {name}: {}\n", content.trim_end().replace('\n', "⏎"));
    }
    let typed: Vec<String> = input.arguments.iter().map(|argument| quoted(argument)).collect();
    text += &format!("$ pml {}\n", typed.join(" "));
    let output = match input.stdin {
        "" => env.run(input.arguments),
        stdin => env.run_with_stdin(input.arguments, stdin),
    };
    // Only what waits for a person has ids in it; elsewhere `5m` is a word of the message.
    let shown = |text: &str| if output.code == 4 { redacted(text) } else { text.to_owned() };
    for line in shown(&output.stdout).lines().chain(shown(&output.stderr).lines()) {
        text += line.trim_end();
        text.push('\n');
    }
    assert_ne!(output.code, 255, "{text}");
    text + &format!("→ {}\n\n", output.code)
}

fn quoted(argument: &str) -> String {
    match argument.is_empty() || argument.contains([' ', '\'', '"', '{', '*', ';', '(']) {
        true => format!("'{argument}'"),
        false => argument.to_owned(),
    }
}

/// Compares what is printed about each input with the snapshot of that name.
fn compare(name: &str, inputs: &[WrongInput]) {
    let mut settings = Settings::clone_current();
    settings.set_omit_expression(true);
    settings.set_prepend_module_to_snapshot(false);
    let table: String = inputs.iter().map(show).collect();
    settings.bind(|| assert_snapshot!(name, table));
}

#[test]
fn wrong_command_lines() {
    compare(
        "wrong_command_lines",
        &[
            command(&["rnu", "x.ts"]),
            command(&["run"]),
            command(&["run", "nothing.ts"]),
            command(&["run", "nothing.ts", "--json"]),
            command(&["run", "."]),
            command(&["run", "../elsewhere.ts"]),
            WrongInput {
                files: &[("report.ts", "1")],
                arguments: &["run", "reprot.ts"],
                stdin: "",
            },
            WrongInput { files: &[("report.ts", "1")], arguments: &["run", "report"], stdin: "" },
            WrongInput { files: &[("x.py", "print(1)")], arguments: &["run", "x.py"], stdin: "" },
            WrongInput { files: &[("x.json", "{}")], arguments: &["run", "x.json"], stdin: "" },
            WrongInput { files: &[("x.tsx", "<a/>")], arguments: &["run", "x.tsx"], stdin: "" },
            command(&["eval"]),
            command(&["eval", "1", "--memory", "64"]),
            command(&["eval", "1", "--memory", "lots"]),
            command(&["eval", "1", "--memory", "9G"]),
            command(&["eval", "1", "--cpu-time", "5"]),
            command(&["eval", "1", "--cpu-time", "0s"]),
            command(&["eval", "1", "--timeout", "-1s"]),
            command(&["eval", "1", "--timout", "1s"]),
            command(&["eval", "1", "--seed", "dice"]),
            command(&["eval", "1", "--durability", "none"]),
            command(&["eval", "1", "--inputs", "{n:1}"]),
            command(&["eval", "1", "--inputs", "@nothing.json"]),
            command(&["eval", "1", "--inputs", "@."]),
            WrongInput {
                files: &[("in.json", "{\"a\": }")],
                arguments: &["eval", "1", "--inputs", "@in.json"],
                stdin: "",
            },
            command(&["run", "--resume", "last"]),
            command(&["run", "--resume", "xyz", "--inputs", "{}"]),
            command(&["run", "-", "--watch"]),
            WrongInput { files: &[], arguments: &["run", "-"], stdin: "const = 1" },
            command(&["eval", "1", "--allow", "not a pattern"]),
            command(&["eval", "1", "--color", "sometimes"]),
            command(&["help", "rnu"]),
        ],
    );
}

#[test]
fn wrong_programs() {
    compare(
        "wrong_programs",
        &[
            program(&[("main.ts", "const x = ;")]),
            program(&[("main.ts", "if (true {\n  return 1\n}")]),
            program(&[("main.ts", "const text = \"never ends")]),
            program(&[("main.ts", "enum Color { Red }\nreturn 1")]),
            program(&[("main.ts", "namespace A { export const b = 1 }\nreturn A.b")]),
            program(&[("main.ts", "class P { constructor(private x: number) {} }\nreturn 1")]),
            program(&[("main.ts", "@sealed class P {}\nreturn 1")]),
            program(&[("main.ts", "import fs from \"node:fs\"\nexport default 1")]),
            program(&[("main.ts", "import { z } from \"zod\"\nexport default 1")]),
            program(&[(
                "main.ts",
                "import x from \"https://host.example/x.ts\"\nexport default 1",
            )]),
            program(&[("main.ts", "import x from \"./nothing.ts\"\nexport default 1")]),
            program(&[
                ("main.ts", "import x from \"./lib/prat.ts\"\nexport default 1"),
                ("lib/part.ts", "export default 1"),
            ]),
            program(&[("main.ts", "import x from \"../../etc/passwd\"\nexport default 1")]),
            program(&[
                ("main.ts", "import { absent } from \"./lib.ts\"\nexport default absent"),
                ("lib.ts", "export const present = 1"),
            ]),
            program(&[("main.ts", "const fs = require(\"fs\")\nreturn 1")]),
            program(&[("main.ts", "const page = await fetch(\"https://host.example\")\nreturn 1")]),
            program(&[("main.ts", "return process.env.HOME")]),
            program(&[("main.ts", "const shop = { items: [] as string[] }\nshop.add(\"cup\")")]),
            program(&[("main.ts", "const order = undefined as any\nreturn order.total")]),
            program(&[("main.ts", "return { f: () => 1 }.f")]),
            program(&[("main.ts", "const a: any = {}\na.a = a\nreturn a")]),
            program(&[("main.ts", "return 10n")]),
            program(&[("main.ts", "export default class Report {}")]),
            program(&[("main.ts", "await new Promise(() => {})")]),
            program(&[("main.ts", "throw \"a string\"")]),
            program(&[("main.ts", "throw new Error(\"outer\", { cause: new Error(\"inner\") })")]),
            program(&[("main.ts", "Promise.reject(new Error(\"left alone\"))\nreturn 1")]),
            program(&[(
                "main.ts",
                "setTimeout(() => { throw new Error(\"late\") }, 1)\nawait new Promise(done => setTimeout(done, 5))\nreturn 1",
            )]),
            program(&[(
                "main.ts",
                "const deep = (n: number): number => deep(n + 1)\nreturn deep(0)",
            )]),
            program(&[("main.ts", "return await mcp.files.read({ path: \"a\" })")]),
            program(&[("main.ts", "return await mcp.pml.slep({ ms: 1 })")]),
            program(&[("main.ts", "return await mcp.pml.sleep({ ms: \"soon\" })")]),
            program(&[("main.ts", "return await mcp.call(\"no colon\")")]),
            program(&[("main.ts", "mcp.pml.sleep({ ms: 5 })\nreturn 1")]),
        ],
    );
}

#[test]
fn wrong_settings() {
    compare(
        "wrong_settings",
        &[
            settings(&[(".pml.json", "{ \"version\": \"0.1.0\", ")]),
            settings(&[(".pml.json", "[]")]),
            settings(&[(".pml.json", "{ \"version\": \"9.0.0\" }")]),
            settings(&[(".pml.json", "{ \"version\": \"0.1.0\", \"permisions\": {} }")]),
            settings(&[(
                ".pml.json",
                "{ \"version\": \"0.1.0\", \"permissions\": { \"allow\": \"*\" } }",
            )]),
            settings(&[(
                ".pml.json",
                "{ \"version\": \"0.1.0\", \"permissions\": { \"allow\": [\"a b\"] } }",
            )]),
            settings(&[(
                ".pml.json",
                "{ \"version\": \"0.1.0\", \"limits\": { \"memory\": \"64\" } }",
            )]),
            settings(&[(
                ".pml.json",
                "{ \"version\": \"0.1.0\", \"limits\": { \"cpuTime\": 5 } }",
            )]),
            settings(&[(
                ".pml.json",
                "{ \"version\": \"0.1.0\", \"servers\": { \"bad name\": { \"command\": \"x\" } } }",
            )]),
            settings(&[(
                ".pml.json",
                "{ \"version\": \"0.1.0\", \"servers\": { \"pml\": { \"command\": \"x\" } } }",
            )]),
            settings(&[(".pml.json", "{ \"version\": \"0.1.0\", \"servers\": { \"a\": {} } }")]),
            settings(&[(
                ".pml.json",
                "{ \"version\": \"0.1.0\", \"servers\": { \"a\": { \"command\": \"x\", \"url\": \"https://host.example\" } } }",
            )]),
            settings(&[(
                ".pml.json",
                "{ \"version\": \"0.1.0\", \"servers\": { \"a\": { \"url\": \"ftp://host.example\" } } }",
            )]),
            settings(&[(
                ".pml.json",
                "{ \"version\": \"0.1.0\", \"servers\": { \"a\": { \"command\": \"x\", \"timeout\": \"long\" } } }",
            )]),
            settings(&[(".mcp.json", "{ \"mcpServers\": [] }")]),
            settings(&[(".mcp.json", "not json")]),
        ],
    );
}

#[test]
fn wrong_uses_of_a_project() {
    compare(
        "wrong_uses_of_a_project",
        &[
            command(&["call"]),
            command(&["call", "files"]),
            command(&["call", "files:read"]),
            command(&["call", "pml:sleep", "{ms:1}"]),
            command(&["call", "pml:sleep", "[1]"]),
            command(&["check", "nothing.ts"]),
            WrongInput {
                files: &[("a.ts", "const = 1"), ("b.ts", "return 1")],
                arguments: &["check", "a.ts", "b.ts", "c.ts"],
                stdin: "",
            },
            WrongInput {
                files: &[("a.ts", "await mcp.files.read({})")],
                arguments: &["check", "a.ts"],
                stdin: "",
            },
            command(&["tools", "nothing"]),
            command(&["servers", "nothing"]),
            command(&["install", "nothing"]),
            command(&["trust"]),
            command(&["trust", "--yes"]),
            WrongInput {
                files: &[(".mcp.json", "{\"mcpServers\":{\"a\":{\"command\":\"a-program\"}}}")],
                arguments: &["trust"],
                stdin: "",
            },
            WrongInput {
                files: &[(".mcp.json", "{\"mcpServers\":{\"a\":{\"command\":\"a-program\"}}}")],
                arguments: &["call", "a:b"],
                stdin: "",
            },
            command(&["add", "bad name", "--yes", "--", "a-program"]),
            command(&["add", "files", "--yes"]),
            command(&["add", "web", "--yes", "--url", "not a url"]),
            command(&["remove", "nothing"]),
            command(&["import", "--yes", "--from", "nothing"]),
            command(&["runs", "show", "last"]),
            command(&["runs", "show", "zz"]),
            command(&["runs", "--state", "sleeping"]),
            command(&["runs", "prune", "--older-than", "soon"]),
            command(&["runs", "adopt", "nowhere", "--yes"]),
            command(&["replay", "last"]),
            command(&["approve"]),
            command(&["approve", "last"]),
            command(&["approve", "abc", "--yes", "--decline"]),
            command(&["approve", "abc", "--result", "{x"]),
            command(&["completions", "csh"]),
            command(&["doctor", "--fix"]),
        ],
    );
}

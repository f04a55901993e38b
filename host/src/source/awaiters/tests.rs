//! Stacks that end at a resumed function, and the functions that await it.

use super::super::{Program, Script};
use super::FunctionIndex;
use crate::model::LineIndex;

fn awaiting(program: &Program, module: &str, mark: &str) -> String {
    let source = &program.module(module).unwrap().source;
    let at = source.find(mark).unwrap_or_else(|| panic!("{mark} in {source}"));
    let position = LineIndex::new(source).position(module, at);
    let frames = FunctionIndex::new(program, None).awaiting(&position).into_iter();
    let frames = frames.map(|frame| {
        assert!(frame.is_async);
        let name = frame.function.unwrap_or_else(|| "-".to_owned());
        format!("{name} {}:{}", frame.position.line, frame.position.column)
    });
    frames.collect::<Vec<_>>().join(", ")
}

/// Returns the frames above the one that contains `HERE`.
fn above(text: &str) -> String {
    let program = Script::ts(text).load(1 << 20).unwrap_or_else(|error| panic!("{text}\n{error}"));
    awaiting(&program, "program.ts", "HERE")
}

#[test]
fn awaiting_functions_are_named() {
    for (text, wanted) in [
        ("async function f() { await 0; HERE }\nawait f()", "- 2:7"),
        (
            "async function f() { await 0; HERE }\nasync function g() { const x = await f() }\nconst h = async () => { await g() }\nawait h()",
            "g 2:38, h 3:31, - 4:7",
        ),
        (
            "async function f() { HERE }\nasync function g() { return f() }\nawait g()",
            "g 2:29, - 3:7",
        ),
        ("async function f() { HERE }\nfunction g() { return f() }\nawait g()", "g 2:23, - 3:7"),
        ("async function f() { HERE }\nconst g = () => f()\nawait g()", "g 2:17, - 3:7"),
        (
            "async function f() { HERE }\nasync function g() {}\nawait Promise.all([f(), g()])",
            "- 3:20",
        ),
        ("const f = async (n) => { HERE }\nawait Promise.all([1].map(f))", "- 2:27"),
        ("await Promise.all([1].map(async (n) => { HERE }))", "- 1:15"),
        (
            "async function g() { return Promise.race([1].map(async (n) => { HERE })) }\nawait g()",
            "g 1:37, - 2:7",
        ),
        ("await (async () => { HERE })()", "- 1:30"),
        ("async function f() { HERE }\nawait f().then((x) => x).finally(() => {})", "- 2:7"),
        ("async function* f() { HERE }\nfor await (const x of f()) {}", "- 2:23"),
        ("async function f() { HERE }\nconst x = inputs.a ? await f() : 0", "- 2:28"),
        ("async function f(): Promise<any> { HERE }\nconst x = (await f()) as any", "- 2:18"),
        ("async function f() { HERE }\nconst x = { a: [await f()] }", "- 2:23"),
        (
            "class A { async run() { await f() } }\nasync function f() { HERE }\nawait new A().run()",
            "run 1:31",
        ),
    ] {
        assert_eq!(above(text), wanted, "{text}");
    }
}

#[test]
fn what_is_not_certain_is_not_shown() {
    for text in [
        // At the top level, nothing awaits.
        "await 0; HERE",
        // Called from two places, or never awaited.
        "async function f() { HERE }\nawait f(); await f()",
        "async function f() { HERE }\nf()",
        "async function f() { HERE }\nconst p = f(); await p",
        // Passed on, reassigned, or a method.
        "async function f() { HERE }\nuse(f); await f()",
        "let f = async () => { HERE }\nf = other; await f()",
        "const o = { async f() { HERE } }\nawait o.f()",
        "await use(async () => { HERE })",
        // A plain function is not resumed.
        "function f() { HERE }\nawait f()",
        // Another variable of that name.
        "async function f() { HERE }\n{ const f = g; await f() }",
        "async function f(n) { HERE; await f(n - 1) }\nawait f(1)",
    ] {
        assert_eq!(above(text), "", "{text}");
    }
}

#[test]
fn imports_are_followed_if_every_use_is_seen() {
    let load = |main: &str| {
        let folder = tempfile::tempdir().unwrap();
        let lib = "export async function f() { await 0; HERE }\nconst g = async () => { await f() }\nexport { g as default }";
        std::fs::write(folder.path().join("lib.ts"), lib).unwrap();
        std::fs::write(folder.path().join("main.ts"), main).unwrap();
        let program = Script::file(folder.path().join("main.ts")).load(1 << 20).unwrap();
        awaiting(&program, "lib.ts", "HERE")
    };
    assert_eq!(
        load(
            "import g from './lib.ts'\nasync function h() { await g() }\nexport default await h()"
        ),
        "g 2:31, h 2:28, - 3:22"
    );
    assert_eq!(load("import { f } from './lib.ts'\nexport default await f()"), "");
    assert_eq!(load("import * as lib from './lib.ts'\nexport default await lib.f()"), "");
    assert_eq!(load("const lib = await import('./lib.ts')\nlib.default()"), "");
}

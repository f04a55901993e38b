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
            "run 1:31, - 3:15",
        ),
        ("const x = await (async () => { HERE })()\nreturn x", "- 1:40"),
    ] {
        assert_eq!(above(text), wanted, "{text}");
    }
}

#[test]
fn methods_are_followed_while_their_object_is_not_passed_on() {
    for (text, wanted) in [
        ("const o = { async f() { HERE } }\nawait o.f()", "- 2:9"),
        ("const o = { f: async () => { HERE }, n: 1 }\nconsole.log(o.n); await o.f()", "- 2:27"),
        (
            "const o = { async f() { HERE }, async g() { await this.f() } }\nawait o.g()",
            "g 1:56, - 2:9",
        ),
        (
            "class A { async f() { HERE }\nasync g() { await this.f() } }\nconst a = new A()\nawait a.g()",
            "g 2:24, - 4:9",
        ),
        (
            "class A { f = async () => { HERE }\nconstructor(n) { this.n = n } }\nawait new A(1).f()",
            "- 3:16",
        ),
        ("class A { static async f() { HERE } }\nawait A.f()", "- 2:9"),
        ("class A { async #f() { HERE }\nasync g() { return this.#f() } }\nuse(new A())", "g 2:25"),
        (
            "class A { async f() { HERE }\nasync g() { await Promise.all([1].map(async (n) => { await this.f() })) } }\nconst a = new A()\nawait a.g()",
            "- 2:65, g 2:27, - 4:9",
        ),
    ] {
        assert_eq!(above(text), wanted, "{text}");
    }
    for text in [
        "const o = { async f() { HERE } }\nuse(o); await o.f()",
        "const o = { async f() { HERE } }\nconst { f } = o; await o.f()",
        "const o = { async f() { HERE } }\no[inputs.name](); await o.f()",
        "const o = { async f() { HERE }, g() { use(this) } }\nawait o.f()",
        "const o = { async f() { HERE }, ...other }\nawait o.f()",
        "const o = { async f() { HERE }, other }\no.other(); await o.f()",
        "const o = { async f() { HERE } }\no.g = function () { this.f() }\no.g(); await o.f()",
        "const o = { async f() { HERE } }\nconst p = o.valueOf(); await o.f()",
        "const o = { async f() { HERE } }\no.tag`x`; o.f()\nawait o.f()",
        "const o = () => ({ async f() { HERE } })\nawait o().f()",
        "class A { async f() { HERE } }\nclass B extends A {}\nawait new A().f()",
        "class A { async f() { HERE } }\nconst a = [new A()]\nawait new A().f()",
        "class A { async f() { HERE } }\nA.prototype.g = 1\nawait new A().f()",
        "class A { async f() { HERE } }\nconst a = new A()\nuse(a); await a.f()",
        "class A { async f() { HERE } }\nconst a = new A(), b = new A()\nawait a.f(); await b.f()",
    ] {
        assert_eq!(above(text), "", "{text}");
    }
}

#[test]
fn promises_are_followed_through_constants_and_lists() {
    for (text, wanted) in [
        ("async function f() { HERE }\nconst p = f(); await p", "- 2:22"),
        ("async function f() { HERE }\nconst p = Promise.all([f()])\nawait p", "- 3:7"),
        ("const jobs = [1].map(async (n) => { HERE })\nawait Promise.all(jobs)", "- 2:15"),
        (
            "async function f() { HERE }\nconst jobs = []\nfor (const n of [1]) jobs.push(f(n))\nawait Promise.all(jobs)",
            "- 4:15",
        ),
        ("async function f() { HERE }\nconst all = [f(), 1]\nawait Promise.all(all)", "- 3:15"),
        ("const p = mcp.a.b({}).then(async (x) => { HERE })\nawait p", "- 2:7"),
    ] {
        assert_eq!(above(text), wanted, "{text}");
    }
    for text in [
        "async function f() { HERE }\nconst p = f(); use(p); await p",
        "async function f() { HERE }\nlet p = f(); p = 1; await p",
        "const jobs = [1].map(async (n) => { HERE })\nuse(jobs); await Promise.all(jobs)",
        "async function f() { HERE }\nconst jobs = queue()\njobs.push(f())\nawait Promise.all(jobs)",
        "async function f() { HERE }\nconst jobs = []\njobs.push(f)\nawait Promise.all(jobs)",
    ] {
        assert_eq!(above(text), "", "{text}");
    }
}

#[test]
fn a_function_is_followed_through_the_one_that_calls_it() {
    let retry = "async function retry(fn) { for (;;) { try { return await fn() } catch {} } }\n";
    let each = "async function each(items, fn) {\nconst work = async () => { await fn(1) }\nawait Promise.all([work()])\n}\n";
    for (text, wanted) in [
        (format!("{retry}await retry(async () => {{ HERE }})"), "retry 1:58, - 2:7"),
        // The function itself may be called from several places.
        (
            format!(
                "{retry}await retry(async () => {{ 1 }})\nconst x = await retry(async () => {{ HERE }})"
            ),
            "retry 1:58, - 3:17",
        ),
        (
            format!("{retry}await retry(async () => {{\nawait retry(async () => {{ HERE }}) }})"),
            "retry 1:58, - 3:7, retry 1:58, - 2:7",
        ),
        (format!("{each}await each([], async (n) => {{ HERE }})"), "work 2:34, each 3:20, - 5:7"),
        (format!("{retry}async function f() {{ HERE }}\nawait retry(f)"), "retry 1:58, - 3:7"),
    ] {
        assert_eq!(above(&text), wanted, "{text}");
    }
    for text in [
        "const twice = async (fn) => { await fn(); await fn() }\nawait twice(async () => { HERE })",
        "const keep = async (fn) => { use(fn) }\nawait keep(async () => { HERE })",
        "async function by(fn) { await arguments[0](); await fn() }\nawait by(async () => { HERE })",
        "let run = async (fn) => { await fn() }\nrun = other\nawait run(async () => { HERE })",
    ] {
        assert_eq!(above(text), "", "{text}");
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
        // Passed on, or reassigned.
        "async function f() { HERE }\nuse(f); await f()",
        "let f = async () => { HERE }\nf = other; await f()",
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
    // The guest calls what a program exports by default.
    assert_eq!(above("async function f() { HERE }\nawait f()\nexport default f"), "");
    assert_eq!(load("import { f } from './lib.ts'\nexport default await f()"), "");
    assert_eq!(load("import * as lib from './lib.ts'\nexport default await lib.f()"), "");
    assert_eq!(load("const lib = await import('./lib.ts')\nlib.default()"), "");
}

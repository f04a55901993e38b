//! Stacks as QuickJS reports them, and the expected positions. Apart from a few, these are those of
//! V8.

use super::super::{Program, Script, StackFrame};

/// The start of most texts; `fail` is left at 1:26.
const HELP: &str = "function fail(x) { throw new Error('x'); }
const id = (x) => x;
const o = { fail, in: { fail }, v: 1, fs: [fail] };
";

fn program(text: &str) -> Program {
    Script::ts(text).load(1 << 20).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// Expands `f 1:2` to a line of a stack.
fn stack(short: &str) -> String {
    let line = |frame: &str| match frame.rsplit_once(' ') {
        Some((name, "native")) => format!("    at {name} (native)\n"),
        Some((name, place)) => format!("    at {name} (program.ts:{place})\n"),
        None => format!("    at <input>:{frame}\n"),
    };
    short.split(", ").map(line).collect()
}

fn short(frames: Vec<StackFrame>) -> String {
    let frames = frames.into_iter().map(|StackFrame { function, position, .. }| {
        let name = function.unwrap_or_else(|| "-".to_owned());
        format!("{name} {}:{}", position.line, position.column)
    });
    frames.collect::<Vec<_>>().join(", ")
}

fn check(what: &str, text: &str, raw: &str, wanted: &str) {
    assert_eq!(short(program(text).trace(&stack(raw))), wanted, "{what}\n{text}");
}

#[test]
fn frames_stand_at_their_calls() {
    for (what, text, raw, wanted) in [
        (
            "arguments on other lines",
            "fail(\n  o.v\n);",
            "fail 1:30, default 5:3",
            "fail 1:26, - 4:1",
        ),
        (
            "innermost of nested calls",
            "id(id(fail(o.v)));",
            "fail 1:30, default 4:12",
            "fail 1:26, - 4:7",
        ),
        (
            "outermost of nested calls",
            "fail(id(o.v));",
            "fail 1:30, default 4:9",
            "fail 1:26, - 4:1",
        ),
        (
            "method around a call",
            "const n = o.in.fail(id(o.v)) + 1;",
            "fail 1:30, default 4:24",
            "fail 1:26, - 4:16",
        ),
        (
            "template over lines",
            "fail(`a\n${o.v} b\n`);",
            "fail 1:30, default 5:3",
            "fail 1:26, - 4:1",
        ),
        (
            "awaited, after a pause",
            "const later = async (n) => { await null; fail(n + o.v); };\nawait later(\n  1\n);",
            "fail 1:30, later 4:51",
            "fail 1:26, later 4:42",
        ),
        (
            "awaited, before a pause",
            "async function go(n) { await id(fail(n)); }\nawait go(o.v);",
            "fail 1:30, go 4:38, default 5:10",
            "fail 1:26, go 4:33, - 5:7",
        ),
        ("optional member", "o?.fail(o.v);\n", "fail 1:30, default 4:9", "fail 1:26, - 4:4"),
        ("optional call", "fail?.(o.v);", "fail 1:30, default 4:8", "fail 1:26, - 4:1"),
        ("spread", "fail(...[o.v, 2]);\n", "fail 1:30, default 4:10", "fail 1:26, - 4:1"),
        (
            "callback",
            "[1, 2].map((x) => fail(x));",
            "fail 1:30, <anonymous> 4:24, map native, default 4:8",
            "fail 1:26, - 4:19, - 4:8",
        ),
        (
            "callback with a body",
            "[o.v].forEach((x) => {\n  const y = fail(x, o);\n});",
            "fail 1:30, <anonymous> 5:21, forEach native, default 4:7",
            "fail 1:26, - 5:13, - 4:7",
        ),
        (
            "explicit constructor",
            "class A { constructor(x) { this.x = fail(x); } }\nnew A(\n  o.v,\n);",
            "fail 1:30, A 4:42, default 6:3",
            "fail 1:26, A 4:37, - 5:1",
        ),
        (
            "chain over lines",
            "const q = { a() { return this }, b: { c: fail } };\nq\n  .a()\n  .a(o.v)\n  .b\n  .c(o.v);",
            "fail 1:30, default 9:6",
            "fail 1:26, - 9:4",
        ),
        (
            "chain of callbacks",
            "[1]\n  .map((n) => n + o.v)\n  .map((n) =>\n    fail(\n      n\n    ));",
            "fail 1:30, <anonymous> 8:7, map native, default 6:4",
            "fail 1:26, - 7:5, - 6:4",
        ),
        (
            "getter",
            "const g = { get v() { fail(o); return 1 } };\nid(g.v);",
            "fail 1:30, get v 4:28, default 5:4",
            "fail 1:26, get v 4:23, - 5:6",
        ),
        (
            "setter",
            "const g = { set v(x) { fail(o); } };\ng.v = o.v;",
            "fail 1:30, set v 4:29, default 5:7",
            "fail 1:26, set v 4:24, - 5:3",
        ),
        (
            "default parameter",
            "function d(a, b = fail(a)) { return b }\nd(o.v);",
            "fail 1:30, d 4:24, default 5:3",
            "fail 1:26, d 4:19, - 5:1",
        ),
        ("tagged template", "fail`a ${o.v} b`;", "fail 1:30, default 4:10", "fail 1:26, - 4:1"),
        (
            "tagged template, member",
            "o.fail`a ${o.v} b`;",
            "fail 1:30, default 4:12",
            "fail 1:26, - 4:3",
        ),
        ("a literal", "fail('x'); ", "fail 1:30, default 4:1", "fail 1:26, - 4:1"),
        ("a literal after a blank", "fail( 'x', 2);", "fail 1:30, default 4:7", "fail 1:26, - 4:1"),
        ("no arguments", "id(0) || fail(  );", "fail 1:30, default 4:17", "fail 1:26, - 4:10"),
        ("computed member", "o['fail'](o.v);\n", "fail 1:30, default 4:11", "fail 1:26, - 4:1"),
        (
            "call of a call",
            "const c = (a) => (b) => fail(b);\nc(1)(o.v);",
            "fail 1:30, <anonymous> 4:30, default 5:6",
            "fail 1:26, - 4:25, - 5:1",
        ),
        ("no function, literals", "o.missing('a');", "default 4:3", "- 4:3"),
        ("no function, variables", "const a = 1;\no.missing(a);", "default 5:11", "- 5:3"),
        ("native function", "JSON.parse(String('{'));", "1:2, parse native, default 4:12", "- 4:6"),
        (
            "native function in a call",
            "id(JSON.parse('{' + o.v));",
            "1:2, parse native, default 4:21",
            "- 4:9",
        ),
        (
            "function called at once",
            "(() => { fail(o.v) })();",
            "fail 1:30, <anonymous> 4:15, default 4:20",
            "fail 1:26, - 4:10, - 4:1",
        ),
        (
            "native constructor",
            "await new Promise((resolve) => {\n  resolve(fail(o.v));\n});",
            "fail 1:30, <anonymous> 5:16, Promise native, default 4:11",
            "fail 1:26, - 5:11, - 4:7",
        ),
        (
            "class field",
            "class A { x = fail(o.v); }\nnew A(o.v);",
            "fail 1:30, <anonymous> 4:20, A 4:1, default 5:7",
            "fail 1:26, - 4:15, - 5:1",
        ),
        (
            "private method",
            "class A { #p(x) { fail(x) } run(x) { this.#p(x) } }\nnew A().run(o.v);",
            "fail 1:30, #p 4:24, run 4:46, default 5:13",
            "fail 1:26, #p 4:19, run 4:43, - 5:9",
        ),
        (
            "shorthand properties",
            "const x = 1;\nfail({ x });",
            "fail 1:30, default 5:1",
            "fail 1:26, - 5:1",
        ),
        (
            "error without `new`",
            "function mk(x) { return Error(\n 'x' + x) }\nthrow mk(o.v);",
            "mk 5:8, default 6:10",
            "mk 4:25, - 6:7",
        ),
        (
            "loop head",
            "for (let i = 0; i < id(2); i += fail(i)) { id(i) }",
            "fail 1:30, default 4:38",
            "fail 1:26, - 4:33",
        ),
        (
            "conversion: left alone",
            "const t = { toString() { fail(o.v) } };\nid(`${t}`);",
            "fail 1:30, toString 4:31, concat native, default 5:7",
            "fail 1:26, toString 4:26, - 5:7",
        ),
        (
            "called by `call`",
            "fail.call(null, o.v);\n",
            "fail 1:30, call native, default 4:17",
            "fail 1:26, - 4:6",
        ),
        (
            "method of `super`",
            "class A { m(x) { fail(x) } }\nclass B extends A { m(x) { super.m(x); } }\nnew B().m(o.v);",
            "fail 1:30, m 4:23, m 5:36, default 6:11",
            "fail 1:26, m 4:18, m 5:34, - 6:9",
        ),
        (
            "`super` call",
            "class A { constructor(x) { fail(x) } }\nclass B extends A { constructor(x) { super(id(x)); } }\nnew B(o.v);",
            "fail 1:30, A 4:33, B 5:47, default 6:7",
            "fail 1:26, A 4:28, B 5:38, - 6:1",
        ),
        (
            "function under another name",
            "function run(cb) { return id(cb(o.v)) }\nrun((x) => fail(x));",
            "fail 1:30, <anonymous> 5:17, run 4:33, default 5:1",
            "fail 1:26, - 5:12, run 4:30, - 5:1",
        ),
        (
            "wide characters",
            "const ä = 'ö';\nid('ü'), fail('ü' + ä);\n",
            "fail 1:30, default 5:23",
            "fail 1:26, - 5:10",
        ),
        (
            "after a template over lines",
            "const y = `a\n b`+fail('x');",
            "fail 1:30, default 5:5",
            "fail 1:26, - 5:5",
        ),
        (
            "default in a pattern",
            "const [a, b = fail(o.v)] = [1];",
            "fail 1:30, default 4:20",
            "fail 1:26, - 4:15",
        ),
    ] {
        check(what, &format!("{HELP}{text}"), raw, wanted);
    }
}

#[test]
fn errors_stand_where_they_are_made() {
    for (what, text, raw, wanted) in [
        (
            "`new` over lines",
            "throw new Error(\n  'a' +\n    String(1),\n  { cause: null },\n);",
            "default 3:5",
            "- 1:7",
        ),
        (
            "thrown variable: where it was made",
            "const e = new TypeError(\n  'x' + 1\n);\nthrow e;",
            "default 2:9",
            "- 1:11",
        ),
        (
            "implicit constructor",
            "class E2 extends Error {}\nfunction f(x) { throw new E2('sub' + x); }\nf(1);",
            "E2 1:1, f 2:38, default 3:1",
            "f 2:23, - 3:1",
        ),
        (
            "implicit constructor of a class expression",
            "const E3 = class extends Error {\n};\nthrow new E3(\n  'sub');",
            "E3 2:1, default 3:11",
            "- 3:7",
        ),
        (
            "explicit constructor of an error",
            "class E4 extends Error {\n  constructor(m, n) {\n    super(m);\n    this.n = n;\n  }\n}\nconst m = 'x';\nthrow new E4(\n  m, 1);",
            "E4 3:11, default 9:3",
            "E4 3:5, - 8:7",
        ),
        (
            "thrown in parentheses",
            "const y = 1;\nthrow (new Error('a' + y));",
            "default 2:24",
            "- 2:8",
        ),
        ("property of nothing: left alone", "const u = {};\nu.a.b.c(u);", "default 2:1", "- 2:1"),
        ("missing name: left alone", "const u = {};\nString(missing);", "default 2:8", "- 2:8"),
    ] {
        check(what, text, raw, wanted);
    }
}

#[test]
fn private_methods_are_told_from_their_arguments() {
    let text = format!(
        "{HELP}class A {{ #p(x) {{ fail(x) }} run(x) {{ this.#p(id(x)) }} }}\nnew A().run(o.v);"
    );
    let raw = "fail 1:30, #p 4:24, run 4:49, default 5:13";
    check("private", &text, raw, "fail 1:26, #p 4:19, run 4:43, - 5:9");
}

#[test]
fn static_members_are_filled_in_where_the_class_stands() {
    let text = format!("{HELP}class A {{ static {{ fail(o.v); }} }}");
    let raw = "fail 1:30, <anonymous> 4:25, <anonymous> 0:1, default 3:44";
    check("static block", &text, raw, "fail 1:26, - 4:20, - 4:1");
}

#[test]
fn the_first_line_of_a_module_and_shifted_text_are_exact() {
    let text = "function f(x: unknown) { throw new Error('x') }; const o = { v: 1 }; f(o.v)";
    check("shifted", text, "f 1:36, default 1:94", "f 1:32, - 1:70");
    let text = "export const o = { v: 1 }, f = (x: unknown) => console.log(new Error('x' + x).stack); f(o.v); f('x'); f( 'x');f((o).v)";
    for (raw, wanted) in
        [("1:89", "1:87"), ("1:94", "1:95"), ("1:105", "1:103"), ("1:114", "1:111")]
    {
        let (raw, wanted) = (format!("f 1:76, <anonymous> {raw}"), format!("f 1:60, - {wanted}"));
        check("first line", text, &raw, &wanted);
    }
}

#[test]
fn a_lone_constructor_is_kept() {
    let text = "class E extends Error {\n}\nnew E()";
    check("alone", text, "E 2:1", "E 2:1");
    check("not alone", text, "E 2:1, default 3:5", "- 3:1");
    let text = program(text).trace_text(&format!("E: x\n{}", stack("E 2:1, default 3:5")));
    assert_eq!(text, "E: x\n    at default (program.ts:3:1)\n");
}

#[test]
fn hostile_code_and_stacks_have_an_answer() {
    let chain = program(&format!("f{}", "(1)".repeat(1_000)));
    let many = "    at f (program.ts:1:1)\n".repeat(5_000);
    assert_eq!(chain.trace(&many).len(), 50);
    let nested = program(&format!("{}1{}", "f(".repeat(150), ")".repeat(150)));
    for column in [0, 1, 2, 299, 300, 301, 452, u32::MAX] {
        let _ = nested.trace(&stack(&format!("f 1:{column}, get v 1:{column}, f 1:{column}")));
    }
    let mut broken = program("f(1)");
    "f(".clone_into(&mut broken.modules[0].code);
    assert_eq!(short(broken.trace(&stack("f 1:3, default 1:1"))), "f 1:3, - 1:1");
}

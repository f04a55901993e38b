//! Tests of which calls are found, and which are not.

use super::{Callee, Literal, LiteralValue, calls_of};
use crate::source::Script;
use serde_json::{Value, json};

/// Returns calls as `server:tool arguments`, with `?` for unknown parts.
fn calls(text: &str) -> Vec<String> {
    let program = Script::ts(text).load(1 << 20).expect("a program");
    let found = calls_of(&program).expect("calls");
    found
        .iter()
        .map(|found| {
            let callee = match &found.callee {
                Callee::Tool { server, tool } => format!("{server}:{tool}"),
                Callee::Name(text) => format!("={text}"),
                Callee::SomeToolOf(server) => format!("{server}:?"),
                Callee::SomeTool => "?:?".into(),
            };
            format!("{callee} {}", show(&found.arguments))
        })
        .collect()
}

fn show(literal: &Literal) -> String {
    fn value(literal: &Literal) -> Value {
        match &literal.value {
            LiteralValue::Hole => json!("?"),
            LiteralValue::Absent => json!("-"),
            LiteralValue::Scalar(value) => value.clone(),
            LiteralValue::List { items, open } => {
                let more = open.then(|| json!("..."));
                Value::Array(items.iter().map(value).chain(more).collect())
            }
            LiteralValue::Object { fields, open } => {
                let fields = fields.iter().map(|field| (field.name.clone(), value(&field.value)));
                fields.chain(open.then(|| ("...".into(), json!(1)))).collect()
            }
        }
    }
    match literal.value {
        LiteralValue::Hole => "?".into(),
        LiteralValue::Absent => "-".into(),
        _ => value(literal).to_string(),
    }
}

#[test]
fn calls_are_found_in_every_spelling() {
    for (text, call) in [
        ("await mcp.fs.read({ path: 'a' })", r#"fs:read {"path":"a"}"#),
        ("mcp['my-server']['get-env']()", "my-server:get-env -"),
        ("mcp[`a`].b(undefined)", "a:b -"),
        ("mcp.call('a:b', { x: 1 })", r#"=a:b {"x":1}"#),
        ("mcp.a?.b?.({ x: null })", r#"a:b {"x":null}"#),
        ("(mcp as any).a!.b<string>({})", "a:b {}"),
        ("globalThis.mcp.a.b()", "a:b -"),
        ("const f = async () => { for (const x of []) { if (x) return mcp.a.b(x) } }", "a:b ?"),
        ("class A { static x = mcp.a.b(1) }", "a:b 1"),
        ("declare const mcp: any; mcp.a.b()", "a:b -"),
        ("m\\u0063p.a.b()", "a:b -"),
    ] {
        assert_eq!(calls(text), [call], "{text}");
    }
}

#[test]
fn names_for_them_are_followed() {
    for text in [
        "const gh = mcp.github; gh.search()",
        "const { search } = mcp.github; search()",
        "const { search: find } = mcp.github; find()",
        "const { github: { search } } = mcp; search()",
        "const { github } = mcp; const { search } = github; search()",
        "const m = mcp; m.github.search()",
        "let gh = mcp.github; gh['search']()",
        "const s = 'search'; mcp.github[s]()",
        "const f = () => gh.search(); const gh = mcp.github",
        "const { ['git' + 'hub']: x, ...y } = {} as any; mcp.github.search()",
    ] {
        assert_eq!(calls(text), ["github:search -"], "{text}");
    }
    assert_eq!(calls("const c = mcp.call; const t = 'a:b'; c(t)"), ["=a:b -"]);
}

#[test]
fn what_only_looks_like_a_call_is_none() {
    for text in [
        "const mcp = { a: { b: (x: number) => x } }; mcp.a.b(1)",
        "((mcp: any) => mcp.a.b())({})",
        "function f() { let mcp = {} as any; mcp.a.b() }",
        "const s = 'mcp.a.b()' // mcp.a.b()",
        "type T = typeof mcp; let x: T",
        "typeof mcp === 'object'",
        "const mine = { mcp: 1 }; mine.mcp",
        "String(mcp.toString())",
        "mcp.then",
    ] {
        assert_eq!(calls(text), [""; 0], "{text}");
    }
}

#[test]
fn what_is_handed_on_or_computed_is_found_in_part() {
    for (text, call) in [
        ("mcp[inputs.server].read({ a: 1 })", r#"?:? {"a":1}"#),
        ("mcp.fs[inputs.tool]({ a: 1 })", r#"fs:? {"a":1}"#),
        ("mcp.call(inputs.tool, {})", "?:? {}"),
        ("f(mcp)", "?:? ?"),
        ("f(mcp.fs)", "fs:? ?"),
        ("[1].map(mcp.fs.read)", "fs:read ?"),
        ("mcp.fs.read.call(null, { a: 1 })", "fs:read ?"),
        ("const { read, ...rest } = mcp.fs", "fs:? ?"),
        ("let s = mcp.fs; s = mcp.db; s.x()", "fs:? ?"),
        ("const o = { mcp }", "?:? ?"),
        ("mcp.fs.read(...inputs)", "fs:read ?"),
    ] {
        assert_eq!(calls(text).first().map(String::as_str), Some(call), "{text}");
    }
    assert_eq!(calls("mcp[await mcp.a.b()].c()"), ["a:b -", "?:? -"]);
}

#[test]
fn arguments_are_read_as_far_as_they_are_written() {
    for (written, read) in [
        (
            "{ a: -1.5, b: [true, , undefined], 'c-d': `x` }",
            r#"{"a":-1.5,"b":[true,null,null],"c-d":"x"}"#,
        ),
        ("{ a: f(), b: { c: inputs.x } }", r#"{"a":"?","b":{"c":"?"}}"#),
        ("{ a: 1, ...rest, b: 2 }", r#"{"a":"?","b":2,"...":1}"#),
        ("{ a: 1, [k]: 2 }", r#"{"a":"?","...":1}"#),
        ("{ ['a']: 1, 2: 3 }", r#"{"a":1,"2":3}"#),
        ("{ a: 1, a: undefined }", "{}"),
        ("{ a() {}, get b() { return 1 } }", r#"{"a":"?","b":"?"}"#),
        ("{ x: [1, ...y, 2] }", r#"{"x":[1,"..."]}"#),
        ("{ a: `${1}`, b: 1n, c: /x/, d: NaN }", r#"{"a":"?","b":"?","c":"?","d":"?"}"#),
        ("({ a: 'x' } as const) satisfies object", r#"{"a":"x"}"#),
        ("{ toJSON() { return 1 } }", "?"),
        ("{ __proto__: { a: 1 } }", "?"),
        ("{ a: '\\ud800' }", r#"{"a":"?"}"#),
        (
            "{ n: 1e400, m: 9007199254740993, k: 1e21 }",
            r#"{"n":"?","m":9007199254740992.0,"k":1e+21}"#,
        ),
    ] {
        assert_eq!(calls(&format!("mcp.a.b({written})")), [format!("a:b {read}")], "{written}");
    }
    assert_eq!(calls("const p = 'x', n = 2; mcp.a.b({ p, n: n })"), [r#"a:b {"p":"x","n":2}"#]);
    assert_eq!(calls("let p = 'x'; p = 'y'; mcp.a.b({ p })"), [r#"a:b {"p":"?"}"#]);
    assert_eq!(calls("const o = { x: 1 }; o.x = 2; mcp.a.b(o)"), ["a:b ?"]);
}

#[test]
fn places_are_those_of_the_text() {
    let program =
        Script::ts("let x: number = 1\nawait  mcp.fs .read({\n  path: 1 })").named("p.ts");
    let program = program.load(1 << 20).expect("a program");
    let found = &calls_of(&program).expect("calls")[0];
    assert_eq!(found.position.to_string(), "p.ts:2:16");
    let LiteralValue::Object { fields, .. } = &found.arguments.value else { panic!("an object") };
    let value = program.location(&found.position.module, fields[0].value.offset).expect("a place");
    assert_eq!(value.position.to_string(), "p.ts:3:9");
}

#[test]
fn columns_are_right_on_a_line_with_many_calls() {
    let program = Script::ts("'ü😀'; mcp.a.b(); 'ü😀'; mcp.a.c()\nmcp.a.d()").named("p.ts");
    let found = calls_of(&program.load(1 << 20).expect("a program")).expect("calls");
    let positions: Vec<String> = found.iter().map(|it| it.position.to_string()).collect();
    assert_eq!(positions, ["p.ts:1:14", "p.ts:1:32", "p.ts:2:7"]);
}

/// The walks need stack in addition to the parser; the bound of `stack` must hold for both.
#[test]
fn no_text_overflows_the_stack() {
    let nested = |open: &str, inner: &str, close: &str, count: usize| {
        format!("mcp.a.b();{}{inner}{}", open.repeat(count), close.repeat(count))
    };
    for text in [
        nested("(", "1", ")", 199),
        nested("[", "", "]", 199),
        nested("{", "", "}", 199),
        nested("!", "1", "", 100_000),
        nested("typeof ", "1", "", 20_000),
        nested("if(1)", ";", "", 10_000),
        nested("", "a", "+a", 50_000),
        nested("", "mcp", ".b", 50_000),
        nested("", "mcp", "()", 20_000),
        nested("", "mcp", "[mcp]", 20_000),
        nested("", "mcp", " as T", 20_000),
        nested("a=", "1", "", 20_000),
        nested("mcp.a.b(", "1", ")", 199),
        nested("class extends ", "x", "{}", 20_000),
        nested("function f(){", "", "}", 199),
        nested("{a:", "1", "}", 150),
    ] {
        if let Ok(program) = Script::ts(&text).load(4 << 20) {
            assert!(calls_of(&program).is_ok());
        }
    }
}

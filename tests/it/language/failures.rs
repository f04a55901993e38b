//! Errors of programs at the right place: the call that failed, the functions that awaited it, and
//! what was not a function.

use pml::{Answer, Decision, Failure, Outcome, Script};
use pml_kit::sandbox::{TestTools, engine, run};

/// Returns a text without its marks, and the line and column of each `‹›`.
fn marked(text: &str) -> (String, Vec<(u32, u32)>) {
    let (mut plain, mut marks, mut line, mut column) = (String::new(), Vec::new(), 1, 1);
    for c in text.chars() {
        match c {
            '‹' => marks.push((line, column)),
            '›' => {}
            '\n' => {
                plain.push(c);
                (line, column) = (line + 1, 1);
            }
            _ => {
                plain.push(c);
                column += 1;
            }
        }
    }
    (plain, marks)
}

fn failure(outcome: &Outcome) -> &Failure {
    outcome.failure().unwrap_or_else(|| panic!("{:?}", outcome.ending))
}

fn place(failure: &Failure) -> Option<(u32, u32)> {
    failure.position.as_ref().map(|position| (position.line, position.column))
}

/// The stack in short: `f 1:2, async - 3:4`.
fn stack(failure: &Failure) -> String {
    let frames = failure.stack.iter().map(|frame| {
        let start = if frame.is_async { "async " } else { "" };
        let name = frame.function.as_deref().unwrap_or("-");
        format!("{start}{name} {}:{}", frame.position.line, frame.position.column)
    });
    frames.collect::<Vec<_>>().join(", ")
}

#[tokio::test]
async fn a_failed_call_is_shown_at_the_call() {
    let engine = engine(|config| config);
    let mut wrong = Vec::new();
    for text in [
        "await mcp.t.‹›fail()",
        "await mcp.t.echo(await mcp.t.‹›fail())",
        "await mcp.t.‹›fail(await mcp.t.echo())",
        "await mcp.t.‹›fail({ a: await mcp.t.echo({ b: [await mcp.t.later()] }) })",
        "await mcp.t.echo({ a: await mcp.t.echo({ b: [await mcp.t.‹›fail()] }) })",
        "await Promise.all([mcp.t.echo({}), mcp.t.‹›fail({}), mcp.t.later({})])",
        "await Promise.all([mcp.t.‹›fail({}), mcp.t.echo({}), mcp.t.later({})])",
        "await Promise.all([1, 2].map((n) => mcp.t.‹›fail({ n })))",
        "await Promise.all([1, 2].map(async (n) => { await mcp.t.echo(); return mcp.t.‹›fail({ n }) }))",
        "await Promise.all([1].map(async (n) => { await mcp.t.‹›fail({ n }) }))",
        "const s = `${await mcp.t.echo({ x: 1 })} and ${await mcp.t.‹›fail()}`",
        "const s = `${await mcp.t.‹›fail({ x: 1 })} and ${await mcp.t.echo()}`",
        "const s = await mcp.t.echo({ text: `a ${await mcp.t.‹›fail()} b` })",
        "await mcp.t.‹›fail({}).then((x) => x)",
        "await mcp.t.echo({}).then(() => mcp.t.‹›fail({}))",
        "await mcp.t\n  .‹›fail({\n    a: 1,\n    b: [2, 3],\n  })\n  .finally(() => {})",
        "await mcp?.t?.‹›fail?.({})",
        "await mcp.t.‹›fail(...[{ a: 1 }])",
        "await mcp['t'][‹›'fail']({})",
        "await mcp.‹›call('t:fail', {})",
        "const x = [await mcp.t.echo({}), await mcp.t.‹›fail({}), await mcp.t.echo({})]",
        "await mcp.t.echo({}); await mcp.t.‹›fail({}); await mcp.t.later({})",
        "const p = mcp.t.‹›fail({})\nconst q = await mcp.t.echo({})\nawait p",
        "return mcp.t.‹›fail({})",
        "mcp.t.‹›fail({})",
        "const get = (n) => mcp.t.‹›fail({ n })\nawait get(1)",
        "async function get(n) { return mcp.t.‹›fail({ n }) }\nawait get(1)",
        "async function get(n) { return await mcp.t.‹›fail({ n }) }\nawait mcp.t.echo({ a: await get(1) })",
        "class Api { async get() { return await mcp.t.‹›fail({}) } }\nawait new Api().get()",
        "for (const n of [1]) { await mcp.t.echo({ n: await mcp.t.‹›fail({ n }) }) }",
        "const o = { a: await mcp.t.‹›fail({ deep: { er: 1 } }), b: await mcp.t.echo({}) }",
        "const { t } = mcp\nawait t.‹›fail({})",
        "await (inputs.x ? mcp.t.echo({}) : mcp.t.‹›fail({}))",
        "if ((await mcp.t.echo({ a: 1 })).a < (await mcp.t.‹›fail({})).b) { await mcp.t.later() }",
        "try { await mcp.t.‹›fail({}) } finally { await mcp.t.echo({}) }",
    ] {
        let (code, marks) = marked(text);
        let outcome = run(&engine, &code).await;
        let failure = failure(&outcome);
        assert_eq!(failure.message, "it does not work", "{code}");
        if place(failure) != Some(marks[0]) {
            wrong.push(format!("{:?}, not {:?}: {code}", place(failure), marks[0]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn where_several_calls_can_be_meant_none_is_claimed() {
    let engine = engine(|config| config);
    for (text, line) in [
        ("const a = 1\nawait Promise.all([mcp.t.fail({}), mcp.t.fail({ n: 2 })])", 2),
        ("const tool = 'fail'\nawait Promise.all([mcp.t[tool]({}), mcp.t.fail({})])", 2),
    ] {
        let outcome = run(&engine, text).await;
        let position = failure(&outcome).position.clone().expect("a position");
        assert_eq!(position.line, line, "{text}");
    }
}

#[tokio::test]
async fn functions_that_await_are_in_the_stack() {
    let engine = engine(|config| config);
    for (text, wanted) in [
        (
            "async function inner() {\n  await mcp.t.echo({});\n  throw new Error('x');\n}\nasync function outer() {\n  await inner();\n}\nawait outer()",
            "inner 3:9, async outer 6:9, async - 8:7",
        ),
        (
            "async function inner() { await mcp.t.fail({}) }\nconst outer = async () => { const x = [await inner()] }\nawait Promise.all([outer(), mcp.t.echo({})])",
            "inner 1:38, async outer 2:46, async - 3:20",
        ),
        // Before its first pause, a function is on the stack of QuickJS itself.
        (
            "async function inner() { throw new Error('x') }\nasync function outer() { await inner() }\nawait outer()",
            "inner 1:32, outer 2:32, - 3:7",
        ),
        (
            "async function inner() { await null; undefined.x }\nawait inner(); await inner()",
            "inner 1:48",
        ),
    ] {
        assert_eq!(stack(failure(&run(&engine, text).await)), wanted, "{text}");
    }
}

#[tokio::test]
async fn what_was_called_is_named() {
    let engine = engine(|config| config);
    let mut wrong = Vec::new();
    for (text, message) in [
        ("const shop = {}; shop.‹›add(1)", "shop.add is not a function"),
        ("const shop = {}; const k = 1\nshop.‹›add(shop.x, k)", "shop.add is not a function"),
        ("const shop = { a: {} }\nshop\n  .a\n  .‹›b(\n    1)", "shop.a.b is not a function"),
        ("const o = {}\n‹›new o.Thing(1)", "o.Thing is not a constructor"),
        ("let f\n‹›f()", "f is not a function"),
        ("let f = 1, x = 2\nString(‹›f(x))", "f is not a function"),
        ("let t = 1\n‹›t`a ${1}`", "t is not a function"),
        ("const f = { a: [] }\n‹›f.a[0]()", "f.a[0] is not a function"),
        ("const h = {}\n‹›h[\"x-y\"](1)", "h[\"x-y\"] is not a function"),
        ("‹›null()", "null is not a function"),
        (
            "const orders = [1]\norders.map((o) => o + 1).‹›joined(\"\\n\")",
            "orders.map(…).joined is not a function",
        ),
        ("‹›(() => 5)()()", "(() => …)() is not a function"),
        ("[1, 2].‹›map(3)", "the first argument of […].map is not a function"),
        (
            "const m = new Map()\nm.get(\"a\").‹›b",
            "cannot read property 'b' of undefined (reading `m.get(…).b`)",
        ),
        (
            "const api = { async get() { return {} } }\nconst x = (await api.get()).data.‹›items",
            "cannot read property 'items' of undefined (reading `(await api.get()).data.items`)",
        ),
        (
            "let order\nconsole.log(order.‹›total)",
            "cannot read property 'total' of undefined (reading `order.total`)",
        ),
        ("const a = { b: null }\na.b.‹›c.d", "cannot read property 'c' of null (reading `a.b.c`)"),
        (
            "let order\norder.‹›total = 1",
            "cannot set property 'total' of undefined (setting `order.total`)",
        ),
    ] {
        let (code, marks) = marked(text);
        let outcome = run(&engine, &code).await;
        let failure = failure(&outcome);
        if (failure.message.as_str(), place(failure)) != (message, Some(marks[0])) {
            let found = format!("{} at {:?}", failure.message, place(failure));
            wrong.push(format!("{found}, not {:?}: {code}", marks[0]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // A function that calls its argument, and errors of the program itself, keep their text.
    for (text, message) in [
        ("throw new TypeError('not a function')", "not a function"),
        ("let f, g; f(g())", "not a function"),
        ("(inputs.a || inputs.b)()", "not a function"),
        ("try { inputs.nope() } catch (e) { return e.message }", ""),
    ] {
        let outcome = run(&engine, text).await;
        match outcome.failure() {
            Some(failure) => assert_eq!(failure.message, message, "{text}"),
            None => assert_eq!(outcome.json(), Some("\"not a function\""), "{text}"),
        }
    }
}

#[tokio::test]
async fn a_value_that_cannot_be_taken_apart_or_iterated_is_named() {
    let engine = engine(|config| config);
    let mut wrong = Vec::new();
    for (text, message) in [
        (
            "const ‹›{a} = await Promise.resolve(undefined)",
            "cannot read properties of `await Promise.resolve(…)`: it is null or undefined",
        ),
        (
            "function f(found) {\n  const ‹›{ b } = found\n  return b\n}\nf(null)",
            "cannot read properties of `found`: it is null or undefined",
        ),
        (
            "const f = (o) => {\n  const k = o.v\n  const ‹›{ b } = k\n}\nf({})",
            "cannot read properties of `k`: it is null or undefined",
        ),
        (
            "const g = (‹›{ c }) => c\ng()",
            "cannot read properties of a value that is null or undefined",
        ),
        (
            "const o = {}\nconst ‹›{ z: { y } } = o",
            "cannot read properties of a value that is null or undefined",
        ),
        (
            "let y, o = null;\n(‹›{ y } = o)",
            "cannot read properties of `o`: it is null or undefined",
        ),
        ("const ‹›[x] = {}", "{} is not iterable"),
        ("const list = 1\nfor (const x of ‹›list) {}", "list is not iterable"),
        ("let list\nfor (const x of ‹›list) {}", "list is not iterable: it is undefined"),
        ("const o = {}\nconst all = [...‹›o.items]", "o.items is not iterable: it is undefined"),
        ("const n = 1\nMath.max(...‹›n)", "n is not iterable"),
    ] {
        let (code, marks) = marked(text);
        let outcome = run(&engine, &code).await;
        let failure = failure(&outcome);
        if (failure.message.as_str(), place(failure)) != (message, Some(marks[0])) {
            let found = format!("{} at {:?}", failure.message, place(failure));
            wrong.push(format!("{found}, not {:?}: {code}", marks[0]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let own = run(&engine, "throw new TypeError('value is not iterable')").await;
    assert_eq!(failure(&own).message, "value is not iterable");
}

#[tokio::test]
async fn syntax_errors_name_what_is_written() {
    let engine = engine(|config| config);
    let mut wrong = Vec::new();
    for (text, message) in [
        ("const x = ‹›;", "unexpected `;`"),
        ("const x =‹›", "unexpected end of file"),
        ("f(‹›", "expected `)` but found end of file"),
        ("const x = {a ‹›1}", "expected `,` or `}` but found `1`"),
        ("let a = 1\nlet ‹›a=2", "`a` is declared twice"),
        ("const r = ‹›/(/", "the regular expression is not valid: expecting ')'"),
        (
            "class A { f() { return this.‹›#x } }",
            "private field '#x' must be declared in an enclosing class",
        ),
    ] {
        let (code, marks) = marked(text);
        let outcome = run(&engine, &code).await;
        let failure = failure(&outcome);
        let message = format!("{message}: program.ts:{}:{}", marks[0].0, marks[0].1);
        if (failure.message.as_str(), place(failure)) != (message.as_str(), Some(marks[0])) {
            wrong.push(format!("{} at {:?}: {code}", failure.message, place(failure)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let outcome = engine.run(Script::js("let a: string = 1")).await.expect("the sandbox works");
    let hint = failure(&outcome).hint.as_deref();
    assert_eq!(hint, Some("types need TypeScript: rename the file to `program.ts`"));
}

#[tokio::test]
async fn every_failed_call_is_listed_whether_caught_or_not() {
    let engine = engine(|config| config.deny_tool("t:secret"));
    let code = "try { await mcp.t.fail({}) } catch {}\nawait mcp.t.echo({})\ntry { await mcp.t.secret({}) } catch {}\nawait mcp.t.gone({}).catch(() => {})";
    let outcome = run(&engine, code).await;
    assert!(outcome.failure().is_none(), "{:?}", outcome.ending);
    let failed = |outcome: &Outcome| -> Vec<(String, String)> {
        let failures = outcome.tool_failures.iter();
        failures.map(|failed| (failed.tool.clone(), failed.code.clone())).collect()
    };
    let wanted =
        [("t:fail", "TOOL_FAILED"), ("t:secret", "TOOL_DENIED"), ("t:gone", "TOOL_UNKNOWN")];
    let wanted: Vec<_> = wanted.map(|(tool, code)| (tool.to_owned(), code.to_owned())).into();
    assert_eq!(failed(&outcome), wanted);
    assert_eq!(outcome.tool_failures[0].error, "it does not work");
    // The same after the program fails, and none where nothing failed.
    let outcome = run(&engine, &format!("{code}\nthrow new Error('x')")).await;
    assert!(outcome.failure().is_some());
    assert_eq!(failed(&outcome), wanted);
    assert!(run(&engine, "await mcp.t.echo({})").await.tool_failures.is_empty());
}

#[tokio::test]
async fn a_rebuilt_run_lists_the_same_failed_calls() {
    let engine = engine(|config| config.ask_tool("t:later"));
    let code = "try { await mcp.t.fail({}) } catch {}\nawait mcp.t.later({})\nawait mcp.t.fail({ n: 2 }).catch(() => {})";
    let waiting = run(&engine, code).await;
    assert_eq!(waiting.tool_failures.len(), 1);
    let [question] = waiting.questions() else { panic!("{:?}", waiting.ending) };
    let yes = Answer::all(question, Decision::Approve, "tester", "a test");
    engine.answer(question.id, yes).await.expect("the journal works");
    let resumed = engine.resume(question.run).tools(TestTools::default());
    let outcome = resumed.await.expect("the sandbox works");
    assert!(outcome.failure().is_none(), "{:?}", outcome.ending);
    let tools: Vec<_> = outcome.tool_failures.iter().map(|failed| failed.tool.as_str()).collect();
    assert_eq!(tools, ["t:fail", "t:fail"]);
    let stored = engine.journal().load(question.run).await.expect("the journal works");
    assert_eq!(pml::run::ToolFailure::all_of(&stored), outcome.tool_failures);
}

#[tokio::test]
async fn a_call_without_a_program_shows_no_position() {
    let engine = engine(|config| config);
    let tool = "t:fail".parse().expect("a name");
    let run = engine.call(&tool, pml::json::json!({})).tools(TestTools::default());
    let outcome = run.await.expect("the sandbox works");
    let failure = failure(&outcome);
    assert_eq!(failure.message, "it does not work");
    assert_eq!((&failure.position, &failure.code_frame), (&None, &None));
    assert!(failure.stack.is_empty());
}

#[tokio::test]
async fn names_with_line_ends_do_not_spoil_positions() {
    let engine = engine(|config| config);
    let code = "const f = { 'a\\nb (c)\\n    at d'() { throw new Error('x') } }\nf['a\\nb (c)\\n    at d']()";
    let outcome = engine.run(Script::ts(code)).await.expect("the sandbox works");
    assert_eq!(place(failure(&outcome)), Some((1, 44)), "{:#?}", failure(&outcome));
}

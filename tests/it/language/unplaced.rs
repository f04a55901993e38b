//! Failures that QuickJS does not place, and promises that nobody waited for: what the text shows.

use pml::{Failure, Outcome};
use pml_kit::sandbox::{engine, run};

/// Returns a text without its mark, and the line and column of the mark.
fn marked(text: &str) -> (String, Option<(u32, u32)>) {
    let Some((before, after)) = text.split_once('‹') else { return (text.to_owned(), None) };
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    let place = (u32::try_from(line).expect("few"), u32::try_from(column).expect("few"));
    (format!("{before}{after}"), Some(place))
}

fn failure(outcome: &Outcome) -> &Failure {
    outcome.failure().unwrap_or_else(|| panic!("{:?}", outcome.ending))
}

#[tokio::test]
async fn a_failure_without_a_stack_is_placed_if_only_one_place_can_be_meant() {
    let engine = engine(|config| config);
    let mut wrong = Vec::new();
    for text in [
        "const ‹{ z: y } = null",
        "\n\nconst ‹{ z } = null\nlet b",
        "throw ‹\"text\"",
        "throw ‹null",
        "function f() {\n  throw ‹`text`\n}\nf()",
        "async function f() {\n  await 1\n  throw ‹{ n: 1 }\n}\nawait f()",
        "if (inputs.a) throw 'one'\nthrow ‹'two'",
        "await Promise.reject(‹'late')",
        "await new Promise((done, fail) => fail(1))",
        "try { throw 'a' } catch (e) { throw e }",
        "const a = /ok/, b = ‹/(x/, c = /y/",
        "const a = /ok/, b = ‹/[z-a]/, c = /(?<n>a)(?<n>b)/",
        "const a = [/ok/, ‹/x{2,1}/]",
        "await ‹new Promise(() => {})",
        "const p = ‹new Promise(() => {})\nawait mcp.t.echo({})\nawait p",
        "let done\nconst p = new Promise((r) => { done = r })\nawait mcp.t.echo({})\n‹await p",
        "const [p, q] = [1, 2].map(() => new Promise((r) => { r.n = 1 }))\nawait p\nawait q",
    ] {
        let (code, place) = marked(text);
        let outcome = run(&engine, &code).await;
        let failure = failure(&outcome);
        let found = failure.position.as_ref().map(|position| (position.line, position.column));
        if found != place || failure.code_frame.is_some() != place.is_some() {
            wrong.push(format!("{found:?}, not {place:?}: {code}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn an_error_about_a_promise_says_where_await_is_missing() {
    let engine = engine(|config| config);
    let mut wrong = Vec::new();
    for (text, hint) in [
        ("const o = mcp.t.echo({})\nfor (const x of o) {}", "`o` is a promise: `await` it first"),
        ("const o = mcp.call('t:echo')\no.map((x) => x)", "`o` is a promise: `await` it first"),
        ("const o = mcp.t.echo({})\no.a.b", "`o` is a promise: `await` it first"),
        (
            "const o = mcp.t.echo({})\nconst { a } = o\na.b",
            "`a` was taken from a promise: `await` `o` first",
        ),
        (
            "const { a } = mcp.t.echo({})\na.map((x) => x)",
            "`a` was taken from a promise: `await` the call first",
        ),
        (
            "async function g() { return [1] }\ng().map((x) => x)",
            "`g(…)` is a promise: `await` it first",
        ),
        (
            "const g = async () => [1]\nconst l = g()\nl.map((x) => x)",
            "`l` is a promise: `await` it first",
        ),
        ("mcp.t.echo({}).map((x) => x)", "a call of a tool is a promise: `await` it first"),
        // None of these is a promise for certain, or at all.
        ("const o = await mcp.t.echo({})\nfor (const x of o) {}", ""),
        ("let o = mcp.t.echo({})\no = 1\nfor (const x of o) {}", ""),
        ("const o = mcp.t.echo({})\n{ const o = 1; for (const x of o) {} }", ""),
        ("function g() { return 1 }\ng().map((x) => x)", ""),
        ("const o = {}\no.a.b", ""),
    ] {
        let outcome = run(&engine, text).await;
        let found = failure(&outcome).hint.as_deref().unwrap_or_default();
        if found != hint {
            wrong.push(format!("{found:?}, not {hint:?}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

//! The last expression is the result, if it can be one; nobody asked for it otherwise.

use pml::json::json;
use pml_kit::sandbox::{code, engine, run, value};

#[tokio::test]
async fn a_last_expression_that_json_cannot_hold_is_no_result() {
    let engine = engine(|config| config);
    for program in [
        "globalThis.h = () => 1",
        "10n",
        "const a = {}; a.a = a; a",
        "Symbol('x')",
        "class A {}; A",
        "(async () => () => 1)()",
        "const list = []; list.push(list), list",
        "({ toJSON() { throw new Error('no') } })",
        "let deep = []; for (let i = 0; i < 1e5; i++) deep = [deep]; deep",
    ] {
        let outcome = run(&engine, program).await;
        assert!(outcome.failure().is_none(), "{program}: {:#?}", outcome.failure());
        assert_eq!(outcome.json(), None, "{program}");
    }
}

#[tokio::test]
async fn a_last_expression_that_nothing_can_settle_is_no_result() {
    let engine = engine(|config| config);
    for program in [
        "new Promise(() => {})",
        "await mcp.t.echo({}); new Promise(() => {})",
        "({ then() {} })",
        "setTimeout(() => console.log('late'), 1); new Promise(() => {})",
    ] {
        let outcome = run(&engine, program).await;
        assert!(outcome.failure().is_none(), "{program}: {:#?}", outcome.failure());
        assert_eq!(outcome.json(), None, "{program}");
    }
}

#[tokio::test]
async fn a_last_expression_that_can_be_one_is_the_result() {
    let engine = engine(|config| config);
    for (program, result) in [
        ("1 + 1", json!(2)),
        ("const a = 1; a, 2", json!(2)),
        ("mcp.t.echo({ a: 1 })", json!({ "a": 1 })),
        ("if (false) return 1; 'last'", json!("last")),
        ("const lastExpression = 5; lastExpression", json!(5)),
        ("let lastExpression = 5, lastExpression_ = 6; lastExpression_", json!(6)),
    ] {
        assert_eq!(value(&engine, program).await, result, "{program}");
    }
}

#[tokio::test]
async fn a_result_that_the_program_returns_still_has_to_be_one() {
    let engine = engine(|config| config);
    for (program, expected) in [
        ("if (true) return () => 1; 5", "RESULT_NOT_JSON"),
        ("export default 10n", "RESULT_NOT_JSON"),
        ("return new Promise(() => {})", "STALLED"),
        ("await new Promise(() => {}); 5", "STALLED"),
        ("[await new Promise(() => {})]", "STALLED"),
        ("Promise.reject(new Error('no'))", "THREW"),
        ("(() => { throw new Error('no') })()", "THREW"),
    ] {
        assert_eq!(code(&engine, program).await, expected, "{program}");
    }
}

#[tokio::test]
async fn a_class_is_no_result_and_says_what_would_be_one() {
    let engine = engine(|config| config);
    for (program, message, instance) in [
        (
            "export default class Report {}",
            "the result is the class `Report`, and a class is not a result",
            "`new Report()`",
        ),
        (
            "class Report {}; export { Report as default }",
            "the result is the class `Report`, and a class is not a result",
            "`new Report()`",
        ),
        (
            "export default class {}",
            "the result is a class, and a class is not a result",
            "`new …()`",
        ),
        (
            "return class Report {}",
            "the result is the class `Report`, and a class is not a result",
            "`new Report()`",
        ),
    ] {
        let outcome = run(&engine, program).await;
        let failure = outcome.failure().unwrap_or_else(|| panic!("{program}"));
        assert_eq!(failure.code.as_str(), "RESULT_NOT_JSON", "{program}");
        assert_eq!(failure.message, message, "{program}");
        let hint = failure.hint.as_deref().expect("a hint");
        assert!(hint.contains("a function, a value, or an instance"), "{hint}");
        assert!(hint.contains(instance), "{program}: {hint}");
    }
}

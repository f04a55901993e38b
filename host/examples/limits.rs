//! Shows every limit and refusal that a program can run into, and the code by which an embedder
//! tells them apart.
//!
//! All programs run on one engine with small limits, one after the other. Each ends in an outcome
//! with a stable code; the engine is as good as new for the next one. Limits of a whole run end the
//! program; a call that is refused is an error which the program may catch, so its code stands in
//! `error_code` beside `THREW`.
//!
//! Prints one line for each:
//!
//! ```text
//! CPU_TIME           refused  the program ran for more than 50ms of CPU time
//! …
//! THREW              script   TOOL_DENIED: tool `bank:pay` is not allowed
//! …
//! and then: 2
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use pml::json::{Value, json};
use pml::{CallError, Code, Config, Engine, Failure, Script, tools_from_fn};
use std::time::Duration;

/// A program, and the code that it ends with.
struct Case {
    expected: Code,
    /// The code of the call that was refused, for a program that does not catch it.
    of_call: Option<Code>,
    program: &'static str,
}

const fn ends(expected: Code, program: &'static str) -> Case {
    Case { expected, of_call: None, program }
}

const fn throws(of_call: Code, program: &'static str) -> Case {
    Case { expected: Code::Threw, of_call: Some(of_call), program }
}

const CASES: &[Case] = &[
    // Time and space.
    ends(Code::CpuTime, "while (true) {}"),
    ends(Code::Timeout, "await mcp.demo.never({})"),
    ends(
        Code::Memory,
        "const kept = []; while (true) kept.push(new Array(10_000).fill(kept.length))",
    ),
    ends(Code::Stack, "const deeper = () => deeper() + 1; deeper()"),
    ends(Code::ResultSize, "return 'x'.repeat(100_000)"),
    ends(Code::Calls, "while (true) await mcp.demo.echo({})"),
    ends(Code::JournalSize, "while (true) await mcp.demo.echo({ text: 'x'.repeat(9_000) })"),
    // Programs that cannot end, or not in a value.
    ends(Code::Stalled, "await new Promise(() => {})"),
    ends(Code::ResultNotJson, "const loop = {}; loop.self = loop; return loop"),
    ends(Code::Syntax, "return 1 +"),
    ends(Code::UnsupportedSyntax, "enum Colour { Red } return Colour.Red"),
    ends(Code::ImportRefused, "import fs from 'node:fs'; export default fs"),
    ends(Code::Threw, "throw new RangeError('its own')"),
    // Calls.
    throws(Code::ToolDenied, "await mcp.bank.pay({ amount: 1 })"),
    throws(Code::ToolUnknown, "await mcp.demo.missing({})"),
    throws(Code::ToolFailed, "await mcp.demo.fails({})"),
    throws(Code::Arguments, "await mcp.demo.echo([1])"),
    throws(Code::ArgumentsSize, "await mcp.demo.echo({ text: 'x'.repeat(100_000) })"),
    throws(Code::ReplySize, "await mcp.demo.large({})"),
];

fn tools() -> impl pml::Tools {
    tools_from_fn(|call| async move {
        match call.tool.as_str() {
            "demo:echo" => Ok(call.arguments),
            "demo:large" => Ok(Value::from("x".repeat(100_000))),
            "demo:never" => std::future::pending().await,
            "demo:fails" => Err(CallError::tool("the printer is on fire")),
            other => Err(CallError::unknown(other)),
        }
    })
}

fn show(failure: &Failure) {
    let class = format!("{:?}", failure.class()).to_lowercase();
    let of_call = failure.error_code.as_ref().map(|code| format!("{code}: ")).unwrap_or_default();
    // A message may be the program's own words: it is shown escaped.
    let message = format!("{of_call}{}", failure.message);
    println!("{:<18} {class:<8} {}", failure.code.as_str(), pml::text::escape(&message));
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), pml::Error> {
    let mut config = Config::new();
    config
        .cpu_time(Duration::from_millis(50))
        .timeout(Duration::from_millis(250))
        .memory_limit(8 << 20)
        .source_limit(10_000)
        .inputs_limit(10_000)
        .result_limit(10_000)
        .arguments_limit(10_000)
        .reply_limit(10_000)
        .calls(100)
        .journal_limit(500_000)
        .allow_tool("demo:*");
    let engine = Engine::new(&config)?;

    for case in CASES {
        let outcome = engine.run(Script::ts(case.program)).tools(tools()).await?;
        let failure = outcome.failure().expect("every program here fails");
        show(failure);
        assert_eq!(failure.code, case.expected, "{}", case.program);
        let of_call = case.of_call.map(Code::as_str);
        assert_eq!(failure.error_code.as_deref(), of_call, "{}", case.program);
    }

    // What is too large never starts.
    let large = "x".repeat(20_000);
    let source = engine.run(Script::ts(format!("return '{large}'"))).await?;
    let inputs = engine.run(Script::ts("return 1")).inputs(json!(large)).await?;
    for (outcome, expected) in [(source, Code::SourceSize), (inputs, Code::InputSize)] {
        let failure = outcome.failure().expect("too large");
        show(failure);
        assert_eq!(failure.code, expected);
    }

    // A setting that makes no sense is an error of the embedder, not an outcome.
    let error = Engine::new(Config::new().memory_limit(1)).expect_err("too little memory");
    println!("{:<18} {:<8} {error}", error.kind().as_str(), "usage");
    assert_eq!(error.kind(), Code::Config);

    let outcome = engine.run(Script::ts("return 1 + 1")).await?;
    println!("and then: {}", outcome.value().unwrap_or_default());
    assert_eq!(outcome.value(), Some(json!(2)));
    Ok(())
}

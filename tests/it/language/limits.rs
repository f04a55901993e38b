//! Each limit ends in its own code or a defined value, and leaves the engine unharmed.

use pml::json::json;
use pml::{Engine, error::ErrorClass, event::ConsoleLevel};
use pml_kit::outlast;
use pml_kit::sandbox::{code, engine, run, value};
use std::time::Duration;

/// An engine with a short CPU time, so that the tests are quick.
fn quick() -> Engine {
    engine(|config| config.cpu_time(Duration::from_millis(200)).calls(u64::MAX))
}

#[tokio::test]
async fn endless_work_ends_with_cpu_time() {
    let engine = quick();
    for endless in [
        "while (true) {}",
        "const again = () => Promise.resolve().then(again); await again()",
        "/(a+)+b/.test('a'.repeat(60))",
        "for (;;) await mcp.t.echo({})",
        "[1].sort(() => { for (;;); }), [2, 1].sort(() => { for (;;); })",
        "return { toJSON() { for (;;); } }",
        "throw { get message() { for (;;); } }",
        "'a'.replace(/a/, () => { for (;;); })",
        "JSON.parse('[1]', () => { for (;;); })",
    ] {
        assert_eq!(code(&engine, endless).await, "CPU_TIME", "{endless}");
    }
    assert_eq!(value(&engine, "1 + 1").await, json!(2));
}

#[tokio::test]
async fn cpu_time_cannot_be_caught() {
    let engine = quick();
    for greedy in ["try { for (;;); } catch {} return 1", "try { for (;;); } finally { return 1 }"]
    {
        assert_eq!(code(&engine, greedy).await, "CPU_TIME", "{greedy}");
    }
}

#[tokio::test]
async fn cpu_time_does_not_run_while_a_call_is_out() {
    let limit = Duration::from_millis(500);
    let engine = engine(|config| config.cpu_time(limit));
    let outcome = run(&engine, "await mcp.pml.sleep({ ms: 1000 }); return 'slept'").await;
    assert_eq!(outcome.value(), Some(json!("slept")));
    assert!(outcome.usage.cpu_time < limit, "{:?}", outcome.usage);
    assert!(outcome.usage.wall_time >= Duration::from_secs(1), "{:?}", outcome.usage);
}

#[tokio::test]
async fn waiting_too_long_ends_with_timeout() {
    let engine = engine(|config| config.timeout(Duration::from_millis(500)));
    for slow in [
        "await mcp.t.wait({})",
        "await new Promise((done) => setTimeout(done, 60_000))",
        "for (;;);",
    ] {
        assert_eq!(code(&engine, slow).await, "TIMEOUT", "{slow}");
    }
    assert_eq!(value(&engine, "1 + 1").await, json!(2));
}

#[tokio::test]
async fn eating_memory_ends_with_memory_and_cannot_be_caught() {
    let engine = engine(|config| config.memory_limit(16 << 20));
    for hungry in [
        "const all = []; for (;;) all.push(new Array(1000).fill(1))",
        "let text = 'x'; for (;;) { text += text; text.charCodeAt(text.length >> 1) }",
        "try { const all = []; for (;;) all.push({}) } catch { return 'caught' }",
        "new ArrayBuffer(100 << 20)",
        "'x'.repeat(2 ** 29)",
        "new Uint8Array(64 << 20).fill(1)",
        "const map = new Map(); for (let i = 0; ; i++) map.set(i, i)",
        "return 'x'.repeat(100 << 20)",
    ] {
        assert_eq!(code(&engine, hungry).await, "MEMORY", "{hungry}");
    }
    assert_eq!(value(&engine, "1 + 1").await, json!(2));
}

#[tokio::test]
async fn a_size_that_no_memory_could_hold_is_a_range_error() {
    let engine = engine(|config| config);
    for absurd in ["new ArrayBuffer(2 ** 53)", "'x'.repeat(2 ** 31)", "new Array(-1)"] {
        let outcome = run(&engine, absurd).await;
        let failure = outcome.failure().expect(absurd);
        assert_eq!(
            (failure.code.as_str(), failure.name.as_str()),
            ("THREW", "RangeError"),
            "{absurd}"
        );
    }
}

#[tokio::test]
async fn deep_recursion_ends_with_stack() {
    let engine = engine(|config| config);
    for deep in [
        "function f() { return f() + 1 } f()",
        "const f = (...all) => f(...all, 1); f()",
        "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x",
        "const p = new Proxy({}, { get: (_, key, self) => self[key] }); p.x",
        "JSON.parse('['.repeat(1e6))",
        "JSON.parse('{\"a\":'.repeat(1e5))",
        "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; JSON.stringify(o)",
        "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o",
        "eval('('.repeat(1e6))",
        "new Function('['.repeat(1e6))",
        "class A { constructor() { new A() } } new A()",
        "const o = { toString() { return `${o}` } }; `${o}`",
        "const o = { get a() { return o.a } }; o.a",
        "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity)",
        "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.toString()",
    ] {
        assert_eq!(code(&engine, deep).await, "STACK", "{deep}");
    }
    assert_eq!(value(&engine, "1 + 1").await, json!(2));
}

#[tokio::test]
async fn a_regex_that_nests_too_deep_is_a_syntax_error() {
    let engine = engine(|config| config);
    let outcome = run(&engine, "new RegExp('(?:'.repeat(1e6) + ')'.repeat(1e6))").await;
    let failure = outcome.failure().expect("refused");
    assert_eq!(
        (failure.code.as_str(), failure.name.as_str()),
        ("THREW", "SyntaxError"),
        "{failure:?}"
    );
    assert_eq!(value(&engine, "1 + 1").await, json!(2));
}

#[tokio::test]
async fn recursion_that_is_caught_goes_on() {
    let engine = engine(|config| config);
    let caught = "let depth = 0; const f = () => { depth++; f() };
        try { f() } catch (error) { return [error instanceof RangeError, depth > 500] }";
    assert_eq!(value(&engine, caught).await, json!([true, true]));
}

#[tokio::test]
async fn a_loop_that_waits_for_the_clock_is_told_that_it_stands_still() {
    let engine = engine(|config| config.cpu_time(Duration::from_millis(200)));
    for (program, is_told) in [
        ("const end = Date.now() + 50; while (Date.now() < end);", true),
        ("for (const start = performance.now(); performance.now() - start < 50;);", true),
        ("const end = +new Date() + 50; do {} while (new Date() < end)", true),
        ("await mcp.t.echo({}); const end = Date.now() + 50; while (Date.now() < end);", true),
        ("for (let i = 0; i < 20000; i++) Date.now(); await mcp.t.echo({}); while (true);", false),
        ("const start = Date.now(); while (true);", false),
    ] {
        let outcome = run(&engine, program).await;
        let failure = outcome.failure().unwrap_or_else(|| panic!("{program}"));
        assert_eq!(failure.code.as_str(), "CPU_TIME", "{program}");
        let hint = failure.hint.as_deref().unwrap_or_default();
        assert_eq!(hint.contains("the clock stands still"), is_told, "{program}: {hint}");
        assert_eq!(hint.contains("setTimeout(r, ms)"), is_told, "{program}: {hint}");
    }
}

#[tokio::test]
async fn a_promise_that_nothing_can_settle_says_so_at_once() {
    let engine = engine(|config| config);
    for stalled in [
        "await new Promise(() => {})",
        "const timer = setTimeout(() => {}, 1e9); const p = new Promise(() => {}); clearTimeout(timer); await p",
        "export default new Promise(() => {})",
    ] {
        assert_eq!(code(&engine, stalled).await, "STALLED", "{stalled}");
    }
}

#[tokio::test]
async fn a_large_source_or_input_or_result_is_refused_by_name() {
    let engine = engine(|config| config.source_limit(1000).inputs_limit(100).result_limit(1000));
    assert_eq!(code(&engine, &format!("'{}'", "x".repeat(2000))).await, "SOURCE_SIZE");
    assert_eq!(code(&engine, "'x'.repeat(999)").await, "RESULT_SIZE");
    assert_eq!(value(&engine, "'x'.repeat(998).length").await, json!(998));
    let inputs = json!("x".repeat(99));
    let outcome = engine.run(pml::Script::ts("1")).inputs(inputs).await.expect("the sandbox works");
    assert_eq!(outcome.failure().expect("refused").code.as_str(), "INPUT_SIZE");
}

#[tokio::test]
async fn a_result_of_a_hundred_megabytes_is_refused() {
    let engine = engine(|config| config.memory_limit(1 << 30));
    assert_eq!(code(&engine, "'x'.repeat(100e6)").await, "RESULT_SIZE");
}

#[tokio::test]
async fn a_result_that_is_not_json_says_why() {
    let engine = engine(|config| config);
    for (program, why) in [
        ("const a = {}; a.a = a; return a", "circular"),
        ("return 10n", "BigInt"),
        ("return () => 1", "function"),
        ("return Symbol('x')", "symbol"),
    ] {
        let outcome = run(&engine, program).await;
        let failure = outcome.failure().expect(program);
        assert_eq!(failure.code.as_str(), "RESULT_NOT_JSON", "{program}");
        assert!(failure.message.contains(why), "{program}: {}", failure.message);
    }
    assert_eq!(
        value(&engine, "return { a: undefined, b: () => 1, c: NaN, d: new Date(0) }").await,
        json!({ "c": null, "d": "1970-01-01T00:00:00.000Z" })
    );
}

#[tokio::test]
async fn a_million_console_lines_are_cut_and_counted() {
    let engine = engine(|config| config.console_limit(10_000));
    let outcome =
        run(&engine, "for (let i = 0; i < 1e6; i++) console.log('line', i); return 1").await;
    assert_eq!(outcome.value(), Some(json!(1)));
    let bytes: usize = outcome.console.iter().map(|line| line.text.len()).sum();
    assert!(bytes <= 10_100, "{bytes}");
    assert_eq!(outcome.console[0].text, "line 0");
    let note = outcome.console.last().expect("a note");
    assert!(note.text.contains("the console is full"), "{note:?}");
    assert_eq!(outcome.console.len() - 1 + outcome.dropped_lines as usize, 1_000_000);
}

#[tokio::test]
async fn lines_written_before_a_program_is_stopped_are_not_lost() {
    let engine =
        engine(|config| config.cpu_time(Duration::from_millis(100)).memory_limit(16 << 20));
    for end in ["for (;;);", "const all = []; for (;;) all.push(new Array(100).fill(1))"] {
        let outcome = run(&engine, &format!("console.error('before'); {end}")).await;
        assert_eq!(outcome.failure().expect("stopped").class(), ErrorClass::Refused);
        assert_eq!(outcome.console.len(), 1, "{end}");
        assert_eq!(
            (outcome.console[0].level, outcome.console[0].text.as_str()),
            (ConsoleLevel::Error, "before")
        );
    }
}

#[tokio::test]
async fn too_many_calls_end_the_run() {
    let engine = engine(|config| config.calls(10));
    assert_eq!(
        value(&engine, "for (let i = 0; i < 10; i++) await mcp.t.echo({}); return 1").await,
        json!(1)
    );
    assert_eq!(
        code(&engine, "for (let i = 0; i < 11; i++) await mcp.t.echo({}); return 1").await,
        "CALLS"
    );
    assert_eq!(code(&engine, "try { for (;;) mcp.t.echo({}) } catch { return 1 }").await, "CALLS");
}

#[tokio::test]
async fn arguments_and_answers_that_are_too_large_are_errors_of_the_call() {
    let engine = engine(|config| config.arguments_limit(1000).reply_limit(500));
    let caught = |size: usize| {
        format!(
            "try {{ return (await mcp.t.echo({{ x: 'x'.repeat({size}) }})).x.length }} catch (e) {{ return e.code }}"
        )
    };
    assert_eq!(value(&engine, &caught(100)).await, json!(100));
    assert_eq!(value(&engine, &caught(600)).await, json!("REPLY_SIZE"));
    assert_eq!(value(&engine, &caught(2000)).await, json!("ARGUMENTS_SIZE"));
    // What has been answered no longer counts.
    let many = "for (let i = 0; i < 100; i++) await mcp.t.echo({ x: 'x'.repeat(400) }); return 1";
    assert_eq!(value(&engine, many).await, json!(1));
}

#[tokio::test]
async fn arguments_that_nest_too_deep_are_errors_of_the_call() {
    let engine = engine(|config| config);
    let deep = "let a = {}; for (let i = 0; i < 500; i++) a = { a };
        try { await mcp.t.echo(a) } catch (e) { return e.code }";
    assert_eq!(value(&engine, deep).await, json!("ARGUMENTS"));
}

#[tokio::test]
async fn what_a_stopped_program_wrote_too_much_is_noted() {
    let engine = engine(|config| config.cpu_time(Duration::from_millis(200)).console_limit(5_000));
    let outcome = run(&engine, "for (;;) console.log('x'.repeat(100))").await;
    assert_eq!(outcome.failure().expect("stopped").code.as_str(), "CPU_TIME");
    assert!(outcome.console.last().expect("a note").text.contains("the console is full"));
}

#[tokio::test]
async fn the_name_of_a_tool_has_a_length() {
    let engine = engine(|config| config);
    let long =
        "const name = 'a:' + 'x'.repeat(1e6); return mcp.call(name, {}).catch((e) => e.name)";
    assert_eq!(value(&engine, long).await, json!("TypeError"));
    let odd = "return mcp.call('a:' + 'x'.repeat(500), {}).catch((e) => e.code)";
    assert_eq!(value(&engine, odd).await, json!("TOOL_UNKNOWN"));
}

#[tokio::test]
async fn arguments_beyond_every_limit_are_an_error_of_the_call() {
    let engine = engine(|config| config.memory_limit(1 << 30));
    let huge = "return mcp.call('a:b', { x: 'x'.repeat(150e6) }).catch((e) => e.code)";
    assert_eq!(value(&engine, huge).await, json!("ARGUMENTS_SIZE"));
}

#[tokio::test]
async fn a_result_that_nests_deep_is_there_as_text() {
    let engine = engine(|config| config);
    let outcome = run(&engine, "let o = []; for (let i = 0; i < 500; i++) o = [o]; return o").await;
    assert_eq!(outcome.json().map(str::len), Some(1002));
    assert_eq!(outcome.value(), None);
}

#[tokio::test]
async fn a_slow_listener_is_not_charged_to_the_program() {
    let limit = Duration::from_millis(500);
    let engine = engine(|config| config.cpu_time(limit));
    let slow = move |event: &pml::Event| {
        if matches!(event, pml::Event::Console { .. }) {
            outlast(limit);
        }
    };
    let script = pml::Script::ts(
        "console.log('a'); await mcp.pml.sleep({ ms: 1 }); console.log('b'); await mcp.pml.sleep({ ms: 1 }); return 1",
    );
    let outcome = engine.run(script).events(slow).await.expect("the sandbox works");
    assert_eq!(outcome.value(), Some(json!(1)), "{:?}", outcome.usage);
}

#[tokio::test]
async fn waiting_for_a_slot_is_not_the_programs_time() {
    let engine = engine(|config| config.runs(1).timeout(Duration::from_secs(3)));
    let slow = "await mcp.pml.sleep({ ms: 1100 }); return 1";
    let (a, b, c) = tokio::join!(run(&engine, slow), run(&engine, slow), run(&engine, slow));
    for outcome in [a, b, c] {
        assert_eq!(outcome.value(), Some(json!(1)), "{:?}", outcome.ending);
    }
}

//! Calls out of the sandbox and back.

use pml::json::{Value, json};
use pml::{BoxFuture, Call, Engine, Event, Reply, Script, Tools};
use pml_kit::sandbox::{TestTools, engine, run, value};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

fn any() -> Engine {
    engine(|config| config)
}

#[tokio::test]
async fn a_tool_is_called_by_any_of_its_spellings() {
    let engine = any();
    for call in [
        "await mcp.t.echo({ a: 1 })",
        "await mcp['t']['echo']({ a: 1 })",
        "await mcp.call('t:echo', { a: 1 })",
        "const { t } = mcp; const { echo } = t; await echo({ a: 1 })",
        "await mcp.t.echo({ a: 1 }, {})",
        "await mcp.t.echo({ a: 1 }, { signal: undefined })",
    ] {
        assert_eq!(value(&engine, call).await, json!({ "a": 1 }), "{call}");
    }
    assert_eq!(value(&engine, "await mcp.t.echo()").await, json!({}));
    let odd =
        "try { await mcp['odd-name']['tool-name']({}) } catch (e) { return [e.code, e.tool] }";
    assert_eq!(value(&engine, odd).await, json!(["TOOL_UNKNOWN", "odd-name:tool-name"]));
}

#[tokio::test]
async fn arguments_and_answers_arrive_exactly() {
    let engine = any();
    let exact = r#"
        const given = { s: "é\u0000\ud83d\ude00\"\\", n: [0.1, -0, 1e21, 1e-7, 9007199254740993, 5e-324], o: { z: 1, a: null }, t: [true, []] };
        return JSON.stringify(await mcp.t.echo(given)) === JSON.stringify(given)"#;
    assert_eq!(value(&engine, exact).await, json!(true));
}

#[tokio::test]
async fn a_failure_is_caught_with_code_tool_and_data() {
    let caught = "try { await mcp.t.fail({ n: 1 }) } catch (e) {
        return [e instanceof Error, e.name, e.message, e.code, e.tool, e.data] }";
    assert_eq!(
        value(&any(), caught).await,
        json!([true, "ToolError", "it does not work", "TOOL_FAILED", "t:fail", { "n": 1 }])
    );
}

#[tokio::test]
async fn a_tool_that_is_not_allowed_is_refused_and_never_reached() {
    let reached = Arc::new(AtomicUsize::new(0));
    let counter = reached.clone();
    let mut config = pml::Config::new();
    config.runs(2).allow_tool("t:echo");
    let engine = Engine::new(&config).expect("an engine");
    let tools = pml::tools_from_fn(move |call| {
        counter.fetch_add(1, Ordering::SeqCst);
        async move { Ok(call.arguments) }
    });
    let script = Script::ts(
        "const codes = []; for (const tool of ['t:echo', 't:other', 'u:echo', 'pml:other', 'bad'])
           await mcp.call(tool, {}).then(() => codes.push('ok'), (e) => codes.push(e.code ?? e.name)); return codes",
    );
    let outcome = engine.run(script).tools(tools).await.expect("the sandbox works");
    let expected = json!(["ok", "TOOL_DENIED", "TOOL_DENIED", "TOOL_UNKNOWN", "TypeError"]);
    assert_eq!(outcome.value(), Some(expected));
    assert_eq!(reached.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn nothing_is_allowed_by_default() {
    let engine = Engine::new(pml::Config::new().runs(1)).expect("an engine");
    let outcome = run(&engine, "await mcp.t.echo({})").await;
    let failure = outcome.failure().expect("refused");
    assert_eq!(failure.error_code.as_deref(), Some("TOOL_DENIED"));
}

#[tokio::test]
async fn odd_arguments_are_errors_of_the_call() {
    let engine = any();
    for (arguments, expected) in [
        ("[]", "ARGUMENTS"),
        ("'text'", "ARGUMENTS"),
        ("null", "ARGUMENTS"),
        ("() => 1", "TypeError"),
        ("Symbol()", "TypeError"),
        ("{ n: 1n }", "TypeError"),
    ] {
        let code = format!("mcp.t.echo({arguments}).then(() => 'sent', (e) => e.code ?? e.name)");
        assert_eq!(value(&engine, &code).await, json!(expected), "{arguments}");
    }
    let cyclic = "const a = {}; a.a = a; return mcp.t.echo(a).then(() => 'sent', (e) => e.name)";
    assert_eq!(value(&engine, cyclic).await, json!("TypeError"));
}

#[tokio::test]
async fn calls_run_in_parallel_and_settle_in_the_order_of_their_arrival() {
    let engine = any();
    let order =
        "const order = []; const sleep = (ms) => mcp.pml.sleep({ ms }).then(() => order.push(ms));
        await Promise.all([sleep(60), sleep(20), sleep(40)]); return order";
    let outcome = run(&engine, order).await;
    assert_eq!(outcome.value(), Some(json!([20, 40, 60])));
    assert_eq!(outcome.usage.calls, 3);
}

/// Counts how many calls are out at once.
#[derive(Clone, Default)]
struct Gauge {
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Tools for Gauge {
    fn call(&self, _: Call) -> BoxFuture<'_, Reply> {
        Box::pin(async move {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            self.now.fetch_sub(1, Ordering::SeqCst);
            Ok(Value::Null)
        })
    }
}

#[tokio::test]
async fn no_more_calls_are_out_than_allowed_and_all_get_their_turn() {
    let engine = engine(|config| config.calls_in_flight(7));
    let gauge = Gauge::default();
    let all =
        "return (await Promise.all(Array.from({ length: 100 }, (_, i) => mcp.t.x({ i })))).length";
    let outcome =
        engine.run(Script::ts(all)).tools(gauge.clone()).await.expect("the sandbox works");
    assert_eq!(outcome.value(), Some(json!(100)));
    assert_eq!(gauge.most.load(Ordering::SeqCst), 7);
}

#[tokio::test]
async fn an_abort_signal_withdraws_a_call() {
    let engine = any();
    let aborted = "const stop = new AbortController();
        const call = mcp.t.wait({}, { signal: stop.signal });
        setTimeout(() => stop.abort(new Error('enough')), 5);
        return call.then(() => 'answered', (e) => e.message)";
    assert_eq!(value(&engine, aborted).await, json!("enough"));
    let before = "return mcp.t.wait({}, { signal: AbortSignal.abort('no') }).catch((e) => e)";
    assert_eq!(value(&engine, before).await, json!("no"));
    let late = "const stop = new AbortController(); const r = await mcp.t.echo({ a: 1 }, { signal: stop.signal });
        stop.abort(); return r";
    assert_eq!(value(&engine, late).await, json!({ "a": 1 }));
    let odd = "return mcp.t.echo({}, { signal: {} }).catch((e) => e.name)";
    assert_eq!(value(&engine, odd).await, json!("TypeError"));
}

/// Tells when a call's future is dropped before it is done.
struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn calls_that_nobody_waits_for_are_cancelled_and_named() {
    let engine = any();
    let dropped = Arc::new(AtomicUsize::new(0));
    let seen = dropped.clone();
    let tools = pml::tools_from_fn(move |call| {
        let guard = Dropped(seen.clone());
        async move {
            if call.tool.tool() == "wait" {
                std::future::pending::<()>().await;
            }
            std::mem::forget(guard);
            Ok(Value::Null)
        }
    });
    let script = Script::ts("mcp.t.wait({}); await mcp.t.echo({}); mcp.t.late({}); return 1");
    let outcome = engine.run(script).tools(tools).await.expect("the sandbox works");
    let abandoned: Vec<_> =
        outcome.abandoned.iter().map(|one| (one.tool.as_str(), one.sent)).collect();
    assert_eq!(abandoned, [("t:wait", true), ("t:late", false)]);
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn losers_of_a_race_go_on_until_the_end() {
    let engine = any();
    let race = "const slow = mcp.t.later({ n: 2 }); const first = await Promise.race([mcp.t.echo({ n: 1 }), slow]);
        return [first, await slow]";
    assert_eq!(value(&engine, race).await, json!([{ "n": 1 }, { "n": 2 }]));
}

#[tokio::test]
async fn a_dropped_run_drops_its_calls() {
    let engine = any();
    let dropped = Arc::new(AtomicUsize::new(0));
    let seen = dropped.clone();
    let (sender, arrived) = tokio::sync::oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let tools = pml::tools_from_fn(move |_| {
        let guard = Dropped(seen.clone());
        sender.lock().expect("one thread").take().map(|sender| sender.send(()));
        async move {
            std::future::pending::<()>().await;
            drop(guard);
            Ok(Value::Null)
        }
    });
    let run = tokio::spawn(engine.run(Script::ts("await mcp.t.x({})")).tools(tools).into_future());
    arrived.await.expect("the call arrives");
    run.abort();
    assert!(run.await.expect_err("aborted").is_cancelled());
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert_eq!(value(&engine, "1 + 1").await, json!(2));
}

#[tokio::test]
async fn timers_keep_their_order_and_can_be_cleared() {
    let engine = any();
    let timers = "const order = []; const done = new Promise((resolve) => setTimeout(resolve, 40));
        setTimeout(() => order.push('b'), 10); setTimeout(() => order.push('a'), 0);
        setTimeout(() => order.push('c'), 10); const x = setTimeout(() => order.push('never'), 5); clearTimeout(x);
        clearTimeout(12345); clearTimeout(undefined);
        const every = setInterval((tag) => { order.push(tag); if (order.length > 4) clearInterval(every) }, 1, 'i');
        await done; return [order.filter((x) => x !== 'i').join(''), order.filter((x) => x === 'i').length > 0]";
    assert_eq!(value(&engine, timers).await, json!(["abc", true]));
}

#[tokio::test]
async fn events_tell_what_happens_in_order() {
    let engine = any();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let run = engine
        .run(Script::ts("console.log('hi'); await mcp.t.echo({}); return 1"))
        .tools(TestTools::default())
        .events(move |event: &Event| {
            log.lock().expect("one thread").push(match event {
                Event::Started { .. } => "started",
                Event::Console { .. } => "console",
                Event::CallStarted { .. } => "call",
                Event::CallSettled { error: None, .. } => "settled",
                Event::Ended { .. } => "ended",
                _ => "other",
            });
        });
    run.await.expect("the sandbox works");
    assert_eq!(
        *seen.lock().expect("one thread"),
        ["started", "console", "call", "settled", "ended"]
    );
}

#[tokio::test]
async fn a_timer_that_is_always_due_keeps_no_reply_out() {
    let spin = "let done = false; mcp.t.later({}).then(() => done = true);
        let turns = 0; while (!done) { turns++; await new Promise((go) => setTimeout(go, 0)) } return turns < 1000";
    assert_eq!(value(&any(), spin).await, json!(true));
}

#[tokio::test]
async fn an_abort_while_the_arguments_are_written_is_heard() {
    let late = "const stop = new AbortController();
        const args = { toJSON() { stop.abort(new Error('stopped')); return {} } };
        return mcp.t.wait(args, { signal: stop.signal }).catch((e) => e.message)";
    assert_eq!(value(&any(), late).await, json!("stopped"));
}

#[tokio::test]
async fn half_a_surrogate_pair_costs_one_character() {
    let engine = any();
    assert_eq!(value(&engine, "'x😀'.slice(0, 2)").await, json!("x\u{fffd}"));
    assert_eq!(
        value(&engine, "mcp.t.echo({ x: 'x😀'.slice(0, 2) })").await,
        json!({ "x": "x\u{fffd}" })
    );
    let outcome = run(&engine, "throw new Error('bad ' + 'x😀'.slice(0, 2))").await;
    assert!(outcome.failure().expect("thrown").message.starts_with("bad x"));
}

#[tokio::test]
async fn an_uncaught_failure_of_a_call_shows_where_it_was_awaited() {
    let program = "const a = 1;\nasync function load(n: number) {\n  return await mcp.t.fail({ n });\n}\nawait load(a);";
    let outcome = run(&any(), program).await;
    let position = outcome.failure().expect("thrown").position.clone().expect("a place");
    assert_eq!(position.line, 3);
}

#[tokio::test]
async fn inputs_are_there_while_a_module_is_evaluated() {
    let script = Script::ts("const seen = inputs.a; export default seen");
    let outcome = any().run(script).inputs(json!({ "a": 1 })).await.expect("the sandbox works");
    assert_eq!(outcome.value(), Some(json!(1)));
}

#[tokio::test]
async fn an_uncaught_error_tells_its_causes() {
    let engine = any();
    let chain = "throw new Error('outer', { cause: new TypeError('middle', { cause: 'inner' }) })";
    let outcome = run(&engine, chain).await;
    assert_eq!(outcome.failure().expect("thrown").causes, ["TypeError: middle", "inner"]);
    let gathered = "await Promise.any([Promise.reject(new Error('a')), Promise.reject(2)])";
    let outcome = run(&engine, gathered).await;
    assert_eq!(outcome.failure().expect("thrown").causes, ["Error: a", "2"]);
    let endless = "const e = new Error('x'); e.cause = e; throw e";
    let outcome = run(&engine, endless).await;
    assert_eq!(outcome.failure().expect("thrown").causes.len(), 8);
}

#[tokio::test]
async fn aborting_a_call_that_never_left_cancels_no_other() {
    let engine = engine(|config| config.arguments_limit(100));
    let program = "const first = mcp.t.later({ n: 1 }); const stop = new AbortController();
        const second = mcp.t.echo({ x: 'x'.repeat(1000) }, { signal: stop.signal }).catch((e) => e.code);
        stop.abort(); return [await first, await second]";
    assert_eq!(value(&engine, program).await, json!([{ "n": 1 }, "ARGUMENTS_SIZE"]));
}

#[tokio::test]
async fn a_call_that_is_given_up_makes_room_for_the_next() {
    let engine = engine(|config| config.calls_in_flight(1));
    let program = "const stop = new AbortController();
        const first = mcp.t.wait({}, { signal: stop.signal }).catch((e) => e.name); const second = mcp.t.echo({ n: 2 });
        queueMicrotask(() => stop.abort()); return [await first, (await second).n]";
    assert_eq!(value(&engine, program).await, json!(["AbortError", 2]));
    let late = "const stop = new AbortController();
        const first = mcp.t.wait({}, { signal: stop.signal }).catch((e) => e.name); const second = mcp.t.echo({ n: 2 });
        setTimeout(() => stop.abort(), 1); return [await first, (await second).n]";
    assert_eq!(value(&engine, late).await, json!(["AbortError", 2]));
}

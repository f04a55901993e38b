//! Runs that are cut off and rebuilt: unknown outcomes, timers, clocks, checkpoints, and journals
//! that do not fit.

use pml::json::{Value, json};
use pml::{
    Answer, BoxFuture, Call, CallError, Config, Decision, Ending, Engine, Event, Journal,
    MemoryJournal, Outcome, Reply, RunId, Script, Timestamp, ToolName, Tools,
    approval::AskKind,
    journal::{JournalEvent, RunState, StoreError, StoredRun},
    tool::Effects,
};
use pml_kit::{HookedJournal, ManualClock, PATIENCE, wait_until_async};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};

/// Tools that write down what reaches them. `t:hang` never answers, `t:once` fails the first time.
#[derive(Clone, Default)]
struct Written {
    calls: Arc<Mutex<Vec<(String, Value)>>>,
    hanging: Arc<Notify>,
    failed: Arc<AtomicBool>,
}

impl Written {
    fn calls(&self) -> Vec<String> {
        let calls = self.calls.lock().expect("one thread");
        calls.iter().map(|(tool, arguments)| format!("{tool} {arguments}")).collect()
    }
}

impl Tools for Written {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        let (tool, arguments) = (call.tool.as_str().to_owned(), call.arguments);
        self.calls.lock().expect("one thread").push((tool.clone(), arguments.clone()));
        Box::pin(async move {
            match tool.as_str() {
                "t:hang" | "t:hang_read" if !self.failed.load(Ordering::SeqCst) => {
                    self.hanging.notify_one();
                    std::future::pending().await
                }
                "t:once" if !self.failed.swap(true, Ordering::SeqCst) => {
                    Err(CallError::tool("not yet"))
                }
                _ => Ok(arguments),
            }
        })
    }

    fn effects(&self, tool: &ToolName) -> Effects {
        match tool.tool() {
            "read" | "hang_read" => Effects::ReadOnly,
            _ => Effects::Unknown,
        }
    }
}

fn engine(journal: Arc<dyn Journal>) -> Engine {
    engine_with(journal, |config| config)
}

fn engine_with(
    journal: Arc<dyn Journal>,
    change: impl FnOnce(&mut Config) -> &mut Config,
) -> Engine {
    let mut config = Config::new();
    config.allow_tool("*").runs(4);
    change(&mut config);
    Engine::with_journal(&config, journal).expect("an engine")
}

/// Runs until a call hangs, and cuts it there.
async fn hang(engine: &Engine, tools: &Written, code: &str) -> RunId {
    let run = engine.run(Script::ts(code)).tools(tools.clone());
    let id = run.id();
    tokio::select! {
        () = tools.hanging.notified() => {}
        outcome = run.into_future() => panic!("{:?}", outcome.expect("the sandbox works").ending),
    }
    id
}

async fn resume(engine: &Engine, run: RunId, tools: &Written) -> Outcome {
    engine.resume(run).tools(tools.clone()).await.expect("the sandbox works")
}

const HANGS: &str = "const a = await mcp.t.echo({ n: 1 }); const b = await mcp.t.hang({ n: 2 }).catch((e) => e.code); return [a, b]";

#[tokio::test]
async fn a_call_whose_outcome_nobody_knows_is_asked_about_and_not_repeated() {
    for (decision, result, calls) in [
        (Decision::Approve, json!({ "n": 2 }), 3),
        (Decision::Result(json!("told")), json!("told"), 2),
        (Decision::Decline, json!("OUTCOME_UNKNOWN"), 2),
    ] {
        let (engine, tools) = (engine(Arc::new(MemoryJournal::new())), Written::default());
        let id = hang(&engine, &tools, HANGS).await;
        tools.failed.store(true, Ordering::SeqCst);
        let outcome = resume(&engine, id, &tools).await;
        let [question] = outcome.questions() else { panic!("{:?}", outcome.ending) };
        let ask = &question.asks[0];
        assert_eq!((ask.kind, ask.tool.as_str()), (AskKind::UncertainCall, "t:hang"));
        assert_eq!(tools.calls().len(), 2, "nothing was called");
        let answer = Answer::all(question, decision, "tester", "a test");
        engine.answer(question.id, answer).await.expect("the journal works");
        let outcome = resume(&engine, id, &tools).await;
        assert_eq!(outcome.value(), Some(json!([{ "n": 1 }, result])));
        assert_eq!(tools.calls().len(), calls);
    }
}

#[tokio::test]
async fn an_unknown_outcome_can_end_the_run() {
    let (engine, tools) = (engine(Arc::new(MemoryJournal::new())), Written::default());
    let id = hang(&engine, &tools, HANGS).await;
    let question = resume(&engine, id, &tools).await.questions()[0].clone();
    let abort = Answer::all(&question, Decision::Abort, "tester", "a test");
    engine.answer(question.id, abort).await.expect("the journal works");
    let outcome = resume(&engine, id, &tools).await;
    assert!(matches!(outcome.ending, Ending::Aborted(_)), "{:?}", outcome.ending);
    assert_eq!(tools.calls().len(), 2);
}

#[tokio::test]
async fn a_call_that_only_reads_is_made_again_without_asking() {
    let (engine, tools) = (engine(Arc::new(MemoryJournal::new())), Written::default());
    let id = hang(&engine, &tools, "(await mcp.t.hang_read({ n: 3 })).n").await;
    tools.failed.store(true, Ordering::SeqCst);
    assert_eq!(resume(&engine, id, &tools).await.value(), Some(json!(3)));
    assert_eq!(tools.calls().len(), 2);
}

#[tokio::test]
async fn a_run_can_be_resumed_by_one_at_a_time() {
    let (engine, tools) = (engine(Arc::new(MemoryJournal::new())), Written::default());
    let running = engine.run(Script::ts(HANGS)).tools(tools.clone());
    let id = running.id();
    let mut running = running.into_future();
    tokio::select! {
        () = tools.hanging.notified() => {}
        _ = &mut running => panic!("it hangs"),
    }
    let refused = engine.resume(id).await.expect_err("it is owned");
    assert_eq!(refused.kind().as_str(), "RUN_OWNED");
    drop(running);
    assert_eq!(resume(&engine, id, &tools).await.questions().len(), 1);
}

const NOON: u64 = 1_700_000_000_000_000;
const HOUR: u64 = 3_600_000_000;

#[tokio::test]
async fn timers_and_clocks_survive_a_restart_and_a_clock_that_jumps() {
    let code = "const start = Date.now(); const order: number[] = [];
        const timers = [3600000, 1800000, 1800000].map((ms, i) => new Promise((done) => setTimeout(() => { order.push(i); done(0) }, ms)));
        await mcp.t.hang_read({}); await Promise.all(timers); return [order, Date.now() - start >= 3600000]";
    for (jump, value, patience) in [
        // Two hours later all sleeps are overdue, and settle by due time, then by id.
        (NOON + 2 * HOUR, Some(json!([[1, 2, 0], true])), PATIENCE),
        // An hour back the run's time stands still: the sleeps are as far away as before.
        (NOON - HOUR, None, Duration::from_millis(200)),
    ] {
        let journal = Arc::new(MemoryJournal::new());
        let clock = Arc::new(ManualClock::at(NOON));
        let engine = engine_with(journal, |config| config.clock(clock.clone()));
        let tools = Written::default();
        let id = hang(&engine, &tools, code).await;
        tools.failed.store(true, Ordering::SeqCst);
        clock.set(jump);
        let resumed = engine.resume(id).tools(tools.clone()).into_future();
        let outcome = tokio::time::timeout(patience, resumed).await;
        let found = outcome
            .ok()
            .map(|outcome| outcome.expect("the sandbox works").value().expect("a value"));
        assert_eq!(found, value);
        let stored = engine.journal().load(id).await.expect("it is kept");
        let times: Vec<_> = stored.entries.iter().map(|entry| entry.at).collect();
        assert!(times.is_sorted() && times[0] >= Timestamp(NOON), "{times:?}");
    }
}

#[tokio::test]
async fn wall_time_goes_on_where_it_was() {
    let engine = engine_with(Arc::new(MemoryJournal::new()), |config| {
        config.timeout(Duration::from_millis(2_500))
    });
    let tools = Written::default();
    let code = "await mcp.pml.sleep({ ms: 1300 }); await mcp.t.hang_read({}); await mcp.pml.sleep({ ms: 1300 })";
    let id = hang(&engine, &tools, code).await;
    tools.failed.store(true, Ordering::SeqCst);
    let outcome = resume(&engine, id, &tools).await;
    assert_eq!(outcome.failure().expect("timed out").code.as_str(), "TIMEOUT");
}

fn other_guest(stored: &mut StoredRun) {
    stored.header.guest = "another".into();
}

fn other_arguments(stored: &mut StoredRun) {
    for entry in &mut stored.entries {
        if let JournalEvent::Requested { tool, arguments, .. } = &mut entry.event
            && tool == "t:echo"
        {
            *arguments = Ok(json!({ "n": 99 }).to_string());
        }
    }
}

async fn doctored(
    doctor: fn(&mut StoredRun),
) -> (Engine, RunId, Result<Outcome, pml::Error>, Written) {
    let journal = HookedJournal::new(Arc::new(MemoryJournal::new())).on_load(doctor);
    let (engine, tools) = (engine(Arc::new(journal)), Written::default());
    let id = hang(
        &engine,
        &tools,
        "await mcp.t.echo({ n: 1 }); return (await mcp.t.hang_read({ n: 2 })).n",
    )
    .await;
    tools.failed.store(true, Ordering::SeqCst);
    let resumed = engine.resume(id).tools(tools.clone()).await;
    (engine, id, resumed, tools)
}

#[tokio::test]
async fn a_run_that_does_not_repeat_itself_is_an_error_that_names_the_call() {
    let (engine, id, resumed, tools) = doctored(other_arguments).await;
    let error = resumed.expect_err("it differs");
    assert_eq!(error.kind().as_str(), "REPLAY_DIVERGED");
    assert!(error.to_string().contains("at call 1") && error.to_string().contains("`t:echo`"));
    assert_eq!(tools.calls().len(), 2, "nothing was called");
    let diverged = engine.replay_run(id).await.expect("the sandbox works").diverged;
    assert_eq!(diverged.expect("it differs").call, Some(pml::CallId::numbered(1)));
}

#[tokio::test]
async fn under_another_guest_a_run_goes_on_if_it_repeats_itself() {
    let (_, _, resumed, _) = doctored(other_guest).await;
    assert_eq!(resumed.expect("the sandbox works").value(), Some(json!(2)));
}

#[tokio::test]
async fn under_another_guest_a_difference_ends_the_run_and_keeps_its_checkpoint() {
    let (engine, id, resumed, tools) = doctored(|stored| {
        other_guest(stored);
        other_arguments(stored);
    })
    .await;
    let outcome = resumed.expect("the sandbox works");
    let failure = outcome.failure().expect("it differs");
    assert_eq!(failure.code.as_str(), "GUEST_CHANGED");
    assert!(failure.message.contains("at call 1"), "{}", failure.message);
    assert_eq!(tools.calls().len(), 2, "nothing was called");
    let stored = engine.journal().load(id).await.expect("it is kept");
    assert_eq!(stored.state, RunState::Failed);
    assert!(stored.entries.iter().any(|entry| matches!(entry.event, JournalEvent::Settled { .. })));
}

/// Runs a program that fails, then a mended one on its checkpoint.
async fn mended(first: &str, second: &str) -> (Engine, Written, Outcome) {
    let (engine, tools) = (engine(Arc::new(MemoryJournal::new())), Written::default());
    let failed = engine.run(Script::ts(first)).tools(tools.clone()).inputs(json!({ "x": 5 }));
    let failed = failed.await.expect("the sandbox works");
    assert!(failed.failure().is_some(), "{:?}", failed.ending);
    let run = engine.run(Script::ts(second)).tools(tools.clone()).resume_from(failed.run_id);
    let outcome = run.await.expect("the sandbox works");
    (engine, tools, outcome)
}

#[tokio::test]
async fn a_mended_program_makes_no_call_twice_and_keeps_seed_clock_and_inputs() {
    let first = "const t = Date.now(), r = Math.random(); await mcp.t.write({ t, r, x: inputs.x }); await mcp.t.write({ n: 2 }); await mcp.t.once({}); return 1";
    let second = "const t = Date.now(), r = Math.random(); const a = await mcp.t.write({ x: inputs.x, r, t }); const b = await mcp.t.write({ n: 2 });
        await mcp.t.once({}); await mcp.t.write({ n: 3 }); return [a.t === t, b.n]";
    let (_, tools, outcome) = mended(first, second).await;
    assert_eq!(outcome.value(), Some(json!([true, 2])));
    let calls = tools.calls();
    // The call that failed is made again.
    let names: Vec<_> = calls.iter().map(|call| call.split(' ').next().expect("a tool")).collect();
    assert_eq!(names, ["t:write", "t:write", "t:once", "t:once", "t:write"]);
    assert_eq!(outcome.unmatched, []);
}

#[tokio::test]
async fn calls_with_effects_that_no_longer_match_are_asked_about_before_anything_runs() {
    let first = "await mcp.t.write({ n: 1 }); await mcp.t.read({ n: 2 }); await mcp.t.write({ n: 3 }); throw new Error('no')";
    let second = "await mcp.t.write({ n: 1 }); await mcp.t.write({ n: 4 }); return 'done'";
    let (engine, tools, outcome) = mended(first, second).await;
    let [question] = outcome.questions() else { panic!("{:?}", outcome.ending) };
    let asks: Vec<_> = question
        .asks
        .iter()
        .map(|ask| (ask.kind, ask.tool.as_str(), ask.arguments.clone()))
        .collect();
    assert_eq!(asks, [(AskKind::UncertainCall, "t:write", json!({ "n": 3 }))]);
    assert_eq!(tools.calls().len(), 3, "nothing new was called");
    // Whoever declines wants no run at all.
    let (refusing, _, outcome) = mended(first, second).await;
    let declined = outcome.questions()[0].clone();
    let no = Answer::all(&declined, Decision::Decline, "tester", "a test");
    refusing.answer(declined.id, no).await.expect("the journal works");
    let refused = resume(&refusing, declined.run, &tools).await;
    assert!(matches!(refused.ending, Ending::Aborted(_)), "{:?}", refused.ending);
    assert_eq!(tools.calls().len(), 3, "nothing new was called");
    let approve = Answer::all(question, Decision::Approve, "tester", "a test");
    engine.answer(question.id, approve).await.expect("the journal works");
    let outcome = resume(&engine, question.run, &tools).await;
    assert_eq!(outcome.value(), Some(json!("done")));
    assert_eq!(tools.calls().last().map(String::as_str), Some("t:write {\"n\":4}"));
    assert_eq!(outcome.unmatched.len(), 1);
}

#[tokio::test]
async fn a_mended_program_asks_before_it_repeats_a_call_whose_outcome_nobody_knows() {
    let (engine, tools) = (engine(Arc::new(MemoryJournal::new())), Written::default());
    let id = hang(&engine, &tools, HANGS).await;
    tools.failed.store(true, Ordering::SeqCst);
    let run = engine.run(Script::ts(HANGS)).tools(tools.clone()).resume_from(id);
    let outcome = run.await.expect("the sandbox works");
    let [question] = outcome.questions() else { panic!("{:?}", outcome.ending) };
    assert_eq!(question.asks[0].kind, AskKind::UncertainCall);
    assert_eq!(tools.calls().len(), 2, "nothing was called");
    // The earlier run is over: nobody can go on with both.
    let over = engine.resume(id).await.expect_err("it is over");
    assert_eq!(over.kind().as_str(), "RUN_ENDED");
}

#[tokio::test]
async fn a_resumed_checkpoint_can_be_cut_off_too() {
    let first = "await mcp.t.write({ n: 1 }); await mcp.t.write({ n: 2 }); throw new Error('no')";
    let second = "const a = await mcp.t.write({ n: 1 }); const b = await mcp.t.write({ n: 2 }); const c = await mcp.t.hang_read({}); return [a.n, b.n]";
    let (engine, tools) = (engine(Arc::new(MemoryJournal::new())), Written::default());
    let failed =
        engine.run(Script::ts(first)).tools(tools.clone()).await.expect("the sandbox works");
    let run = engine.run(Script::ts(second)).tools(tools.clone()).resume_from(failed.run_id);
    let id = run.id();
    tokio::select! {
        () = tools.hanging.notified() => {}
        _ = run.into_future() => panic!("it hangs"),
    }
    tools.failed.store(true, Ordering::SeqCst);
    assert_eq!(resume(&engine, id, &tools).await.value(), Some(json!([1, 2])));
    let writes = tools.calls().iter().filter(|call| call.starts_with("t:write")).count();
    assert_eq!(writes, 2);
}

#[tokio::test]
async fn a_finished_run_replays_and_a_failed_one_too() {
    let engine = engine(Arc::new(MemoryJournal::new()));
    for code in [
        "const x = await mcp.t.echo({ r: Math.random() }); console.log(x); return x",
        "return undefined",
        "await mcp.t.echo({}); throw new Error('x')",
    ] {
        let outcome =
            engine.run(Script::ts(code)).tools(Written::default()).await.expect("it runs");
        let replay = engine.replay_run(outcome.run_id).await.expect("it is kept");
        assert_eq!(replay.diverged, None, "{code}");
    }
    let unknown = engine.replay_run(RunId::new()).await.expect_err("there is none");
    assert_eq!(unknown.kind().as_str(), "RUN_UNKNOWN");
}

/// An engine whose journal holds batches up that have something in them, what lets it go on, and
/// what tells of a batch.
fn hesitant(has: fn(&JournalEvent) -> bool) -> (Engine, Arc<Semaphore>, Arc<Notify>) {
    let (gate, reached) = (Arc::new(Semaphore::new(0)), Arc::new(Notify::new()));
    let (wait, tell) = (gate.clone(), reached.clone());
    let journal =
        HookedJournal::new(Arc::new(MemoryJournal::new())).on_append(move |batch, written| {
            if !batch.entries.iter().any(|entry| has(&entry.event)) {
                return written;
            }
            let wait = wait.clone();
            tell.notify_one();
            Box::pin(async move {
                wait.acquire().await.expect("it is open").forget();
                written.await
            })
        });
    (engine(Arc::new(journal)), gate, reached)
}

/// Waits until the journal holds a run up, and `so` is true; then leaves the run some more turns,
/// in which it must not end.
async fn held_up<T>(
    running: Pin<&mut impl Future<Output = T>>,
    reached: &Notify,
    so: impl Fn() -> bool,
) {
    let held_up = async {
        reached.notified().await;
        wait_until_async("it is as it should be", || async { so() }).await;
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        _ = running => panic!("the journal holds it up"),
        () = held_up => {}
    }
}

#[tokio::test]
async fn a_program_sees_no_outcome_before_the_journal_has_it() {
    let (engine, gate, reached) = hesitant(|what| matches!(what, JournalEvent::Settled { .. }));
    let (tools, seen) = (Written::default(), Arc::new(AtomicBool::new(false)));
    let told = seen.clone();
    let run =
        engine.run(Script::ts("await mcp.t.read({}); console.log('seen')")).tools(tools.clone());
    let run = run.events(move |event: &Event| {
        told.fetch_or(matches!(event, Event::Console { .. }), Ordering::SeqCst);
    });
    let mut running = pin!(run.into_future());
    held_up(running.as_mut(), &reached, || true).await;
    assert_eq!(tools.calls().len(), 1, "the tool has answered");
    assert!(!seen.load(Ordering::SeqCst));
    gate.add_permits(1);
    running.await.expect("the sandbox works");
    assert!(seen.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_call_that_must_not_be_repeated_leaves_only_when_the_journal_says_so() {
    for (code, leaves) in [("await mcp.t.write({})", 0), ("await mcp.t.read({})", 1)] {
        let (engine, gate, reached) =
            hesitant(|what| matches!(what, JournalEvent::Executing { .. }));
        let tools = Written::default();
        let mut running = pin!(engine.run(Script::ts(code)).tools(tools.clone()).into_future());
        held_up(running.as_mut(), &reached, || tools.calls().len() == leaves).await;
        assert_eq!(tools.calls().len(), leaves, "{code}");
        gate.add_permits(1);
        if leaves == 0 {
            running.await.expect("the sandbox works");
            assert_eq!(tools.calls().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_journal_that_fails_stops_the_run_before_it_calls_anything_more() {
    let journal = HookedJournal::new(Arc::new(MemoryJournal::new())).on_append(|batch, written| {
        let full = || StoreError::Full { path: "state.db".into() };
        match batch.entries.iter().any(|entry| matches!(entry.event, JournalEvent::Settled { .. }))
        {
            true => Box::pin(std::future::ready(Err(full()))),
            false => written,
        }
    });
    let tools = Written::default();
    let code = "await mcp.t.write({ n: 1 }); await mcp.t.write({ n: 2 })";
    let failed = engine(Arc::new(journal)).run(Script::ts(code)).tools(tools.clone()).await;
    let error = failed.expect_err("the disk is full");
    assert_eq!(error.kind().as_str(), "JOURNAL");
    assert!(error.to_string().contains("state.db") && error.hint().is_some());
    assert_eq!(tools.calls().len(), 1);
}

#[tokio::test]
async fn what_a_program_gives_up_is_journalled_with_whether_it_had_left() {
    let engine = engine_with(Arc::new(MemoryJournal::new()), |config| config.calls_in_flight(1));
    let code = "const stop = new AbortController(); const signal = stop.signal;
        const given = [mcp.t.hang({ n: 1 }, { signal }), mcp.t.write({ n: 2 }, { signal })].map((p) => p.catch(() => 0));
        const timer = setTimeout(() => {}, 1e6); await mcp.pml.sleep({ ms: 1 }); stop.abort(); clearTimeout(timer);
        mcp.t.hang({ n: 3 }); mcp.t.write({ n: 4 }); await mcp.pml.sleep({ ms: 300 }); return Promise.all(given)";
    let tools = Written::default();
    let outcome = engine.run(Script::ts(code)).tools(tools.clone()).await.expect("it runs");
    assert_eq!(outcome.value(), Some(json!([0, 0])));
    let stored = engine.journal().load(outcome.run_id).await.expect("it is kept");
    let arguments: std::collections::BTreeMap<_, _> = stored
        .entries
        .iter()
        .filter_map(|entry| match &entry.event {
            JournalEvent::Requested { call, arguments: Ok(arguments), .. } => {
                Some((*call, arguments))
            }
            _ => None,
        })
        .collect();
    let given_up = stored.entries.iter().filter_map(|entry| match &entry.event {
        JournalEvent::Cancelled { call, sent } => {
            Some(("cancelled", arguments[call].as_str(), *sent))
        }
        JournalEvent::Abandoned { call, sent } => {
            Some(("abandoned", arguments[call].as_str(), *sent))
        }
        _ => None,
    });
    assert_eq!(
        given_up.collect::<Vec<_>>(),
        [
            ("cancelled", "{\"n\":1}", true),
            ("cancelled", "{\"n\":2}", false),
            ("cancelled", "{\"ms\":1000000}", false),
            ("abandoned", "{\"n\":3}", true),
            ("abandoned", "{\"n\":4}", false),
        ]
    );
}

#[tokio::test]
async fn an_abort_that_arrives_during_a_rebuild_ends_the_run() {
    let inner = Arc::new(MemoryJournal::new());
    let engine = engine_with(inner.clone(), |config| config.ask_tool("t:ask"));
    let tools = Written::default();
    let code = "try { await mcp.t.ask({}) } catch {} await mcp.t.write({}); return 'swallowed'";
    let waiting = engine.run(Script::ts(code)).tools(tools.clone()).await.expect("it waits");
    let question = waiting.questions()[0].clone();
    // The answer is recorded right after the run was read.
    let abort = Answer::all(&question, Decision::Abort, "tester", "a test");
    let (question, recorder) = (question.id, inner.clone());
    let journal = HookedJournal::new(inner).on_load(move |_| {
        drop(recorder.answer(question, abort.clone(), Timestamp(0)));
    });
    let late = engine_with(Arc::new(journal), |config| config.ask_tool("t:ask"));
    let outcome = late.resume(waiting.run_id).tools(tools.clone()).await.expect("it ends");
    assert!(matches!(outcome.ending, Ending::Aborted(_)), "{:?}", outcome.ending);
    assert!(tools.calls().is_empty());
}

#[tokio::test]
async fn a_run_is_rebuilt_within_its_own_limit_of_cpu_time() {
    let engine = engine_with(Arc::new(MemoryJournal::new()), |config| {
        config.ask_tool("t:ask").cpu_time(Duration::from_secs(2)).waiting_memory(0)
    });
    // Every step of it is lawful; together they are more than the journal knows of when it is cut
    // off.
    let code = "await mcp.pml.sleep({ ms: 0 }); let x = 0; for (let i = 0; i < 2e6; i++) x += i; return mcp.t.ask({ n: 1 })";
    let waiting = engine.run(Script::ts(code)).tools(Written::default()).await.expect("it runs");
    let question = waiting.questions().first().expect("it waits").clone();
    let yes = Answer::all(&question, Decision::Approve, "tester", "a test");
    engine.answer(question.id, yes).await.expect("it records");
    let outcome = resume(&engine, question.run, &Written::default()).await;
    assert_eq!(outcome.value(), Some(json!({ "n": 1 })), "{:?}", outcome.ending);
    assert!(outcome.usage.cpu_time >= waiting.usage.cpu_time, "what it used is not forgotten");
}

#[tokio::test]
async fn an_option_that_cannot_apply_to_a_resumed_run_is_an_error_and_the_run_stays() {
    let mut config = Config::new();
    config.ask_unnamed();
    let engine = Engine::new(&config).expect("an engine");
    let waiting = engine.run(Script::ts("return mcp.a.b({})")).await.expect("it waits");
    let run = waiting.run_id;
    let refusals = [
        ("inputs", engine.resume(run).inputs(json!({ "n": 1 }))),
        ("seed", engine.resume(run).seed([7; 32])),
        ("resume_from", engine.resume(run).resume_from(RunId::new())),
        ("trace", engine.resume(run).trace("ab".repeat(16)).inputs(json!({}))),
    ];
    for (option, resumed) in refusals {
        let error = resumed.await.expect_err("it cannot apply");
        assert_eq!(error.kind().as_str(), "CONFIG");
        assert!(error.to_string().contains(&format!("`{option}`")), "{error}");
        assert!(error.hint().is_some(), "{error}");
    }
    let again = engine.resume(run).await.expect("it waits as before");
    assert!(matches!(again.ending, Ending::Waiting(_)), "{:?}", again.ending);
}

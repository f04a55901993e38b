//! The same program, seed, clock and outcomes give the same steps, byte for byte.

use pml::json::{self, json};
use pml::{Clock, Engine, Outcome, Script, Timestamp, replay::Recording};
use pml_kit::sandbox::{TestTools, engine, value};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Everything that could differ between two runs of the same program.
const RESTLESS: &str = r#"
    const log = [];
    const note = (what) => { log.push(what); console.log(what, { at: Date.now(), r: Math.random() }) };
    note(crypto.randomUUID());
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    console.info([...bytes].join(), performance.now(), new Date().toISOString());
    const timers = [5, 1, 3, 1].map((ms, i) => new Promise((done) => setTimeout(() => { note(`t${i}`); done() }, ms)));
    const calls = Array.from({ length: 20 }, (_, i) => (i % 3 ? mcp.t.later : mcp.t.echo)({ i, r: Math.random() }).then((x) => note(x.i)));
    const first = await Promise.race([mcp.t.later({ n: 1 }), mcp.t.later({ n: 2 }), mcp.pml.sleep({ ms: 2 })]);
    const failed = await Promise.allSettled([mcp.t.fail({ n: Math.random() }), mcp.no.such({}), Promise.reject(new Error("own"))]);
    const stop = new AbortController();
    const aborted = mcp.t.wait({}, { signal: stop.signal }).catch((e) => String(e));
    stop.abort();
    console.warn(await aborted, failed.map((one) => one.reason.message));
    const late = Promise.reject(new Error("handled later"));
    const order = Object.keys({ b: 1, a: 2, 1: 3 }).join() + [3, 1, 2].sort(() => Math.random() - 0.5).join();
    await Promise.all([...timers, ...calls]);
    await late.catch((error) => note(error.message));
    for (const key of new Set([NaN, -0, "x"])) note(String(key));
    try { null.x } catch (error) { console.error(error.message, error.stack.length) }
    return { log, first, order, now: Date.now(), floats: [0 / 0, Math.sin(1), 0.1 + 0.2] };
"#;

async fn record(engine: &Engine, seed: Option<[u8; 32]>) -> (Outcome, Recording) {
    let mut run =
        engine.run(Script::ts(RESTLESS)).inputs(json!({})).tools(TestTools::default()).recorded();
    if let Some(seed) = seed {
        run = run.seed(seed);
    }
    let mut outcome = run.await.expect("the sandbox works");
    assert!(outcome.failure().is_none(), "{:#?}", outcome.failure());
    let recording = outcome.recording.take().expect("recorded");
    (outcome, recording)
}

#[tokio::test]
async fn a_recorded_run_replays_step_by_step() {
    let engine = engine(|config| config);
    let (outcome, recording) = record(&engine, None).await;
    assert!(recording.turns.len() > 25, "{} steps", recording.turns.len());
    assert_eq!(outcome.unhandled.len(), 0);
    assert_eq!(engine.replay(&recording).await.expect("it runs"), None);

    // Through text and into another engine, as a journal would take it.
    let text = json::to_string(&recording).expect("JSON");
    let read: Recording = json::from_str(&text).expect("its own text");
    assert_eq!(read, recording);
    let another = pml_kit::sandbox::engine(|config| config.runs(1));
    assert_eq!(another.replay(&read).await.expect("it runs"), None);
}

#[tokio::test]
async fn a_run_that_failed_because_of_an_unhandled_error_replays_too() {
    let engine = engine(|config| config);
    let program = "Promise.reject(new Error('left behind')); await mcp.t.later({}); \
        setTimeout(() => { throw new Error('in timer') }, 1); await mcp.pml.sleep({ ms: 5 }); return 1";
    let run = engine.run(Script::ts(program)).tools(TestTools::default()).recorded();
    let mut outcome = run.await.expect("the sandbox works");
    assert_eq!(outcome.failure().expect("it failed").message, "left behind");
    assert_eq!(outcome.unhandled[0].message, "in timer");
    let recording = outcome.recording.take().expect("recorded");
    assert_eq!(engine.replay(&recording).await.expect("it runs"), None);
}

#[tokio::test]
async fn a_replay_that_differs_names_the_step() {
    let engine = engine(|config| config);
    let (_, mut recording) = record(&engine, None).await;
    recording.seed[0] ^= 1;
    let divergence =
        engine.replay(&recording).await.expect("it runs").expect("other random numbers");
    assert_eq!(divergence.step, 0);
    assert_ne!(divergence.expected, divergence.found);

    let (_, mut recording) = record(&engine, None).await;
    let last = recording.turns.len() - 1;
    recording.turns[last].now = Timestamp(recording.turns[last].now.0 + 1_000_000);
    let divergence = engine.replay(&recording).await.expect("it runs").expect("another clock");
    assert_eq!(divergence.step, last);
}

#[tokio::test]
async fn random_numbers_differ_between_runs_and_repeat_with_the_seed() {
    let engine = engine(|config| config);
    let program = "[Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))].join()]";
    let draw = async |seed: Option<[u8; 32]>| {
        let run = engine.run(Script::ts(program));
        let run = if let Some(seed) = seed { run.seed(seed) } else { run };
        run.await.expect("the sandbox works").value().expect("a value")
    };
    assert_ne!(draw(None).await, draw(None).await);
    assert_eq!(draw(Some([7; 32])).await, draw(Some([7; 32])).await);
    assert_ne!(draw(Some([7; 32])).await, draw(Some([8; 32])).await);
}

#[tokio::test]
async fn random_numbers_are_spread_evenly() {
    let engine = engine(|config| config);
    let program = "let sum = 0, least = 1, most = 0; for (let i = 0; i < 1e5; i++) { const r = Math.random(); sum += r;
        least = Math.min(least, r); most = Math.max(most, r) }
        return [Math.abs(sum / 1e5 - 0.5) < 0.01, least >= 0 && least < 0.001, most < 1 && most > 0.999]";
    assert_eq!(value(&engine, program).await, json!([true, true, true]));
}

/// A clock that goes back at every reading.
struct Backwards(AtomicU64);

impl Clock for Backwards {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.fetch_sub(1_000_000, Ordering::SeqCst))
    }
}

#[tokio::test]
async fn the_clock_stands_still_within_a_step_and_never_goes_back() {
    let clock = Arc::new(Backwards(AtomicU64::new(1_700_000_000_000_000)));
    let engine = engine(|config| config.clock(clock));
    let program = "const seen = []; for (let i = 0; i < 5; i++) { seen.push(Date.now()); await mcp.t.later({}); }
        return seen.every((t, i) => t >= (seen[i - 1] ?? 0)) && performance.now() >= 0";
    assert_eq!(value(&engine, program).await, json!(true));
    let still = "const t = Date.now(), p = performance.now(); for (let i = 0; i < 1e5; i++); return Date.now() === t && performance.now() === p";
    assert_eq!(value(&engine, still).await, json!(true));
}

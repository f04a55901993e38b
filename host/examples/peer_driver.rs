//! Drives pml for the comparison with other sandboxes (`shared/bench`), by its contract.
//!
//! `peer_driver <w1..w5> <n> <variant>` runs one workload and prints one JSON line for each metric:
//! `{"metric":"fresh exec","unit":"ms","samples":[…]}`. `peer_driver hello` prints `1`. The variant
//! `pool` has the default 1,000 slots; `ondemand` has one, because every instance comes from a pool
//! here. W5 has as many as it holds.
//!
//! All workloads run on a current-thread runtime: the JavaScript peers have one event loop and
//! native QuickJS has one thread, and a hop between threads would be measured instead of the
//! sandbox.

#![allow(clippy::print_stdout, reason = "the lines on stdout are the contract")]
#![allow(clippy::disallowed_methods, reason = "measures spans; no program sees them")]

#[path = "bench/server.rs"]
mod server;

use pml::json::{Value, json};
use pml::{Config, Engine, Reply, Script, Tools, tools_from_fn};
use server::Server;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

type Failure = Box<dyn Error + Send + Sync>;

const FRESH: &str = "return 1+1";
const CALLS: &str = "for (let i = 0; i < 1000; i++) await mcp.t.echo({ i }); return 1000;";
const FAN_OUT: &str =
    "return (await Promise.all(Array.from({ length: 100 }, (_, i) => mcp.t.sleep({ i })))).length;";
const HOLD: &str = "await mcp.t.hold({}); return 1;";
const CPU: &str = include_str!("bench/cpu.js");

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let workload = arguments.first().map_or("", String::as_str);
    let n: usize = arguments.get(1).map_or(Ok(0), |n| n.parse())?;
    let slots = match (workload, arguments.get(2).map(String::as_str)) {
        ("w5", _) => Config::RUNS.max(u32::try_from(n)?),
        ("hello", _) | (_, Some("ondemand")) => 1,
        _ => Config::RUNS,
    };
    let engine = Engine::new(Config::new().runs(slots).allow_tool("t:*"))?;
    match workload {
        "w1" => fresh(&engine, n).await,
        "w2" => calls(&engine).await,
        "w3" => parallel(&engine).await,
        "w4" => cpu(&engine).await,
        "w5" => footprint(&engine, n).await,
        "hello" => {
            println!("{}", execute(&engine, "return 1", ()).await?);
            Ok(())
        }
        other => Err(format!("unknown workload `{other}`").into()),
    }
}

/// Runs a program in a fresh instance, to its value.
async fn execute(engine: &Engine, source: &str, tools: impl Tools) -> Result<Value, Failure> {
    let outcome = engine.run(Script::js(source)).tools(tools).await?;
    match outcome.failure() {
        Some(failure) => Err(format!("{}: {}", failure.code, failure.message).into()),
        None => Ok(outcome.value().unwrap_or_default()),
    }
}

/// W1: make an instance, run `return 1+1`, read the result, destroy it.
async fn fresh(engine: &Engine, n: usize) -> Result<(), Failure> {
    let mut samples = Vec::with_capacity(n);
    for round in 0..20 + n {
        let start = Instant::now();
        let value = execute(engine, FRESH, ()).await?;
        let took = ms(start.elapsed());
        expect(&value, &json!(2))?;
        if round >= 20 {
            samples.push(took);
        }
    }
    emit("fresh exec", "ms", &samples);
    Ok(())
}

/// W2: 1,000 calls in sequence; first to last arrival at the host.
async fn calls(engine: &Engine) -> Result<(), Failure> {
    let mut samples = Vec::new();
    for round in 0..6 {
        let arrivals = Arc::new(Mutex::new(Vec::with_capacity(1000)));
        let arrived = arrivals.clone();
        let tools = tools_from_fn(move |call| {
            lock(&arrived).push(Instant::now());
            std::future::ready(Ok(call.arguments))
        });
        expect(&execute(engine, CALLS, tools).await?, &json!(1000))?;
        let arrivals = lock(&arrivals);
        if let (Some(first), Some(last), true) = (arrivals.first(), arrivals.last(), round > 0) {
            samples.push(ms(*last - *first) * 1e3 / 999.0);
        }
    }
    emit("per call", "us", &samples);
    Ok(())
}

/// W3: 100 calls at the same time, each of 10 ms; the whole run.
async fn parallel(engine: &Engine) -> Result<(), Failure> {
    let server = Server::start();
    let mut samples = Vec::new();
    for round in 0..6 {
        let start = Instant::now();
        let value = execute(engine, FAN_OUT, server.tools()).await?;
        let took = ms(start.elapsed());
        expect(&value, &json!(100))?;
        if round > 0 {
            samples.push(took);
        }
    }
    emit("100 x 10 ms", "ms", &samples);
    Ok(())
}

/// W4: the pieces of the CPU set, by the host's clock between marks.
async fn cpu(engine: &Engine) -> Result<(), Failure> {
    let last = Mutex::new(Instant::now());
    let tools = tools_from_fn(move |call| {
        let mut last = lock(&last);
        if let Some(at) = call.arguments["at"].as_str().filter(|at| !at.is_empty()) {
            emit(at, "ms", &[ms(last.elapsed())]);
        }
        *last = Instant::now();
        std::future::ready(Ok(Value::Null))
    });
    let value = execute(engine, CPU, tools).await?;
    expect(&value, &json!([196_418, 1_055_652, 1_074_830_325, 1_034_530, 12_371, 1_034_530]))
}

/// W5: `n` runs that all wait for a call; memory of each, and time to let them all go on.
async fn footprint(engine: &Engine, n: usize) -> Result<(), Failure> {
    for _ in 0..3 {
        execute(engine, FRESH, ()).await?;
    }
    let (arrived, mut arrivals) = mpsc::unbounded_channel();
    let (release, gate) = watch::channel(false);
    let before = Memory::read()?;
    let start = Instant::now();
    let mut runs = JoinSet::new();
    for _ in 0..n {
        let (engine, arrived, gate) = (engine.clone(), arrived.clone(), gate.clone());
        runs.spawn(async move { execute(&engine, HOLD, hold(arrived, gate)).await });
    }
    for _ in 0..n {
        tokio::select! {
            _ = arrivals.recv() => {}
            Some(ended) = runs.join_next() => return Err(format!("a run ended early: {ended:?}").into()),
        }
    }
    emit("start all", "ms", &[ms(start.elapsed())]);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let after = Memory::read()?;
    emit("rss per isolate", "KiB", &[(after.rss - before.rss) / n as f64]);
    emit("pss per isolate", "KiB", &[(after.pss - before.pss) / n as f64]);
    let resume = Instant::now();
    release.send(true)?;
    while let Some(value) = runs.join_next().await {
        expect(&value??, &json!(1))?;
    }
    emit("resume all", "ms", &[ms(resume.elapsed())]);
    Ok(())
}

/// A tool that says it was called, and answers once the gate is open.
fn hold(arrived: mpsc::UnboundedSender<()>, gate: watch::Receiver<bool>) -> impl Tools {
    tools_from_fn(move |_| {
        let mut gate = gate.clone();
        let _ = arrived.send(());
        async move {
            let _ = gate.wait_for(|open| *open).await;
            Reply::Ok(Value::Null)
        }
    })
}

/// Memory of this process in KiB. PSS counts a shared page once, RSS once per mapping.
struct Memory {
    rss: f64,
    pss: f64,
}

impl Memory {
    fn read() -> Result<Memory, Failure> {
        let text = std::fs::read_to_string("/proc/self/smaps_rollup")?;
        let field = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key));
            let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
            number.ok_or_else(|| format!("/proc/self/smaps_rollup has no `{key}`"))
        };
        Ok(Memory { rss: field("Rss:")?, pss: field("Pss:")? })
    }
}

fn expect(value: &Value, expected: &Value) -> Result<(), Failure> {
    match value == expected {
        true => Ok(()),
        false => Err(format!("got {value}, want {expected}").into()),
    }
}

fn emit(metric: &str, unit: &str, samples: &[f64]) {
    println!("{}", json!({ "metric": metric, "unit": unit, "samples": samples }));
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

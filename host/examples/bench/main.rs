//! Measures pml beside the same QuickJS built natively, in one run.
//!
//! `bench [--quick] [FILE]` prints a table to stdout and writes the numbers as JSON to FILE
//! (`bench-results/latest.json` unless told otherwise). Subjects are visited in turn, round by
//! round, so that a slow moment of a shared machine falls on both: compare the ratios of one run,
//! not the milliseconds of two. The statistics are the median and the 95th percentile. `--quick`
//! takes few samples: it shows that everything runs, not how fast.
//!
//! | file | measures |
//! | --- | --- |
//! | `single.rs` | a fresh run, a call out and back, 100 calls at the same time, the CPU set |
//! | `growth.rs` | cost as source, result and calls in flight grow |
//! | `crowd.rs` | memory of waiting runs, runs per second on two cores |
//! | `journal.rs` | a journalled call, going on after an answer, rebuilding, 10,000 runs that wait for people |
//! | `approvals.rs` | a question shown and answered, a package installed and started |
//! | `process.rs` | cold start of the command, beside bun and deno where they are found |
//! | `server.rs` | what takes 10 ms to answer |
//! | `native.rs` | the floor: native QuickJS |
//! | `report.rs` | statistics, the table, the JSON |
//!
//! `PML_BIN` names the command to start (`target/release/pml`); `PML_BENCH_CACHE` is where
//! `shared/bench` keeps its peers.

#![allow(clippy::print_stdout, reason = "the table is what it is for")]
#![allow(clippy::print_stderr, reason = "says what it is at")]
#![allow(clippy::disallowed_methods, reason = "measures spans; reads its own two variables")]

mod approvals;
mod crowd;
mod growth;
mod journal;
mod native;
mod process;
mod report;
mod server;
mod single;

use pml::json::Value;
use pml::{Config, Engine, Script, Tools, tools_from_fn};
use report::Report;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Whatever stops a measurement: nothing is recovered here.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// How many samples to take.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Effort {
    /// Enough for numbers.
    Full,
    /// Enough to see that it runs.
    Quick,
}

impl Effort {
    /// Picks a count.
    pub(crate) fn pick(self, full: usize, quick: usize) -> usize {
        match self {
            Effort::Full => full,
            Effort::Quick => quick,
        }
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // The bench starts itself for what needs a process of its own.
    if let [flag, runs] = arguments.as_slice()
        && flag == "--hold"
    {
        return crowd::hold(runs.parse()?);
    }
    if let [flag, runs] = arguments.as_slice()
        && flag == "--park"
    {
        return journal::park(runs.parse()?);
    }
    let effort =
        if arguments.iter().any(|a| a == "--quick") { Effort::Quick } else { Effort::Full };
    let file = arguments.iter().find(|a| !a.starts_with("--"));
    let file = PathBuf::from(file.map_or("bench-results/latest.json", String::as_str));

    let mut report = Report::default();
    // One thread, like native QuickJS: what is measured is the sandbox, not a hop between threads.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        single::measure(&engine()?, effort, &mut report).await?;
        growth::measure(&engine()?, effort, &mut report).await?;
        journal::measure(effort, &mut report).await
    })?;
    journal::crowd(effort, &mut report)?;
    crowd::measure(effort, &mut report)?;
    process::measure(effort, &mut report)?;
    approvals::measure(effort, &mut report)?;

    println!("{report}");
    report.write(&file)?;
    eprintln!("written to {}", file.display());
    Ok(())
}

/// An engine that lets programs do what is measured here.
pub(crate) fn engine() -> Result<Engine, Failure> {
    let mut config = Config::new();
    config.allow_tool("t:*").calls_in_flight(growth::MOST_CALLS).cpu_time(Duration::from_secs(60));
    Ok(Engine::new(&config)?)
}

/// Runs a program that makes calls one after the other. Returns when each arrived.
pub(crate) async fn arrivals(
    engine: &Engine,
    source: &str,
    calls: usize,
) -> Result<Vec<Instant>, Failure> {
    let arrivals = Arc::new(Mutex::new(Vec::with_capacity(calls)));
    let arrived = arrivals.clone();
    let tools = tools_from_fn(move |call| {
        arrived.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
        std::future::ready(Ok(call.arguments))
    });
    assert_eq!(run(engine, source, tools).await?, Value::from(calls));
    Ok(std::mem::take(&mut *arrivals.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Runs a program to its value.
pub(crate) async fn run(
    engine: &Engine,
    source: &str,
    tools: impl Tools,
) -> Result<Value, Failure> {
    let outcome = engine.run(Script::js(source)).tools(tools).await?;
    match outcome.failure() {
        Some(failure) => Err(format!("{}: {}", failure.code, failure.message).into()),
        None => Ok(outcome.value().unwrap_or_default()),
    }
}

/// PSS of this process in KiB: a page that many instances share counts once.
pub(crate) fn pss() -> Result<f64, Failure> {
    let text = std::fs::read_to_string("/proc/self/smaps_rollup")?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| "/proc/self/smaps_rollup has no `Pss:`".into())
}

/// Says what is measured now.
pub(crate) fn progress(what: &str) {
    eprintln!("{what} …");
}

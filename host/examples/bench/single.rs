//! One program at a time: what it costs to start one, to make a call, to wait for many, and to
//! compute.

use crate::native::Native;
use crate::report::{Report, Samples};
use crate::server::{self, Server};
use crate::{Effort, Failure, arrivals, progress, run};
use pml::json::{Value, json};
use pml::{Engine, tools_from_fn};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const FRESH: &str = "return 1+1";
const CALLS: &str = "for (let i = 0; i < 1000; i++) await mcp.t.echo({ i }); return 1000;";
const FAN_OUT: &str =
    "return (await Promise.all(Array.from({ length: 100 }, (_, i) => mcp.t.sleep({ i })))).length;";
const CPU: &str = include_str!("cpu.js");
const CPU_PIECES: [&str; 4] = ["fib27", "json 1MB x10", "sort 200k", "string+regex 1MB"];
const CPU_VALUE: &str = "[196418,1055652,1074830325,1034530,12371,1034530]";

pub(crate) async fn measure(
    engine: &Engine,
    effort: Effort,
    report: &mut Report,
) -> Result<(), Failure> {
    fresh(engine, effort, report).await?;
    calls(engine, effort, report).await?;
    fan_out(engine, effort, report).await?;
    cpu(engine, effort, report).await
}

/// From a script to its value, with everything made anew and dropped again.
async fn fresh(engine: &Engine, effort: Effort, report: &mut Report) -> Result<(), Failure> {
    progress("fresh runs");
    let (mut pml, mut native) = (Samples::default(), Samples::default());
    for round in 0..effort.pick(41, 3) {
        for _ in 0..50 {
            let start = Instant::now();
            assert_eq!(run(engine, FRESH, ()).await?, json!(2));
            let took = us(start.elapsed());
            if round > 0 {
                pml.push(took);
            }
        }
        for _ in 0..50 {
            let start = Instant::now();
            assert_eq!(Native::run(FRESH), "2");
            let took = us(start.elapsed());
            if round > 0 {
                native.push(took);
            }
        }
    }
    report.beside("fresh run of `return 1+1`", "µs", pml, "native", native);
    Ok(())
}

/// 1,000 calls in sequence: from the first arrival at the host to the last.
async fn calls(engine: &Engine, effort: Effort, report: &mut Report) -> Result<(), Failure> {
    progress("calls");
    let (mut pml, mut native) = (Samples::default(), Samples::default());
    for round in 0..effort.pick(31, 3) {
        let arrivals = arrivals(engine, CALLS, 1000).await?;
        let program = Native::start(CALLS);
        let mut native_arrivals = Vec::with_capacity(1000);
        while let Some(request) = program.next() {
            native_arrivals.push(request.at);
            program.settle(request.id, &request.arguments);
        }
        assert_eq!(program.value(), "1000");
        if round > 0 {
            pml.push(between(&arrivals));
            native.push(between(&native_arrivals));
        }
    }
    report.beside("call out and back", "µs", pml, "native", native);
    Ok(())
}

fn between(arrivals: &[Instant]) -> f64 {
    match (arrivals.first(), arrivals.last()) {
        (Some(first), Some(last)) => us(*last - *first) / (arrivals.len() - 1) as f64,
        _ => f64::NAN,
    }
}

/// 100 calls of 10 ms at the same time: the whole run.
async fn fan_out(engine: &Engine, effort: Effort, report: &mut Report) -> Result<(), Failure> {
    progress("100 calls of 10 ms");
    let server = Server::start();
    let (mut pml, mut native) = (Samples::default(), Samples::default());
    for round in 0..effort.pick(31, 3) {
        let start = Instant::now();
        assert_eq!(run(engine, FAN_OUT, server.tools()).await?, json!(100));
        let took = ms(start.elapsed());
        let start = Instant::now();
        let program = Native::start(FAN_OUT);
        while let Some(request) = program.next() {
            std::thread::sleep(
                (request.at + server::CALL).saturating_duration_since(Instant::now()),
            );
            program.settle(request.id, &request.arguments);
        }
        assert_eq!(program.value(), "100");
        if round > 0 {
            pml.push(took);
            native.push(ms(start.elapsed()));
        }
    }
    report.beside("`Promise.all` of 100 calls of 10 ms", "ms", pml, "native", native);
    Ok(())
}

/// The pieces of the CPU set, by the host's clock between two marks.
async fn cpu(engine: &Engine, effort: Effort, report: &mut Report) -> Result<(), Failure> {
    progress("CPU set");
    let mut pml: [Samples; 4] = Default::default();
    let mut native: [Samples; 4] = Default::default();
    for _ in 0..effort.pick(9, 1) {
        let marks = Arc::new(Mutex::new((Instant::now(), Vec::new())));
        let marked = marks.clone();
        let tools = tools_from_fn(move |call| {
            let mut marked = marked.lock().unwrap_or_else(PoisonError::into_inner);
            let took = ms(marked.0.elapsed());
            let at = call.arguments["at"].as_str().unwrap_or_default().to_owned();
            marked.1.push((at, took));
            marked.0 = Instant::now();
            std::future::ready(Ok(Value::Null))
        });
        assert_eq!(run(engine, CPU, tools).await?.to_string(), CPU_VALUE);
        for (at, took) in &marks.lock().unwrap_or_else(PoisonError::into_inner).1 {
            if let Some(piece) = CPU_PIECES.iter().position(|piece| piece == at) {
                pml[piece].push(*took);
            }
        }
        let program = Native::start(CPU);
        let mut last = Instant::now();
        while let Some(request) = program.next() {
            let at = |piece: &&str| request.arguments == format!("{{\"at\":\"{piece}\"}}");
            if let Some(piece) = CPU_PIECES.iter().position(at) {
                native[piece].push(ms(request.at - last));
            }
            last = Instant::now();
            program.settle(request.id, "null");
        }
        assert_eq!(program.value(), CPU_VALUE);
    }
    for ((piece, pml), native) in CPU_PIECES.into_iter().zip(pml).zip(native) {
        report.beside(format!("CPU: {piece}"), "ms", pml, "native", native);
    }
    Ok(())
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

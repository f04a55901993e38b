//! Cost as size grows: the source, the result, and the calls that are out at the same time.

use crate::native::Native;
use crate::report::{Report, Samples};
use crate::{Effort, Failure, progress, run};
use pml::json::Value;
use pml::{Engine, Reply, tools_from_fn};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Barrier;

/// Sizes of source and result.
const SIZES: [(usize, &str); 4] =
    [(1 << 10, "1 KB"), (10 << 10, "10 KB"), (100 << 10, "100 KB"), (1 << 20, "1 MB")];

/// The largest number of calls in flight that is measured.
pub(crate) const MOST_CALLS: usize = 1000;

pub(crate) async fn measure(
    engine: &Engine,
    effort: Effort,
    report: &mut Report,
) -> Result<(), Failure> {
    progress("growing sizes");
    for (size, name) in SIZES {
        let rounds = effort.pick(if size < 100 << 10 { 40 } else { 12 }, 2);
        let source = source_of(size);
        compare(engine, format!("source of {name}"), &source, rounds, report).await?;
    }
    for (size, name) in SIZES {
        let rounds = effort.pick(if size < 100 << 10 { 40 } else { 12 }, 2);
        // A row is about 50 bytes of JSON.
        let source = format!(
            "const rows = []; for (let i = 0; i < {}; i++) rows.push({{ id: i, name: 'item ' + i, ok: true, price: 1.25 }}); return rows;",
            size / 50
        );
        compare(engine, format!("result of {name}"), &source, rounds, report).await?;
    }
    for calls in [1, 10, 100, MOST_CALLS] {
        in_flight(engine, calls, effort.pick(20, 2), report).await?;
    }
    Ok(())
}

/// A program of small functions, as long as asked for.
fn source_of(size: usize) -> String {
    let mut source = String::with_capacity(size + 200);
    let mut n = 0;
    while source.len() < size {
        let _ = writeln!(
            source,
            "function f{n}(a, b) {{ if (a > b) return {{ sum: a + b, name: `item ${{a}}` }}; return [a, b].map((x) => x * {n}); }}"
        );
        n += 1;
    }
    source + "return f0(2, 1).sum;"
}

async fn compare(
    engine: &Engine,
    what: String,
    source: &str,
    rounds: usize,
    report: &mut Report,
) -> Result<(), Failure> {
    let (mut pml, mut native) = (Samples::default(), Samples::default());
    for round in 0..=rounds {
        let start = Instant::now();
        let value = run(engine, source, ()).await?;
        let took = start.elapsed();
        let start = Instant::now();
        let native_value: Value = pml::json::from_str(&Native::run(source))?;
        let native_took = start.elapsed();
        assert_eq!(value, native_value);
        // The first round warms caches.
        if round > 0 {
            pml.push(took.as_secs_f64() * 1e3);
            native.push(native_took.as_secs_f64() * 1e3);
        }
    }
    report.beside(what, "ms", pml, "native", native);
    Ok(())
}

/// `calls` calls that are answered once all of them are out: time for each, the whole run divided
/// among them.
async fn in_flight(
    engine: &Engine,
    calls: usize,
    rounds: usize,
    report: &mut Report,
) -> Result<(), Failure> {
    let source = format!(
        "return (await Promise.all(Array.from({{ length: {calls} }}, (_, i) => mcp.t.hold({{ i }})))).length;"
    );
    let each = |start: Instant| start.elapsed().as_secs_f64() * 1e6 / calls as f64;
    let (mut pml, mut native) = (Samples::default(), Samples::default());
    for round in 0..=rounds {
        let all = Arc::new(Barrier::new(calls));
        let tools = tools_from_fn(move |call| {
            let all = all.clone();
            async move {
                all.wait().await;
                Reply::Ok(call.arguments)
            }
        });
        let start = Instant::now();
        assert_eq!(run(engine, &source, tools).await?, Value::from(calls));
        let took = each(start);
        let start = Instant::now();
        assert_eq!(Native::run(&source), calls.to_string());
        if round > 0 {
            pml.push(took);
            native.push(each(start));
        }
    }
    let what = format!("run with {calls} calls in flight, each");
    report.beside(what, "µs", pml, "native", native);
    Ok(())
}

//! Many runs at a time: what one that waits holds, and how many a machine gets through.

use crate::native::Native;
use crate::report::{Report, Samples};
use crate::{Effort, Failure, engine, progress, pss, run};
use pml::json::Value;
use pml::{Engine, Reply, tools_from_fn};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

/// Runs that wait at the same time.
const WAITING: usize = 1000;

/// Threads for the throughput.
const CORES: usize = 2;

const FRESH: &str = "return 1+1";
const HOLD: &str = "await mcp.t.hold({}); return 1;";

pub(crate) fn measure(effort: Effort, report: &mut Report) -> Result<(), Failure> {
    progress("waiting runs");
    let memory = (0..effort.pick(3, 1)).map(|_| held_elsewhere());
    let memory = memory.collect::<Result<Samples, Failure>>()?;
    report.alone(format!("PSS of a waiting run, at {WAITING}"), "KiB", memory);

    progress("runs per second");
    let (mut pml, mut native) = (Samples::default(), Samples::default());
    let engine = engine()?;
    let span = Duration::from_millis(effort.pick(1000, 200) as u64);
    for round in 0..=effort.pick(7, 1) {
        let (ours, theirs) = (throughput(&engine, span)?, native_throughput(span));
        if round > 0 {
            pml.push(ours);
            native.push(theirs);
        }
    }
    report.beside(format!("runs per second on {CORES} cores"), "1/s", pml, "native", native);
    Ok(())
}

/// Measures in a process of its own, whose memory nothing else has touched.
fn held_elsewhere() -> Result<f64, Failure> {
    let output =
        Command::new(std::env::current_exe()?).args(["--hold", &WAITING.to_string()]).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    match output.status.success() {
        true => Ok(text.trim().parse()?),
        false => Err(String::from_utf8_lossy(&output.stderr).into()),
    }
}

/// Prints the PSS in KiB of each of `count` runs that wait for a call.
#[tokio::main(flavor = "current_thread")]
pub(crate) async fn hold(count: usize) -> Result<(), Failure> {
    let engine = engine()?;
    for _ in 0..3 {
        run(&engine, FRESH, ()).await?;
    }
    let gate = Arc::new(Semaphore::new(0));
    let (arrived, mut arrivals) = mpsc::unbounded_channel();
    let before = pss()?;
    let mut runs = JoinSet::new();
    for _ in 0..count {
        let (engine, gate, arrived) = (engine.clone(), gate.clone(), arrived.clone());
        let tools = tools_from_fn(move |_| {
            let _ = arrived.send(());
            let gate = gate.clone();
            async move {
                let _ = gate.acquire().await;
                Reply::Ok(Value::Null)
            }
        });
        runs.spawn(async move { run(&engine, HOLD, tools).await });
    }
    for _ in 0..count {
        tokio::select! {
            _ = arrivals.recv() => {}
            Some(ended) = runs.join_next() => return Err(format!("a run ended early: {ended:?}").into()),
        }
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    println!("{}", (pss()? - before) / count as f64);
    gate.add_permits(count);
    while let Some(value) = runs.join_next().await {
        assert_eq!(value??, Value::from(1));
    }
    Ok(())
}

/// Fresh runs per second on a runtime with one thread for each core.
fn throughput(engine: &Engine, span: Duration) -> Result<f64, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(CORES).enable_all().build()?;
    let start = Instant::now();
    runtime.block_on(async {
        let mut workers = JoinSet::new();
        // More than there are cores, as a server has it: one that ends leaves no core idle.
        for _ in 0..CORES * 4 {
            let engine = engine.clone();
            workers.spawn(async move {
                let mut runs = 0_u32;
                while start.elapsed() < span {
                    run(&engine, FRESH, ()).await?;
                    runs += 1;
                    tokio::task::yield_now().await;
                }
                Ok::<_, Failure>(runs)
            });
        }
        let mut runs = 0;
        while let Some(done) = workers.join_next().await {
            runs += done??;
        }
        Ok(f64::from(runs) / start.elapsed().as_secs_f64())
    })
}

/// Fresh native runtimes per second, one thread for each core.
fn native_throughput(span: Duration) -> f64 {
    let start = Instant::now();
    let runs: u32 = std::thread::scope(|scope| {
        let work = || {
            let mut runs = 0_u32;
            while start.elapsed() < span {
                assert_eq!(Native::run(FRESH), "2");
                runs += 1;
            }
            runs
        };
        let workers: Vec<_> = (0..CORES).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("no program here fails")).sum()
    });
    f64::from(runs) / start.elapsed().as_secs_f64()
}

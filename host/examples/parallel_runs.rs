//! Runs many programs at the same time on one engine.
//!
//! 200 programs share an engine with room for 50. Each makes two calls that take 20 ms and adds up
//! what comes back; one more is busy for as long as the others take, and holds up none of them.
//! Every program has a memory of its own: what one writes to `globalThis`, no other ever sees.
//!
//! Prints what was reached:
//!
//! ```text
//! 200 runs finished, sum of their results: 59700
//! at most 50 ran at the same time
//! none saw another's globals
//! the busy run gave way: true
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use pml::json::{Value, json};
use pml::{Code, Config, Engine, Event, Script, tools_from_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

const RUNS: u64 = 200;
const SLOTS: u32 = 50;

const PROGRAM: &str = r#"
const seen = globalThis.mine ?? "nothing";
globalThis.mine = inputs.n;
const [once, twice] = await Promise.all([mcp.slow.times({ n: inputs.n, by: 1 }), mcp.slow.times({ n: inputs.n, by: 2 })]);
return { sum: once + twice, seen };
"#;

/// How many runs there are at this moment, and how many there were at most.
#[derive(Default)]
struct Crowd {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Crowd {
    fn enter(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
    }

    fn leave(&self) {
        self.now.fetch_sub(1, Ordering::SeqCst);
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut config = Config::new();
    config.runs(SLOTS).allow_tool("slow:*").cpu_time(Duration::from_millis(200));
    let engine = Engine::new(&config)?; // one for the process: clones share everything

    let busy = tokio::spawn(engine.run(Script::js("while (true) {}")).into_future());

    let crowd = Arc::<Crowd>::default();
    let mut runs = JoinSet::new();
    for n in 0..RUNS {
        // A run holds its slot from its first call to its last; the first call of a run says that
        // it has one.
        let (inside, outside) = (crowd.clone(), crowd.clone());
        let tools = tools_from_fn(|call| async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let number = |key: &str| call.arguments.get(key).and_then(Value::as_u64).unwrap_or(0);
            Ok(json!(number("n") * number("by")))
        });
        let listen = move |event: &Event| match event {
            Event::CallStarted { call, .. } if call.number() == 1 => inside.enter(),
            Event::CallSettled { call, .. } if call.number() == 1 => outside.leave(),
            _ => {}
        };
        let run = engine.run(Script::ts(PROGRAM)).inputs(json!({ "n": n }));
        runs.spawn(run.tools(tools).events(listen).into_future());
    }

    let (mut sum, mut strangers) = (0, 0);
    for outcome in runs.join_all().await {
        let result = outcome?.value().unwrap_or_default();
        sum += result["sum"].as_u64().unwrap_or(0);
        strangers += usize::from(result["seen"] != "nothing");
    }
    println!("{RUNS} runs finished, sum of their results: {sum}");
    assert_eq!(sum, (0..RUNS).map(|n| 3 * n).sum::<u64>());

    let most = crowd.most.load(Ordering::SeqCst);
    println!("at most {SLOTS} ran at the same time");
    assert!(most <= SLOTS as usize, "{most} ran at the same time");

    assert_eq!(strangers, 0);
    println!("none saw another's globals");

    let outcome = busy.await??;
    assert_eq!(outcome.failure().map(|failure| failure.code), Some(Code::CpuTime));
    println!("the busy run gave way: {}", outcome.usage.slices > 0);
    Ok(())
}

//! What the journal costs: a call, going on after an answer, rebuilding, and runs that wait for
//! people by the thousand.

use crate::report::{Report, Samples};
use crate::{Effort, Failure, arrivals, progress, pss};
use pml::json::{Value, json};
use pml::{
    Answer, Config, Decision, Engine, Event, Journal, MemoryJournal, Question, Script, Store,
    approver_from_fn, journal::Durability, tools_from_fn,
};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Runs that are put away at the same time.
const PARKED: usize = 10_000;

/// Calls of a run that is rebuilt.
const SETTLED: usize = 1_000;

const CALLS: &str = "for (let i = 0; i < 1000; i++) await mcp.t.echo({ i }); return 1000;";

pub(crate) async fn measure(effort: Effort, report: &mut Report) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let store = Arc::new(Store::open(folder.path(), Durability::Process)?);
    let journalled = engine(store)?;
    let unjournalled = engine(Arc::new(MemoryJournal::new()))?;
    calls(&journalled, &unjournalled, effort, report).await?;
    going_on(&journalled, effort, report).await?;
    rebuilding(&journalled, effort, report).await
}

fn engine(journal: Arc<dyn Journal>) -> Result<Engine, Failure> {
    let mut config = Config::new();
    config.allow_tool("t:*").ask_tool("t:ask").waiting_memory(64 << 20);
    Ok(Engine::with_journal(&config, journal)?)
}

/// 1,000 calls in sequence that must not be repeated: from the first arrival at the host to the
/// last.
async fn calls(
    journalled: &Engine,
    unjournalled: &Engine,
    effort: Effort,
    report: &mut Report,
) -> Result<(), Failure> {
    progress("journalled calls");
    let (mut with, mut without) = (Samples::default(), Samples::default());
    for round in 0..effort.pick(31, 2) {
        for (engine, samples) in [(journalled, &mut with), (unjournalled, &mut without)] {
            let arrivals = arrivals(engine, CALLS, 1000).await?;
            let gaps = arrivals.windows(2).map(|pair| us(pair[1] - pair[0]));
            if round > 0 {
                gaps.for_each(|gap| samples.push(gap));
            }
        }
    }
    report.beside("journalled call, level `process`", "µs", with, "in memory", without);
    Ok(())
}

/// From an answer to the end of the program that waits for it in memory.
async fn going_on(engine: &Engine, effort: Effort, report: &mut Report) -> Result<(), Failure> {
    progress("going on after an answer");
    let mut samples = Samples::default();
    for _ in 0..effort.pick(200, 5) {
        let (asked, mut questions) = mpsc::unbounded_channel::<Question>();
        let run = engine
            .run(Script::js("return (await mcp.t.ask({ n: 1 })).n"))
            .tools(tools_from_fn(|call| async move { Ok(call.arguments) }))
            .approver(approver_from_fn(move |question| {
                let _ = asked.send(question);
                std::future::pending()
            }));
        let running = tokio::spawn(run.into_future());
        let question = questions.recv().await.ok_or("nothing was asked")?;
        let start = Instant::now();
        engine.answer(question.id, yes(&question)).await?;
        assert_eq!(running.await??.value(), Some(json!(1)));
        samples.push(us(start.elapsed()));
    }
    report.alone("answer to end of a program in memory", "µs", samples);
    Ok(())
}

/// A run with 1,000 settled calls, from its journal to its end.
async fn rebuilding(engine: &Engine, effort: Effort, report: &mut Report) -> Result<(), Failure> {
    progress("rebuilding");
    let mut samples = Samples::default();
    let code = format!(
        "for (let i = 0; i < {SETTLED}; i++) await mcp.t.echo({{ i }}); return (await mcp.t.ask({{ n: 1 }})).n"
    );
    let tools = || tools_from_fn(|call| async move { Ok(call.arguments) });
    for _ in 0..effort.pick(20, 2) {
        let waiting = engine.run(Script::js(&code)).tools(tools()).await?;
        let question = waiting.questions().first().ok_or("nothing was asked")?;
        engine.answer(question.id, yes(question)).await?;
        let start = Instant::now();
        let outcome = engine.resume(question.run).tools(tools()).await?;
        assert_eq!(outcome.value(), Some(json!(1)));
        samples.push(us(start.elapsed()) / 1e3);
    }
    report.alone(format!("rebuild of a run with {SETTLED} calls"), "ms", samples);
    Ok(())
}

/// Measures runs that wait for people, in a process of its own.
pub(crate) fn crowd(effort: Effort, report: &mut Report) -> Result<(), Failure> {
    progress("runs that wait for people");
    let runs = effort.pick(PARKED, 200);
    let output =
        Command::new(std::env::current_exe()?).args(["--park", &runs.to_string()]).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let found: Value = pml::json::from_slice(&output.stdout)?;
    for (what, unit) in [
        ("memory of a run that was put away", "KiB"),
        ("list of open questions, of 100", "µs"),
        ("list of one run's questions, of all", "µs"),
        ("answer and end, of 100", "µs"),
        ("answer and end, of all", "µs"),
    ] {
        let sample = found[what].as_f64().ok_or("a number is missing")?;
        report.alone(format!("{what} ({runs} wait)"), unit, [sample].into_iter().collect());
    }
    Ok(())
}

/// Prints what it costs to have `count` runs wait for people at the same time.
#[tokio::main(flavor = "current_thread")]
pub(crate) async fn park(count: usize) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let mut config = Config::new();
    config.allow_tool("t:*").ask_tool("t:ask").waiting_memory(0).runs(8).question_lifetime(None);
    let store = Arc::new(Store::open(folder.path(), Durability::Process)?);
    let engine = Engine::with_journal(&config, store)?;
    let mut found = pml::json::Map::new();
    let mut waiting = Waiting { engine, runs: JoinSet::new(), questions: Vec::new() };
    waiting.fill(100).await?;
    let now = pml::Timestamp(0);
    let start = Instant::now();
    assert_eq!(waiting.engine.journal().questions(None, now).await?.len(), 100);
    found.insert("list of open questions, of 100".into(), us(start.elapsed()).into());
    found.insert("answer and end, of 100".into(), waiting.answer(50).await?.into());
    let before = pss()?;
    let held = waiting.questions.len();
    waiting.fill(count).await?;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let memory = (pss()? - before) / (count - held) as f64;
    found.insert("memory of a run that was put away".into(), memory.into());
    let run = waiting.questions[count / 2].run;
    let start = Instant::now();
    assert_eq!(waiting.engine.journal().questions(Some(run), now).await?.len(), 1);
    found.insert("list of one run's questions, of all".into(), us(start.elapsed()).into());
    found.insert("answer and end, of all".into(), waiting.answer(50).await?.into());
    println!("{}", Value::Object(found));
    Ok(())
}

struct Waiting {
    engine: Engine,
    runs: JoinSet<Result<pml::Outcome, pml::Error>>,
    questions: Vec<Question>,
}

impl Waiting {
    /// Starts runs until `count` wait and are put away. A few at a time: what waits for a slot
    /// holds its program.
    async fn fill(&mut self, count: usize) -> Result<(), Failure> {
        while self.questions.len() < count {
            self.add((count - self.questions.len()).min(10)).await?;
        }
        Ok(())
    }

    async fn add(&mut self, more: usize) -> Result<(), Failure> {
        let (asked, mut questions) = mpsc::unbounded_channel();
        let (left, mut evictions) = mpsc::unbounded_channel();
        for _ in 0..more {
            let (asked, left) = (asked.clone(), left.clone());
            let run = self
                .engine
                .run(Script::js("return (await mcp.t.ask({ n: 1 })).n"))
                .tools(tools_from_fn(|call| async move { Ok(call.arguments) }))
                .events(move |event: &Event| match event {
                    Event::Asked { question, .. } => drop(asked.send(question.clone())),
                    Event::Evicted { .. } => drop(left.send(())),
                    _ => {}
                })
                .approver(approver_from_fn(|_| std::future::pending()));
            self.runs.spawn(run.into_future());
        }
        for _ in 0..more {
            self.questions.push(questions.recv().await.ok_or("nothing was asked")?);
            evictions.recv().await.ok_or("it was not put away")?;
        }
        Ok(())
    }

    /// Answers some, one after the other. Returns the median time from an answer to the end of its
    /// run.
    async fn answer(&mut self, count: usize) -> Result<f64, Failure> {
        let mut took = Vec::new();
        for question in self.questions.drain(..count).collect::<Vec<_>>() {
            let start = Instant::now();
            self.engine.answer(question.id, yes(&question)).await?;
            let outcome = self.runs.join_next().await.ok_or("nothing runs")???;
            assert_eq!(outcome.run_id, question.run);
            took.push(us(start.elapsed()));
        }
        took.sort_by(f64::total_cmp);
        Ok(took[took.len() / 2])
    }
}

fn yes(question: &Question) -> Answer {
    Answer::all(question, Decision::Approve, "bench", "bench")
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

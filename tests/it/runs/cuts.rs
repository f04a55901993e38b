//! Programs made at random, cut off at every write of their journal: the resumed run gives what the
//! uncut one gives, and no call reaches its tool twice.

use pml::json::{self, Value};
use pml::{
    CallId, Code, Config, Engine, Journal, MemoryJournal, Outcome, Run, RunId, Script, Store,
    approver_from_fn,
    journal::{CallResult, CallVerdict, Durability, JournalEvent},
    tool::Effects,
};
use pml_kit::{
    Counter, CutJournal, CutPoint, Generated, LocalTools, StoppedClock, careful_answer, generate,
    soak, tool_effects,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use tempfile::TempDir;

/// Programs that are at it at the same time.
const LANES: u64 = 10;

/// One engine for all programs, over a journal that can be cut.
struct Bench {
    engine: Engine,
    journal: Arc<CutJournal>,
}

impl Bench {
    fn new(inner: Arc<dyn Journal>) -> Bench {
        let mut config = Config::new();
        config.allow_tool("*").ask_tool("t:ask").runs(4).clock(Arc::new(StoppedClock));
        config.question_lifetime(None);
        let journal = Arc::new(CutJournal::new(inner));
        let engine = Engine::with_journal(&config, journal.clone()).expect("an engine");
        Bench { engine, journal }
    }
}

fn with_tools(run: Run, counter: &Arc<Counter>) -> Run {
    let seen = counter.clone();
    let approver = approver_from_fn(move |question| {
        let answer = careful_answer(&question, |run, call| seen.seen(run, call));
        std::future::ready(Some(answer))
    });
    run.tools(LocalTools(counter.clone())).approver(approver)
}

/// What a run came to, without what differs between any two runs.
fn ending(outcome: &Outcome) -> Value {
    json::to_value(&outcome.ending).expect("JSON")
}

struct Uncut {
    ending: Value,
    writes: usize,
}

async fn uncut(bench: &Bench, program: &Generated) -> Uncut {
    bench.journal.arm(None);
    let counter = Arc::new(Counter::default());
    let run = bench.engine.run(Script::ts(&program.code)).seed([7; 32]);
    let id = run.id();
    let outcome = with_tools(run, &counter).await.expect("the sandbox works");
    let writes = bench.journal.writes();
    check_calls(&bench.engine, id, &counter, program).await;
    Uncut { ending: ending(&outcome), writes }
}

/// Every call that must not be repeated reached its tool once, if it has an answer of it, and never
/// twice.
async fn check_calls(engine: &Engine, run: RunId, counter: &Counter, program: &Generated) {
    let stored = engine.journal().load(run).await.expect("it is kept");
    let mut calls = BTreeMap::<CallId, (String, CallVerdict)>::new();
    for entry in &stored.entries {
        match &entry.event {
            JournalEvent::Requested { call, tool, verdict, .. } => {
                let before = calls.insert(*call, (tool.clone(), verdict.clone()));
                assert!(before.is_none(), "{call} was requested twice\n{}", program.code);
            }
            JournalEvent::Settled { call, settled: CallResult::Value(_) } => {
                let (tool, verdict) = &calls[call];
                let elsewhere = matches!(verdict, CallVerdict::Sleep { .. });
                let seen = counter.seen(run, *call);
                match tool_effects(tool) {
                    Effects::Unknown if !elsewhere => {
                        assert_eq!(seen, 1, "call {call} of {tool}\n{}", program.code);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    for (call, (tool, _)) in &calls {
        if tool_effects(tool) == Effects::Unknown {
            let seen = counter.seen(run, *call);
            assert!(seen <= 1, "call {call} of {tool} was made {seen} times\n{}", program.code);
        }
    }
    let replay = engine.replay_run(run).await.expect("the sandbox works");
    assert_eq!(replay.diverged, None, "{}", program.code);
}

/// Cuts a run; returns its outcome if it ended before.
async fn cut(run: Run, journal: &CutJournal) -> Option<Outcome> {
    let outcome = tokio::select! {
        biased;
        () = journal.death() => return None,
        outcome = run.into_future() => outcome,
    };
    match outcome {
        // The last cut came after the last write.
        Err(over) if over.kind() == Code::RunEnded => None,
        outcome => Some(outcome.expect("the sandbox works")),
    }
}

/// Cuts a program at one write, resumes it, cuts the resumed run too if `again` says where, and
/// looks at what it came to.
async fn survives(
    Bench { engine, journal }: &Bench,
    program: &Generated,
    uncut: &Uncut,
    first: (usize, CutPoint),
    again: Option<usize>,
) {
    let counter = Arc::new(Counter::default());
    journal.arm(Some(first));
    let run = engine.run(Script::ts(&program.code)).seed([7; 32]);
    let id = run.id();
    let mut outcome = cut(with_tools(run, &counter), journal).await;
    if outcome.is_none()
        && let Some(at) = again
    {
        journal.arm(Some((at, CutPoint::After)));
        outcome = cut(with_tools(engine.resume(id), &counter), journal).await;
    }
    journal.arm(None);
    let outcome = match outcome {
        Some(outcome) => ending(&outcome),
        None => match with_tools(engine.resume(id), &counter).await {
            Ok(outcome) => ending(&outcome),
            // The cut came after the last write: the journal has the ending.
            Err(over) if over.kind() == Code::RunEnded => {
                let stored = engine.journal().load(id).await.expect("it is kept");
                let Some(JournalEvent::Ended { ending }) =
                    stored.entries.last().map(|entry| &entry.event)
                else {
                    panic!("over without an ending");
                };
                json::from_str(ending).expect("JSON")
            }
            Err(error) => panic!("cut at {first:?}: {error}\n{}", program.code),
        },
    };
    check_calls(engine, id, &counter, program).await;
    if !program.racy {
        assert_eq!(outcome, uncut.ending, "cut at {first:?}\n{}", program.code);
    }
}

async fn cut_everywhere(inner: Arc<dyn Journal>, seeds: std::ops::Range<u64>) -> (usize, usize) {
    let bench = Bench::new(inner);
    let (mut cuts, mut racy) = (0, 0);
    for seed in seeds {
        let program = generate(seed);
        let uncut = uncut(&bench, &program).await;
        racy += usize::from(program.racy);
        for at in 0..uncut.writes {
            // Before its first write there is no run.
            if at > 0 {
                let again = (at % 3 == 0).then_some(at % 5);
                survives(&bench, &program, &uncut, (at, CutPoint::Before), again).await;
                cuts += 1;
            }
            let again = (at % 4 == 0).then_some(at % 3);
            survives(&bench, &program, &uncut, (at, CutPoint::After), again).await;
            cuts += 1;
        }
    }
    (cuts, racy)
}

/// Cuts many programs, some at the same time: most of their time they sleep.
async fn cut_all(
    first: u64,
    programs: u64,
    journal: impl Fn() -> Arc<dyn Journal>,
) -> (usize, usize) {
    let mut lanes = tokio::task::JoinSet::new();
    for lane in 0..LANES {
        let seeds = first + programs * lane / LANES..first + programs * (lane + 1) / LANES;
        lanes.spawn(cut_everywhere(journal(), seeds));
    }
    let (mut cuts, mut racy) = (0, 0);
    for done in lanes.join_all().await {
        (cuts, racy) = (cuts + done.0, racy + done.1);
    }
    (cuts, racy)
}

#[tokio::test]
async fn a_program_cut_anywhere_gives_the_same_result_and_repeats_nothing() {
    let programs = soak(60);
    let (cuts, racy) = cut_all(0, programs, || Arc::new(MemoryJournal::new())).await;
    assert!(cuts > 2_000, "{cuts} cuts");
    assert!(racy < 50 * programs as usize / 60, "{racy} programs could not be compared");
}

#[tokio::test]
async fn a_journal_in_a_file_forgets_no_more_than_one_in_memory() {
    let folders: Vec<_> = (0..LANES).map(|_| TempDir::new().expect("a folder")).collect();
    let paths = std::cell::RefCell::new(folders.iter());
    let (cuts, _) = cut_all(500, soak(30), || {
        let folder = paths.borrow_mut().next().expect("one for each lane");
        Arc::new(Store::open(folder.path().join(".pml"), Durability::Process).expect("it opens"))
    })
    .await;
    assert!(cuts > 600, "{cuts} cuts");
}

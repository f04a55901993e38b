//! Mended programs that take up what earlier runs have done, over generations.

use pml::json::{Value, json};
use pml::{
    Answer, BoxFuture, Call, Code, Config, Decision, Ending, Engine, Journal, MemoryJournal,
    Outcome, Question, Reply, Run, RunId, Script, ToolName, Tools,
    approval::{AskId, AskKind},
    approver_from_fn,
    journal::PruneRule,
    tool::Effects,
};
use pml_kit::{
    CutJournal, CutPoint, Generated, StoppedClock, generate, soak, tool_effects, tool_reply,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Tools that count by what they are asked for, whichever run asks. `t:big` answers more than may
/// be answered.
#[derive(Clone, Default)]
struct ByArguments(Arc<Mutex<BTreeMap<String, u64>>>);

impl ByArguments {
    fn seen(&self, tool: &str, arguments: &Value) -> u64 {
        let seen = self.0.lock().expect("one thread");
        seen.get(&format!("{tool} {arguments}")).copied().unwrap_or(0)
    }

    fn all(&self) -> BTreeMap<String, u64> {
        let seen = self.0.lock().expect("one thread");
        let counts = |entry: &(&String, &u64)| {
            tool_effects(entry.0.split(' ').next().expect("a tool")) == Effects::Unknown
        };
        seen.iter().filter(counts).map(|(key, count)| (key.clone(), *count)).collect()
    }
}

impl Tools for ByArguments {
    fn call(&self, call: Call) -> BoxFuture<'_, Reply> {
        let key = format!("{} {}", call.tool, call.arguments);
        *self.0.lock().expect("one thread").entry(key).or_default() += 1;
        Box::pin(async move {
            match call.tool.as_str() {
                "t:big" => Ok("x".repeat(1000).into()),
                "t:hang" => std::future::pending().await,
                tool => {
                    tokio::task::yield_now().await;
                    tool_reply(tool, &call.arguments)
                }
            }
        })
    }

    fn effects(&self, tool: &ToolName) -> Effects {
        tool_effects(tool.as_str())
    }
}

fn engine(journal: Arc<dyn Journal>) -> Engine {
    let mut config = Config::new();
    config.allow_tool("*").ask_tool("t:ask").runs(4).clock(Arc::new(StoppedClock)).reply_limit(500);
    config.question_lifetime(None);
    Engine::with_journal(&config, journal).expect("an engine")
}

async fn outcome(run: Run, tools: &ByArguments) -> Outcome {
    run.tools(tools.clone()).await.expect("the sandbox works")
}

const WRITES: &str = "await mcp.t.echo({ n: 1 }); await mcp.t.echo({ n: 2 });";

#[tokio::test]
async fn what_a_mended_run_did_not_use_is_handed_on_to_the_next() {
    let (engine, tools) = (engine(Arc::new(MemoryJournal::new())), ByArguments::default());
    let first = engine.run(Script::ts(format!("{WRITES} throw new Error('no')")));
    let first = outcome(first, &tools).await.run_id;
    // A slip before the first call.
    let second = engine.run(Script::ts("const x = nothing;")).resume_from(first);
    let second = outcome(second, &tools).await;
    assert_eq!(second.unmatched.len(), 2);
    // The first is forgotten; what it has done is not.
    let rule = PruneRule { keep: Some(1), ..Default::default() };
    let forgotten = engine.journal().prune(rule, pml::Timestamp(0)).await;
    assert_eq!(forgotten.expect("it prunes"), 1);
    let third =
        engine.run(Script::ts(format!("{WRITES} return 'done'"))).resume_from(second.run_id);
    assert_eq!(outcome(third, &tools).await.value(), Some(json!("done")));
    assert_eq!(tools.all().into_values().collect::<Vec<_>>(), [1, 1]);
}

#[tokio::test]
async fn an_unknown_outcome_stays_unknown_over_generations() {
    let (engine, tools) = (engine(Arc::new(MemoryJournal::new())), ByArguments::default());
    let pays = "return await mcp.t.hang({ n: 1 }).catch((e) => { throw e })";
    let first = engine.run(Script::ts(pays));
    let mut last = first.id();
    let made = async {
        while tools.seen("t:hang", &json!({ "n": 1 })) == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = made => {}
        _ = outcome(first, &tools) => panic!("it hangs"),
    }
    for answer in [None, Some(Decision::Decline), None] {
        let run = outcome(engine.run(Script::ts(pays)).resume_from(last), &tools).await;
        let [question] = run.questions() else { panic!("{:?}", run.ending) };
        assert_eq!(question.asks[0].kind, AskKind::UncertainCall);
        assert_eq!(tools.seen("t:hang", &json!({ "n": 1 })), 1, "it is not made again");
        if let Some(decision) = answer {
            let answer = Answer::all(question, decision, "tester", "a test");
            engine.answer(question.id, answer).await.expect("it records");
            let failed = outcome(engine.resume(run.run_id), &tools).await;
            assert_eq!(
                failed.failure().expect("declined").error_code.as_deref(),
                Some("OUTCOME_UNKNOWN")
            );
        }
        last = run.run_id;
    }
}

#[tokio::test]
async fn a_call_whose_answer_was_too_large_is_not_made_again_unasked() {
    let (engine, tools) = (engine(Arc::new(MemoryJournal::new())), ByArguments::default());
    let code = "await mcp.t.big({ n: 1 })";
    let first = outcome(engine.run(Script::ts(code)), &tools).await;
    assert_eq!(first.failure().expect("too large").error_code.as_deref(), Some("REPLY_SIZE"));
    let second = outcome(engine.run(Script::ts(code)).resume_from(first.run_id), &tools).await;
    assert_eq!(second.questions().len(), 1);
    assert_eq!(tools.seen("t:big", &json!({ "n": 1 })), 1);
}

#[tokio::test]
async fn nothing_goes_out_before_every_unmatched_call_was_decided_about() {
    let (engine, tools) = (engine(Arc::new(MemoryJournal::new())), ByArguments::default());
    let first = engine.run(Script::ts(format!("{WRITES} throw new Error('no')")));
    let first = outcome(first, &tools).await.run_id;
    let code = "await mcp.t.echo({ n: 3 }); return 'done'";
    let second = outcome(engine.run(Script::ts(code)).resume_from(first), &tools).await;
    let question = second.questions()[0].clone();
    let one = |ask| Answer::each(&question, [(AskId(ask), Decision::Approve)], "tester", "a test");
    engine.answer(question.id, one(1)).await.expect("it records");
    let waits = outcome(engine.resume(question.run), &tools).await;
    assert_eq!(waits.questions(), std::slice::from_ref(&question));
    assert_eq!(tools.seen("t:echo", &json!({ "n": 3 })), 0);
    engine.answer(question.id, one(2)).await.expect("it records");
    let done = outcome(engine.resume(question.run), &tools).await;
    assert_eq!(done.value(), Some(json!("done")));
}

/// What a careful person says who knows what the tools have seen.
fn careful(tools: &ByArguments, question: &Question) -> Answer {
    let decisions = question.asks.iter().map(|ask| {
        let decision = match (ask.kind, tools.seen(&ask.tool, &ask.arguments)) {
            (AskKind::UncertainCall, 1..) => {
                Decision::Result(tool_reply(&ask.tool, &ask.arguments).expect("it answers"))
            }
            (AskKind::ToolPermission, _)
                if ask.arguments["n"].as_u64().is_some_and(|n| n % 7 == 0) =>
            {
                Decision::Decline
            }
            _ => Decision::Approve,
        };
        (ask.id, decision)
    });
    Answer::each(question, decisions, "a careful person", "a test")
}

fn with_person(run: Run, tools: &ByArguments) -> Run {
    let seen = tools.clone();
    let approver =
        approver_from_fn(move |question| std::future::ready(Some(careful(&seen, &question))));
    run.tools(tools.clone()).approver(approver)
}

/// Cuts a run; says whether it was over before.
async fn cut(run: Run, tools: &ByArguments, journal: &CutJournal) -> bool {
    tokio::select! {
        biased;
        () = journal.death() => false,
        outcome = with_person(run, tools).into_future() => {
            assert!(outcome.is_ok_and(|outcome| !matches!(outcome.ending, Ending::Waiting(_))));
            true
        }
    }
}

/// Cuts a program at a write, and again after it was taken up, and again: what the tools see is
/// what one run makes.
async fn takes_up(
    engine: &Engine,
    journal: &CutJournal,
    program: &Generated,
    cuts: [usize; 2],
) -> bool {
    let script = || Script::ts(&program.code);
    journal.arm(None);
    let uncut = ByArguments::default();
    let run = with_person(engine.run(script()).seed([7; 32]), &uncut);
    let ending = run.await.expect("the sandbox works").ending;
    let tools = ByArguments::default();
    let mut last: Option<RunId> = None;
    for at in cuts {
        let run = match last {
            None => engine.run(script()).seed([7; 32]),
            Some(last) => engine.run(script()).resume_from(last),
        };
        let id = run.id();
        journal.arm(Some((at, CutPoint::After)));
        if cut(run, &tools, journal).await {
            return false;
        }
        journal.arm(None);
        match engine.journal().load(id).await {
            Ok(_) => last = Some(id),
            // It was cut before it began.
            Err(unknown) => assert_eq!(unknown.code(), Code::RunUnknown),
        }
    }
    let run = match last {
        None => return false,
        Some(last) => engine.run(script()).resume_from(last),
    };
    let found = with_person(run, &tools).await.expect("the sandbox works").ending;
    let text = |ending: &Ending| pml::json::to_string(ending).expect("JSON");
    assert_eq!(text(&found), text(&ending), "cut at {cuts:?}\n{}", program.code);
    assert_eq!(tools.all(), uncut.all(), "cut at {cuts:?}\n{}", program.code);
    true
}

#[tokio::test]
async fn a_program_taken_up_again_and_again_makes_every_call_once() {
    let journal = Arc::new(CutJournal::new(Arc::new(MemoryJournal::with_retained_runs(10_000))));
    let engine = engine(journal.clone());
    let mut taken_up = 0;
    for seed in 2_000..2_000 + soak(300) {
        let program = generate(seed);
        // Where a loop makes the same call again, or a race decides, what one run makes is not what
        // another does.
        if program.racy || program.code.contains("for (") {
            continue;
        }
        for (first, second) in [(1, 1), (2, 3), (4, 2), (5, 6), (8, 4), (3, 9)] {
            taken_up += usize::from(takes_up(&engine, &journal, &program, [first, second]).await);
        }
    }
    assert!(taken_up > 60, "{taken_up}");
}

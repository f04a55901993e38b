//! What a run costs the host, seen by an embedder: the journal, CPU time, and who waits for whom.

use pml::json::{Value, json};
use pml::{
    Answer, BoxFuture, Call, CallError, Code, Config, Decision, Ending, Engine, Journal,
    MemoryJournal, Outcome, Reply, Script, Store, Tools,
    journal::{CallResult, JournalEvent},
    tool::JsonReply,
};
use pml_kit::sandbox::{TestTools, code, engine, value};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn engine_over(journal: Arc<dyn Journal>, limit: usize) -> Engine {
    let mut config = Config::new();
    config.allow_tool("*").ask_tool("t:ask").runs(4).journal_limit(limit).question_lifetime(None);
    Engine::with_journal(&config, journal).expect("an engine")
}

async fn run(engine: &Engine, program: &str) -> Outcome {
    engine.run(Script::ts(program)).tools(TestTools::default()).await.expect("it runs")
}

fn code_of(outcome: &Outcome) -> Option<&'static str> {
    outcome.failure().map(|failure| failure.code.as_str())
}

/// Sends this many letters, this often.
fn sends(bytes: usize, times: usize) -> String {
    format!(
        "for (let i = 0; i < {times}; i++) await mcp.t.fail({{ s: 'x'.repeat({bytes}) }}).catch(() => {{}}); "
    )
}

#[tokio::test]
async fn both_journals_count_the_same_and_end_the_run_with_a_code_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(folder.path(), pml::journal::Durability::Process).expect("a store");
    let journals: [Arc<dyn Journal>; 2] = [Arc::new(MemoryJournal::new()), Arc::new(store)];
    let mut made = Vec::new();
    for journal in journals {
        let engine = engine_over(journal, 100 << 10);
        let fits = run(&engine, &format!("{} return 1", sends(1_000, 30))).await;
        assert_eq!(fits.value(), Some(json!(1)), "{:?}", fits.ending);
        let caught = format!("try {{ {} }} catch {{ return 'caught' }}", sends(1_000, 1_000));
        let outcome = run(&engine, &caught).await;
        assert_eq!(code_of(&outcome), Some("JOURNAL_SIZE"));
        made.push(outcome.usage.calls);
        // What was written gives the same run again.
        let replay = engine.replay_run(outcome.run_id).await.expect("it replays");
        assert_eq!(replay.diverged, None);
    }
    assert_eq!(made[0], made[1]);
}

#[tokio::test]
async fn a_run_that_is_resumed_goes_on_counting() {
    let journal = Arc::new(MemoryJournal::new());
    let engine = engine_over(journal, 100 << 10);
    for (before, after, ends) in [(20, 1, None), (20, 40, Some("JOURNAL_SIZE"))] {
        let program = format!(
            "{} await mcp.t.ask({{}}).catch(() => {{}}); {} return 1",
            sends(1_000, before),
            sends(1_000, after)
        );
        let waiting = run(&engine, &program).await;
        let question = waiting.questions().first().expect("it waits");
        let yes = Answer::all(question, Decision::Approve, "tester", "a test");
        engine.answer(question.id, yes).await.expect("it records");
        let resumed = engine.resume(waiting.run_id).tools(TestTools::default()).await;
        assert_eq!(code_of(&resumed.expect("it goes on")), ends);
    }
}

#[tokio::test]
async fn a_mended_program_pays_for_what_it_takes_up() {
    let engine = engine_over(Arc::new(MemoryJournal::new()), 100 << 10);
    let echoes = |times: usize| {
        format!(
            "for (let i = 0; i < {times}; i++) await mcp.t.echo({{ i, s: 'x'.repeat(1_000) }});"
        )
    };
    let first = run(&engine, &format!("{} throw 1", echoes(20))).await;
    let mended =
        engine.run(Script::ts(format!("{} return 1", echoes(60)))).resume_from(first.run_id);
    let mended = mended.tools(TestTools::default()).await.expect("it runs");
    assert_eq!(code_of(&mended), Some("JOURNAL_SIZE"), "{:?}", mended.ending);
}

#[tokio::test]
async fn an_answer_that_the_journal_cannot_keep_is_accounted_for() {
    let engine = engine_over(Arc::new(MemoryJournal::new()), 100 << 10);
    let tools = || {
        pml::tools_from_fn(|call| async move {
            Ok(Value::from("x".repeat(call.arguments["n"].as_u64().unwrap_or(0) as usize)))
        })
    };
    let script = Script::ts("try { await mcp.t.big({ n: 200_000 }) } catch { return 'caught' }");
    let outcome = engine.run(script).tools(tools()).await.expect("it runs");
    assert_eq!(code_of(&outcome), Some("JOURNAL_SIZE"));
    let stored = engine.journal().load(outcome.run_id).await.expect("it is there");
    let settled = stored.entries.iter().find_map(|entry| match &entry.event {
        JournalEvent::Settled { settled: CallResult::Error { code, message, .. }, .. } => {
            Some((code, message))
        }
        _ => None,
    });
    let (code, message) = settled.expect("the call has an outcome");
    assert_eq!(code, "JOURNAL_SIZE");
    assert!(message.contains("200002 bytes"), "{message}");
    // Whoever takes it up is asked before the call is made again: nobody knows what it gave.
    let again =
        engine.run(Script::ts("return mcp.t.big({ n: 200_000 })")).resume_from(outcome.run_id);
    let again = again.tools(tools()).await.expect("it runs");
    assert!(matches!(again.ending, Ending::Waiting(_)), "{:?}", again.ending);
}

#[tokio::test]
async fn what_a_run_begins_with_counts_too() {
    let engine = engine_over(Arc::new(MemoryJournal::new()), 100 << 10);
    let inputs = |bytes: usize| engine.run(Script::ts("return 1")).inputs(json!("x".repeat(bytes)));
    assert_eq!(inputs(50_000).await.expect("it runs").value(), Some(json!(1)));
    assert_eq!(code_of(&inputs(150_000).await.expect("it runs")), Some("JOURNAL_SIZE"));
    let question = "await mcp.t.ask({ s: 'x'.repeat(45_000) })";
    assert_eq!(code_of(&run(&engine, question).await), Some("JOURNAL_SIZE"));
}

/// A list that takes the host a while to write.
fn long_list() -> Value {
    Value::from(vec![1.5; 1_500_000])
}

#[tokio::test]
async fn writing_an_answer_is_the_programs_cpu_time_and_cannot_be_caught() {
    let engine = engine(|config| config.cpu_time(Duration::from_millis(40)));
    let tools = pml::tools_from_fn(|_| async { Ok(long_list()) });
    let script = Script::ts("try { await mcp.t.long({}) } catch { return 'caught' }");
    let outcome = engine.run(script).tools(tools).await.expect("it runs");
    assert_eq!(code_of(&outcome), Some("CPU_TIME"));
    let stored = engine.journal().load(outcome.run_id).await.expect("it is there");
    let ours = |entry: &pml::journal::JournalEntry| {
        matches!(&entry.event,
        JournalEvent::Settled { settled: CallResult::Error { code, .. }, .. } if code == "CPU_TIME")
    };
    assert!(stored.entries.iter().any(ours), "{:?}", stored.entries.len());
}

#[tokio::test]
async fn parsing_arguments_is_the_programs_cpu_time() {
    let engine =
        engine(|config| config.cpu_time(Duration::from_millis(300)).memory_limit(256 << 20));
    let many = "const x = Array(400_000).fill(0); for (;;) await mcp.t.fail({ x }).catch(() => {})";
    assert_eq!(code(&engine, many).await, "CPU_TIME");
    assert_eq!(value(&engine, "(await mcp.t.echo({ x: [1] })).x").await, json!([1]));
}

#[tokio::test]
async fn arguments_that_are_long_are_seen_by_policy_and_tool_as_they_are() {
    let engine = engine_over(Arc::new(MemoryJournal::new()), 64 << 20);
    let long = "const x = Array(100_000).fill(7); return (await mcp.t.echo({ x })).x.length";
    assert_eq!(run(&engine, long).await.value(), Some(json!(100_000)));
    let asks = "const x = Array(100_000).fill(7); return (await mcp.t.ask({ x })).x.length";
    let waiting = run(&engine, asks).await;
    let question = waiting.questions().first().expect("it waits");
    assert_eq!(question.asks[0].arguments["x"].as_array().map(Vec::len), Some(100_000));
    let odd = "return mcp.t.echo('[' + ' '.repeat(200_000) + ']').catch((e) => e.code ?? e.name)";
    assert!(run(&engine, odd).await.value().is_some());
}

/// On one thread: while a long answer is written, others get the thread.
#[tokio::test(flavor = "current_thread")]
async fn others_go_on_while_a_long_answer_is_written() {
    let engine = engine(|config| config.cpu_time(Duration::from_secs(60)).memory_limit(512 << 20));
    let beats = Arc::new(AtomicU64::new(0));
    let counted = beats.clone();
    let beat = tokio::spawn(async move {
        loop {
            counted.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
        }
    });
    let (answered, seen) = (Arc::new(AtomicU64::new(0)), beats.clone());
    let at_answer = answered.clone();
    let tools = pml::tools_from_fn(move |call| {
        let (seen, at_answer) = (seen.clone(), at_answer.clone());
        async move {
            if call.tool.as_str() == "t:after" {
                return Ok(json!(seen.load(Ordering::SeqCst) - at_answer.load(Ordering::SeqCst)));
            }
            let list = long_list();
            at_answer.store(seen.load(Ordering::SeqCst), Ordering::SeqCst);
            Ok(list)
        }
    });
    let program = "const waiting = mcp.t.long({}); await mcp.pml.sleep({ ms: 0 }); await waiting; return mcp.t.after({})";
    let outcome = engine.run(Script::ts(program)).tools(tools).await.expect("it runs");
    beat.abort();
    let between = outcome.value().and_then(|value| value.as_u64()).expect("a number");
    assert!(between > 100, "{between} beats");
}

/// A run that is over does not wait for work that nobody needs.
#[tokio::test]
async fn a_timeout_does_not_wait_for_a_long_answer() {
    let engine =
        engine(|config| config.timeout(Duration::from_millis(300)).memory_limit(512 << 20));
    let tools = pml::tools_from_fn(|_| async {
        match tokio::task::spawn_blocking(|| Value::from(vec![long_list(); 4])).await {
            Ok(list) => Ok(list),
            Err(error) => Err(CallError::new(Code::Internal, error.to_string())),
        }
    });
    let script = Script::ts("for (;;) await mcp.t.long({}).catch(() => {})");
    let outcome = engine.run(script).tools(tools).await.expect("it runs");
    assert_eq!(code_of(&outcome), Some("TIMEOUT"));
}

/// Answers with text, as servers do.
struct Texts;

impl Tools for Texts {
    fn call(&self, _: Call) -> BoxFuture<'_, Reply> {
        Box::pin(async { Err(CallError::tool("only as text")) })
    }

    fn call_json(&self, _: Call) -> BoxFuture<'_, Result<JsonReply, CallError>> {
        Box::pin(async { Ok(JsonReply::Text(format!("\"{}\"", "x".repeat(4 << 20)))) })
    }
}

#[tokio::test]
async fn answers_that_a_busy_program_does_not_take_are_bounded() {
    let engine = engine(|config| config.memory_limit(16 << 20).cpu_time(Duration::from_secs(60)));
    let tools = Texts;
    // All answers are there before the program takes the first.
    let program = "const all = Array(20).fill(0).map(() => mcp.t.big({}).then(() => 'taken', (e) => e.code));
        const codes = await Promise.all(all); return [codes.includes('taken'), codes.includes('REPLY_SIZE')]";
    let outcome = engine.run(Script::ts(program)).tools(tools).await.expect("it runs");
    assert_eq!(outcome.value(), Some(json!([true, true])), "{:?}", outcome.ending);
}

//! A person decides in the middle of a program: first here, then in a process that has been started
//! anew.
//!
//! The journal is a file, so that the run survives the engine that started it. The tool counts how
//! often it is called: once.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use pml::json::json;
use pml::{
    Answer, Config, Decision, Ending, Engine, Script, Store, Tools, approver_from_fn,
    journal::{AnswerOutcome, Durability},
    tools_from_fn,
};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

type Failure = Box<dyn std::error::Error + Send + Sync>;

const PROGRAM: &str = "
    const report = await mcp.files.read({ path: 'report.md' });
    console.log('read', report.path);
    const sent = await mcp.mail.send({ to: 'team', text: report.text });
    return { sent: sent.id };
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let sent = Arc::new(AtomicU32::new(0));

    // A way to ask is there: the run waits for it.
    let engine = open(folder.path())?;
    let approver = approver_from_fn(|question| async move {
        for line in question.asks.iter().flat_map(pml::approval::lines_of_ask) {
            println!("  {line}");
        }
        // An answer is to what was shown: it names the digest of each ask.
        Some(Answer::all(&question, Decision::Decline, "the example", "a rule"))
    });
    let run = engine.run(Script::ts(PROGRAM)).tools(tools(sent.clone())).approver(approver);
    let outcome = run.await?;
    println!("declined: {}", outcome.failure().map_or("", |failure| &failure.message));

    // Nobody can be asked: the run ends as waiting, and its question stays in the journal.
    let waiting = engine.run(Script::ts(PROGRAM)).tools(tools(sent.clone())).await?;
    let Ending::Waiting(questions) = &waiting.ending else { return Err("it should wait".into()) };
    drop(engine);

    // Another engine, as another process would have it: it records the answer and goes on.
    let engine = open(folder.path())?;
    let yes = Answer::all(&questions[0], Decision::Approve, "the example", "an answer of its own");
    let answered = engine.answer(questions[0].id, yes.clone()).await?;
    println!("recorded: {}", matches!(answered, AnswerOutcome::Recorded { .. }));
    let outcome = engine.resume(waiting.run_id).tools(tools(sent.clone())).await?;
    println!("finished: {}", outcome.json().unwrap_or_default());

    // Late answers change nothing.
    let late = engine.answer(questions[0].id, yes).await?;
    println!("late: {}", matches!(late, AnswerOutcome::Late { .. }));
    println!("mails sent: {}", sent.load(Ordering::SeqCst));
    Ok(())
}

fn open(folder: &Path) -> Result<Engine, Failure> {
    let mut config = Config::new();
    config.allow_tool("files:*").ask_tool("mail:*");
    let store = Store::open(folder, Durability::Process)?;
    Ok(Engine::with_journal(&config, Arc::new(store))?)
}

fn tools(sent: Arc<AtomicU32>) -> impl Tools {
    tools_from_fn(move |call| {
        let sent = sent.clone();
        async move {
            Ok(match call.tool.as_str() {
                "mail:send" => json!({ "id": sent.fetch_add(1, Ordering::SeqCst) + 1 }),
                _ => json!({ "path": call.arguments["path"], "text": "all is well" }),
            })
        }
    })
}

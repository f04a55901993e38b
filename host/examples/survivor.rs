//! An embedder that can be killed at any moment: its runs are journalled in a file, and another
//! process goes on with them.
//!
//! ```text
//! survivor run FOLDER SOCKET SCRIPT [WRITE before|after]    runs a program; at that write of its journal it says `cut`
//!                                                           on stdout and stands still, so that it can be killed there
//! survivor resume FOLDER SOCKET RUN [WRITE before|after]    goes on with a run
//! ```
//!
//! FOLDER holds the journal, SOCKET leads to the tools, which live in another process and count
//! what reaches them. The run's id is printed first, then how it ended, each as one line.
//! `tests/it/runs/kills.rs` kills it some thousand times.

#![allow(clippy::print_stdout, reason = "its lines are what the test reads")]

use pml::{
    Code, Config, Engine, Run, RunId, Script, Store, approver_from_fn,
    journal::{Durability, JournalEvent},
    json,
};
use pml_kit::{CutJournal, CutPoint, RemoteTools, StoppedClock, careful_answer};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [verb, folder, socket, what, cut @ ..] = arguments.as_slice() else {
        return Err("see the top of host/examples/survivor.rs".into());
    };
    let cut = match cut {
        [write, when] if when == "before" => Some((write.parse()?, CutPoint::Before)),
        [write, when] if when == "after" => Some((write.parse()?, CutPoint::After)),
        _ => None,
    };
    let store = Store::open(folder, Durability::Process)?;
    let journal = Arc::new(CutJournal::new(Arc::new(store)));
    journal.arm(cut);
    let mut config = Config::new();
    config.allow_tool("*").ask_tool("t:ask").runs(1).clock(Arc::new(StoppedClock));
    config.question_lifetime(None);
    let engine = Engine::with_journal(&config, journal.clone())?;
    let run = match verb.as_str() {
        "run" => engine.run(Script::file(what)).seed([7; 32]),
        _ => engine.resume(what.parse()?),
    };
    let id = run.id();
    say(&id.to_string())?;
    tokio::select! {
        biased;
        () = journal.death() => {
            say("cut")?;
            // Everything stands still as it is, until the process is killed.
            loop {
                std::thread::park();
            }
        }
        outcome = with_tools(run, socket.into()).into_future() => {
            let ending = match outcome {
                Ok(outcome) => json::to_string(&outcome.ending)?,
                // Its process was killed after the last write.
                Err(over) if over.kind() == Code::RunEnded => ended(&engine, id).await?,
                Err(error) => return Err(error.into()),
            };
            say(&ending)?;
        }
    }
    Ok(())
}

fn with_tools(run: Run, socket: PathBuf) -> Run {
    let tools = RemoteTools(socket);
    let there = tools.clone();
    let approver = approver_from_fn(move |question| {
        let answer = careful_answer(&question, |run, call| there.seen(run, call));
        std::future::ready(Some(answer))
    });
    run.tools(tools).approver(approver)
}

/// How a run ended, from its journal.
async fn ended(engine: &Engine, run: RunId) -> Result<String, Failure> {
    let stored = engine.journal().load(run).await?;
    match stored.entries.into_iter().next_back().map(|entry| entry.event) {
        Some(JournalEvent::Ended { ending }) => Ok(ending),
        _ => Err("over without an ending".into()),
    }
}

fn say(line: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{line}")?;
    Ok(stdout.flush()?)
}

//! The command `pml approve`: its flags, and resuming the run after the answer.

use super::confirm::confirm_on_terminal;
use super::record::{ApproveContext, RecordedStatus};
use crate::execute::{JournalStorage, project_engine, run_and_print, runtime};
use crate::identify::short;
use crate::project_context::{ProjectContext, ProjectFilesTrust};
use crate::reveal::{Reveal, redactor};
use crate::widening_permit::CallingAgent;
use crate::{project, report, ui};
use anyhow::{Context, Result};
use clap::Args;
use pml::json::{self, Value, json};
use pml::{Code, Error, RunId, SystemClock, approval::suggest_constraints};
use std::cell::OnceCell;
use std::mem::ManuallyDrop;
use std::process::ExitCode;

/// Answer what a run waits for, and go on with the run
///
/// Shows what is asked and wants a yes on the terminal. Without another flag the answer approves:
/// the calls are made. A no (`--decline`, `--abort`, `--replan`) needs no yes where there is no
/// terminal. What was answered the same way before, and nobody went on with, goes on.
///
/// Where an agent runs the command, it refuses to approve, with or without `--yes`: who wrote the
/// calls does not approve them. What lifts that stands in your own settings, outside all projects.
/// Declining, replanning and aborting are never refused. It is a gate, not a wall: an agent with a
/// shell of the same user can get around it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ApproveCommand {
    /// The workflow id, or the id of a run with one open question; the last digits suffice, or
    /// `last` for the newest
    #[arg(value_name = "ID")]
    pub(super) id: String,
    /// Do not ask for a yes on the terminal
    #[arg(long, short)]
    pub(super) yes: bool,
    /// Approve, and do not ask for these tools again: for good, in `.pml.json`, where that can be
    /// written; else in this run
    #[arg(long, group = "decision")]
    pub(super) always: bool,
    /// With `--always`: only for arguments like these, as `pml approvals --verbose` numbers them
    #[arg(long, value_name = "N", requires = "always")]
    pub(super) only_for: Option<usize>,
    /// Decline: the program gets an error, which it may handle
    #[arg(long, group = "decision")]
    pub(super) decline: bool,
    /// End the run, and tell what was completed, so that a better program can be written
    #[arg(long, group = "decision", conflicts_with = "only")]
    pub(super) replan: bool,
    /// End the run
    #[arg(long, group = "decision", conflicts_with = "only")]
    pub(super) abort: bool,
    /// Go on as if an uncertain call had given this result
    #[arg(long, value_name = "JSON", group = "decision", value_parser = result)]
    pub(super) result: Option<Value>,
    /// Answer only this ask of the question; may be given several times
    #[arg(long, value_name = "ASK")]
    pub(super) only: Vec<u32>,
    /// Answer only if what is asked has this digest, as it was shown: at least 8 digits of it; once
    /// for each ask
    #[arg(long, value_name = "PREFIX", value_parser = digest)]
    pub(super) digest: Vec<String>,
    /// Show secrets as they are, instead of how many characters they have; refused where an agent
    /// runs the command
    #[arg(long)]
    reveal: bool,
    /// Only record the answer; do not go on with the run
    #[arg(long)]
    no_run: bool,
    /// Print exactly one line of JSON on stdout: the result of the run, an object with `error`, or
    /// what was `recorded` if the run does not go on here
    #[arg(long, help_heading = "Output")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  pml approvals
  pml approve last
  pml approve 3f2a --always --only-for 1
  pml approve 3f2a --decline";

fn result(text: &str) -> Result<Value, String> {
    json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}

/// Fewest digits of a digest prefix; fewer could be found by trying.
const DIGITS: usize = 8;

fn digest(text: &str) -> Result<String, String> {
    let digits = text.len() >= DIGITS && text.len() <= 64;
    match digits && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(text.to_ascii_lowercase()),
        false => Err(format!("not a digest: {DIGITS} to 64 hex digits")),
    }
}

impl ApproveCommand {
    pub(crate) fn run(self) -> Result<ExitCode> {
        self.answer()
    }

    fn answer(&self) -> Result<ExitCode> {
        let agent = CallingAgent::detect()?;
        let redactor = redactor(Reveal::from(self.reveal))?;
        let journal = project::journal()?;
        let runtime = ManuallyDrop::new(runtime()?);
        runtime.block_on(async {
            let clock = &SystemClock;
            let (opened, journal) = (OnceCell::new(), &journal);
            let check_resumable = || {
                if !self.no_run && opened.get().is_none() {
                    // The process ends after this. Dropping the engine would only make the user
                    // wait.
                    let project_context =
                        ManuallyDrop::new(ProjectContext::open(ProjectFilesTrust::AsRecorded)?);
                    let engine =
                        ManuallyDrop::new(project_engine(&project_context, journal.clone())?);
                    let _ = opened.set((project_context, engine));
                }
                Ok(())
            };
            let (confirm, suggester) = (&confirm_on_terminal, suggest_constraints);
            let ((agent, settings_error), redactor) = (agent, &redactor);
            let context = ApproveContext {
                clock,
                confirm,
                agent,
                settings_error,
                suggester,
                redactor,
                check_resumable: &check_resumable,
            };
            let resume_run = async |run: RunId| {
                // The process that owned the run may have ended meanwhile.
                check_resumable()?;
                let (project_context, engine) =
                    opened.get().context("the run is not to go on here")?;
                let run = engine.resume(run);
                let id = run.id();
                match run_and_print(run, &project_context.servers, JournalStorage::OnDisk).await {
                    // The owner resumed the run after this process looked.
                    Err(error) if is_resumed_elsewhere(&error) => {
                        ui::say(&format!("recorded: run {} went on elsewhere", short(id)));
                        ui::document(&json!({ "recorded": { "run_id": id } }))?;
                        Ok(ExitCode::SUCCESS)
                    }
                    done => done,
                }
            };
            match self.record(&**journal, &context).await? {
                RecordedStatus::Recorded { run, owner: None, open, .. }
                    if !self.no_run && (open == 0 || self.abort || self.replan) =>
                {
                    resume_run(run).await
                }
                RecordedStatus::AnsweredBefore { run } if !self.no_run => {
                    ui::say("answered before: going on");
                    resume_run(run).await
                }
                RecordedStatus::AnsweredBefore { run } => {
                    let name = short(run);
                    ui::say(&format!(
                        "answered before: run {name} can go on: `pml run --resume {name}`"
                    ));
                    ui::document(&json!({ "recorded": null, "run_id": run }))?;
                    Ok(ExitCode::SUCCESS)
                }
                RecordedStatus::Recorded { run, owner, open, asks } => {
                    ui::say(&recorded_message(run, owner, open));
                    let asks =
                        asks.iter().map(|(id, digest)| json!({ "id": id, "digest": digest }));
                    let asks: Vec<_> = asks.collect();
                    let recorded =
                        json!({ "run_id": run, "owner": owner, "open": open, "asks": asks });
                    ui::document(&json!({ "recorded": recorded }))?;
                    Ok(ExitCode::SUCCESS)
                }
                RecordedStatus::NotRecorded(code) if code == ExitCode::SUCCESS => {
                    ui::document(&json!({ "recorded": null }))?;
                    Ok(code)
                }
                RecordedStatus::NotRecorded(code) => {
                    let found = json!({ "recorded": null });
                    report::failed_document(found, Code::CommandFailed, "nothing was recorded")?;
                    Ok(code)
                }
            }
        })
    }
}

/// Reports whether a run cannot be resumed because another process has resumed it.
fn is_resumed_elsewhere(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<Error>().map(Error::kind);
    matches!(kind, Some(Code::RunEnded | Code::RunOwned))
}

fn recorded_message(run: RunId, owner: Option<u32>, open: usize) -> String {
    let run = short(run);
    match (open, owner) {
        (0, Some(owner)) => format!("recorded: run {run} goes on in process {owner}"),
        (0, None) => format!("recorded: run {run} can go on: `pml run --resume {run}`"),
        (open, _) => format!("recorded: {open} more to answer before run {run} goes on"),
    }
}

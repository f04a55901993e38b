//! The command `pml approve`: its flags, and resuming the run after the answer.

use super::confirm::confirm_on_terminal;
use super::record::{ApproveContext, RecordedStatus};
use crate::execute::{JournalStorage, project_engine, run_and_print, runtime};
use crate::identify::short;
use crate::lock_flags::LockFlags;
use crate::present_fields::present_fields;
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

/// Answer a question of a run, and go on with the run
///
/// Shows the question and asks you to confirm on the terminal. Without another flag the answer is to
/// approve: the calls are made. `--decline`, `--abort` and `--replan` need no confirmation where
/// there is no terminal. A run that was answered before, and that no process runs, goes on.
///
/// An agent cannot approve with this command, even with `--yes`: only a person may. Your own
/// settings, outside all projects, can change that. Agents may decline, replan and abort. This does
/// not stop an agent that has a shell of the same user and wants to get around it.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ApproveCommand {
    /// The id of the question or of its run, or enough of its end; `last` for the newest
    #[arg(value_name = "ID")]
    pub(super) id: String,
    /// Answer without being asked to confirm
    #[arg(long, short)]
    pub(super) yes: bool,
    /// Approve, and always allow these tools: in `.pml.json` if that can be written, otherwise for
    /// this run
    #[arg(long, group = "decision")]
    pub(super) always: bool,
    /// With `--always`: only under this condition, as `pml approvals --verbose` numbers them
    #[arg(long, value_name = "N", requires = "always")]
    pub(super) only_for: Option<usize>,
    /// Decline: the program gets an error, which it can catch
    #[arg(long, group = "decision")]
    pub(super) decline: bool,
    /// End the run, and report what was completed, so that a better program can be written
    #[arg(long, group = "decision", conflicts_with = "only")]
    pub(super) replan: bool,
    /// End the run
    #[arg(long, group = "decision", conflicts_with = "only")]
    pub(super) abort: bool,
    /// Go on with this result of a call whose outcome is unknown
    #[arg(long, value_name = "JSON", group = "decision", value_parser = result)]
    pub(super) result: Option<Value>,
    /// Answer only this ask of the question; may be given several times
    #[arg(long, value_name = "ASK")]
    pub(super) only: Vec<u32>,
    /// Answer only if the ask has this digest, as it was shown: at least 8 digits of it; once for
    /// each ask
    #[arg(long, value_name = "PREFIX", value_parser = digest)]
    pub(super) digest: Vec<String>,
    /// Show secrets instead of their length; refused if an agent runs the command
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
    json::from_str(text).map_err(|error| format!("this is not JSON: {error}"))
}

/// Fewest digits of a digest prefix; fewer could be found by trying.
const DIGITS: usize = 8;

fn digest(text: &str) -> Result<String, String> {
    let digits = text.len() >= DIGITS && text.len() <= 64;
    match digits && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(text.to_ascii_lowercase()),
        false => Err(format!("this is not a digest: write {DIGITS} to 64 hex digits")),
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
                    let project_context = ManuallyDrop::new(ProjectContext::open_for_runs(
                        ProjectFilesTrust::AsRecorded,
                        JournalStorage::OnDisk,
                        LockFlags::default().mode()?,
                    )?);
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
                        ui::say(&format!("recorded: run {} goes on in another process", short(id)));
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
                    ui::say("it was answered before: the run goes on");
                    resume_run(run).await
                }
                RecordedStatus::AnsweredBefore { run } => {
                    let name = short(run);
                    ui::say(&format!(
                        "it was answered before; `pml run --resume {name}` goes on with the run"
                    ));
                    ui::document(&json!({ "run_id": run }))?;
                    Ok(ExitCode::SUCCESS)
                }
                RecordedStatus::Recorded { run, owner, open, asks } => {
                    ui::say(&recorded_message(run, owner, open));
                    let asks =
                        asks.iter().map(|(id, digest)| json!({ "id": id, "digest": digest }));
                    let asks: Vec<_> = asks.collect();
                    let recorded =
                        json!({ "run_id": run, "owner": owner, "open": open, "asks": asks });
                    ui::document(&json!({ "recorded": present_fields(recorded) }))?;
                    Ok(ExitCode::SUCCESS)
                }
                RecordedStatus::NotRecorded(code) if code == ExitCode::SUCCESS => {
                    ui::document(&json!({}))?;
                    Ok(code)
                }
                RecordedStatus::NotRecorded(code) => {
                    let message = "nothing was recorded";
                    report::failed_document(json!({}), Code::CommandFailed, message)?;
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
        (0, None) => format!("recorded; `pml run --resume {run}` goes on with the run"),
        (open, _) => format!("recorded; run {run} goes on when {open} more are answered"),
    }
}

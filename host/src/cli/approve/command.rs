//! `pml approve`: records an answer to a question, whoever else may be asked.
//!
//! **Invariant:** only what was shown is answered, and nothing is recorded without a person's yes: typed on the terminal,
//! or given as `--yes`.

use crate::cli::execute::{Kept, engine_over, perform, runtime};
use crate::cli::identify::{ambiguous, matching, short};
use crate::cli::report::{FAILED, Hinted, Usage};
use crate::cli::terminal::Terminal;
use crate::cli::ui::{self, DIM, WARNING};
use crate::cli::who::user;
use crate::cli::workplace::{Files, Workplace};
use crate::cli::wrap::wrap;
use crate::cli::{project, runs};
use crate::json::{self, Value, json};
use crate::{
    Answer, Answered, Ask, AskId, AskKind, Asked, Clock, Decided, Decision, Error, Filter, Journal,
    QuestionId, RunId, SystemClock, Timestamp, escape, lines_of_ask,
};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::mem::ManuallyDrop;
use std::process::ExitCode;

/// How the answer reached us.
const CHANNEL: &str = "command line";
/// How wide asks are shown where there is no terminal.
const WIDTH: usize = 100;

/// Answer what a run waits for, and go on with the run
///
/// Shows what is asked and wants a yes on the terminal. Without another flag the answer approves: the calls are made.
#[derive(Args)]
pub(in crate::cli) struct Approve {
    /// The workflow id, or the id of a run with one open question; the last digits suffice
    #[arg(value_name = "ID")]
    id: String,
    /// Do not ask for a yes on the terminal
    #[arg(long, short)]
    yes: bool,
    /// Approve, and do not ask for these tools again in this run
    #[arg(long, group = "decision")]
    always: bool,
    /// Decline: the program gets an error, which it may handle
    #[arg(long, group = "decision")]
    decline: bool,
    /// End the run
    #[arg(long, group = "decision", conflicts_with = "only")]
    abort: bool,
    /// Go on as if an uncertain call had given this result
    #[arg(long, value_name = "JSON", group = "decision", value_parser = result)]
    result: Option<Value>,
    /// Answer only this ask of the question
    #[arg(long, value_name = "ASK")]
    only: Option<u32>,
    /// Only record the answer; do not go on with the run
    #[arg(long)]
    no_run: bool,
    /// Print exactly one line of JSON on stdout: the result of the run, an object with `error`, or what was `recorded` if
    /// the run does not go on here
    #[arg(long)]
    json: bool,
}

fn result(text: &str) -> Result<Value, String> {
    json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}

/// What came of it.
#[derive(Debug)]
pub(in crate::cli) enum Recorded {
    /// The answer counts.
    New {
        /// The run that waited for it.
        run: RunId,
        /// The process that has the run, if one does: it goes on there.
        owner: Option<u32>,
        /// Asks of the question that are still open.
        open: usize,
    },
    /// Nothing was recorded, and why was told.
    Nothing(ExitCode),
}

/// Asks for a yes; nothing where there is nobody to ask.
pub(in crate::cli) type Confirm<'a> = &'a dyn Fn(&str) -> Result<Option<bool>>;

impl Approve {
    pub(in crate::cli) fn run(self) -> Result<ExitCode> {
        let journal = project::journal()?;
        let runtime = ManuallyDrop::new(runtime()?);
        runtime.block_on(async {
            let now = SystemClock.now();
            match self.record(&*journal, now, &on_terminal).await? {
                Recorded::New { run, owner: None, open }
                    if !self.no_run && (open == 0 || self.abort) =>
                {
                    // The process ends after this; taking the engine apart would only make the user wait.
                    let workplace = ManuallyDrop::new(Workplace::open(Files::AsTrusted)?);
                    let engine = ManuallyDrop::new(engine_over(&workplace, journal)?);
                    let run = engine.resume(run);
                    perform(run, &workplace.servers, self.json, Kept::OnDisk).await
                }
                Recorded::New { run, owner, open } => {
                    ui::say(&standing(run, owner, open));
                    let recorded = json!({ "run_id": run, "owner": owner, "open": open });
                    self.tell(json!({ "recorded": recorded }))?;
                    Ok(ExitCode::SUCCESS)
                }
                Recorded::Nothing(code) => {
                    self.tell(json!({ "recorded": null }))?;
                    Ok(code)
                }
            }
        })
    }

    /// Prints the one line of JSON, if it is wanted.
    fn tell(&self, what: Value) -> Result<()> {
        if self.json {
            ui::out(&what.to_string())?;
        }
        Ok(())
    }

    /// Finds the question, shows it, wants a yes, and records the answer.
    pub(in crate::cli) async fn record(
        &self,
        journal: &dyn Journal,
        now: Timestamp,
        confirm: Confirm<'_>,
    ) -> Result<Recorded> {
        let asked = find(journal, &self.id, now).await?;
        let asks = self.asks(&asked)?;
        let decision = self.decision(&asks)?;
        if asked.open {
            asks.iter().for_each(|ask| show(ask, asked.question.asks.len()));
            if !self.yes && !wants(confirm, &decision, &asks)? {
                ui::say("nothing was recorded");
                return Ok(Recorded::Nothing(ExitCode::from(FAILED)));
            }
        }
        let answer = match decision.ends() {
            true => Answer::all(decision.clone(), user(), CHANNEL),
            false => {
                let each = asks.iter().map(|ask| (ask.id, decision.clone()));
                Answer::each(each, user(), CHANNEL)
            }
        };
        let answered = journal.answer(asked.question.id, answer, now).await.map_err(Error::from)?;
        match answered {
            Answered::Recorded { question, open } => {
                let run = question.run;
                let filter = Filter { id: Some(run.to_string()), ..Filter::default() };
                let listed = journal.runs(filter, now).await.map_err(Error::from)?;
                let owner = listed.first().and_then(|summary| summary.owner);
                Ok(Recorded::New { run, owner, open })
            }
            Answered::Late { decided, .. } => {
                Ok(Recorded::Nothing(late(&decided, &asks, &decision)))
            }
            Answered::Gone => Err(gone()),
        }
    }

    /// The asks that are answered: those still open, or the one that was named.
    fn asks<'a>(&self, asked: &'a Asked) -> Result<Vec<&'a Ask>> {
        if let Some(number) = self.only {
            let ask = asked.question.ask(AskId(number));
            let asks = asked.question.asks.len();
            return ask.map(|ask| vec![ask]).ok_or_else(|| {
                Usage(format!("there is no ask {number}: the question has {asks}")).into()
            });
        }
        let open = |ask: &&Ask| !asked.decided.iter().any(|decided| decided.ask == ask.id);
        let left: Vec<_> = asked.question.asks.iter().filter(open).collect();
        Ok(if left.is_empty() { asked.question.asks.iter().collect() } else { left })
    }

    fn decision(&self, asks: &[&Ask]) -> Result<Decision> {
        let all_are = |kind: AskKind| asks.iter().all(|ask| ask.kind == kind);
        if let Some(result) = &self.result {
            if asks.len() > 1 {
                let message = format!("`--result` answers one ask, and {} are open", asks.len());
                return Err(Hinted::new(message, "name it with `--only ASK`").into());
            }
            if !all_are(AskKind::UncertainCall) {
                bail!(
                    "`--result` is for a call of which nobody knows what became; this one was not made yet"
                );
            }
            return Ok(Decision::Result(result.clone()));
        }
        if self.always && !all_are(AskKind::ToolPermission) {
            let message = "`--always` is for asks about a tool, and not all of these are";
            return Err(Hinted::new(message, "name one with `--only ASK`").into());
        }
        Ok(match () {
            () if self.always => Decision::Always,
            () if self.decline => Decision::Decline,
            () if self.abort => Decision::Abort,
            () => Decision::Approve,
        })
    }
}

/// Finds a question by its id or by its run's, or by enough of either.
async fn find(journal: &dyn Journal, typed: &str, now: Timestamp) -> Result<Asked> {
    if let Ok(id) = typed.parse::<QuestionId>()
        && let Some(asked) = journal.question(id, now).await.map_err(Error::from)?
    {
        return Ok(asked);
    }
    let open = journal.questions(None, now).await.map_err(Error::from)?;
    let mut found = matching(typed, open.clone(), |asked| asked.question.id.to_string());
    if found.is_empty() {
        found = matching(typed, open, |asked| asked.question.run.to_string());
    }
    match found.len() {
        0 => Err(gone()),
        1 => Ok(found.remove(0)),
        _ => {
            let line = |it: &Asked| {
                let question = &it.question;
                format!(
                    "{}  run {}  {}",
                    question.id,
                    short(question.run),
                    escape(&question.script)
                )
            };
            Err(ambiguous("open questions", typed, &found.iter().map(line).collect::<Vec<_>>()))
        }
    }
}

/// The protocol's own words for it.
fn gone() -> anyhow::Error {
    Hinted::new("Workflow expired or not found", "`pml approvals` lists what waits for an answer")
        .into()
}

fn show(ask: &Ask, of: usize) {
    if of > 1 {
        ui::say(&format!("{DIM}ask {} of {of}{DIM:#}", ask.id));
    }
    let width = Terminal::open().map_or(WIDTH, |terminal| terminal.width());
    for line in lines_of_ask(ask) {
        ui::say(&wrap(&line, width));
    }
}

fn wants(confirm: Confirm<'_>, decision: &Decision, asks: &[&Ask]) -> Result<bool> {
    let again = asks.iter().any(|ask| ask.kind == AskKind::UncertainCall);
    let what = match decision {
        Decision::Approve if again => "approve, though a call may then have been made twice?",
        Decision::Always => "approve, and not ask again in this run?",
        Decision::Decline => "decline?",
        Decision::Abort => "end the run?",
        Decision::Result(_) => "go on with this result?",
        _ => "approve?",
    };
    let said = confirm(&format!("{WARNING}pml approve{WARNING:#}: {what}"))?;
    let none = || Hinted::new("no terminal to confirm on", "add `--yes` to answer without one");
    said.ok_or_else(|| none().into())
}

/// Asks on the terminal of this process.
fn on_terminal(question: &str) -> Result<Option<bool>> {
    // Who does not see the question cannot answer it.
    let terminal = ui::stderr_is_terminal().then(Terminal::open).flatten();
    let Some(terminal) = terminal else { return Ok(None) };
    terminal.confirm(question).map(Some).context("cannot ask on the terminal")
}

/// Tells what had been decided; fine if it is what was wanted.
fn late(decided: &[Decided], asks: &[&Ask], decision: &Decision) -> ExitCode {
    ui::say("too late, nothing was changed; it had been decided:");
    for decided in decided {
        ui::say(&format!("  ask {}: {}", decided.ask, runs::decided_line(decided)));
    }
    let same = asks.iter().all(|ask| {
        decided.iter().any(|decided| decided.ask == ask.id && decided.decision == *decision)
    });
    if same { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
}

fn standing(run: RunId, owner: Option<u32>, open: usize) -> String {
    let run = short(run);
    match (open, owner) {
        (0, Some(owner)) => format!("recorded: run {run} goes on in process {owner}"),
        (0, None) => format!("recorded: run {run} can go on"),
        (open, _) => format!("recorded: {open} more to answer before run {run} goes on"),
    }
}
